import type { ThreadPlace } from '../../api/queries.ts'

/** The thread that requests mean when they name none. */
export const usualActor = 'assistant'
export const usualBranch = 'main'

/** One name for one thread, whether its address says the usual actor and branch or leaves them out. */
export const threadName = ({ conversation, actor = usualActor, branch = usualBranch }: ThreadPlace) =>
  JSON.stringify([conversation, actor, branch])
