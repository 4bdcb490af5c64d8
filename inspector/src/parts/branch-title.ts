import type { AnswerOf } from '../api/routes.ts'

export type ListedThread = AnswerOf<'get /conversations/:conversation/threads'>['threads'][number]

export const branchTitle = ({
  branch,
  begins,
}: Partial<ListedThread> & Pick<ListedThread, 'branch'>): string =>
  madeName.test(branch) ? begins?.text || 'New branch' : branch

/** Names that programs make: `edit mhx3k2a1`, `again mhx3k2b7`, a UUID. */
const madeName = /^(?:(?:edit|again) \S+|[0-9a-f]{8}-[0-9a-f-]{27})$/
