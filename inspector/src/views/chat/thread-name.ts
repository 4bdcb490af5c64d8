import { observable } from '../../api/observable.ts'
import type { ThreadAddress } from '../../api/queries.ts'

/** The thread that requests mean when they name none. */
export const usualActor = 'assistant'
export const usualBranch = 'main'

/** One name for one thread, whether its address says the usual actor and branch or leaves them out. */
export const threadName = ({ conversation, actor = usualActor, branch = usualBranch }: ThreadAddress) =>
  JSON.stringify([conversation, actor, branch])

/** Values by thread, which components can follow. They are kept until the tab is closed. */
export function byThread<Value>() {
  const values = observable<ReadonlyMap<string, Value>>(new Map())
  return {
    use: (thread: ThreadAddress): Value | undefined => values.use().get(threadName(thread)),
    get: (thread: ThreadAddress): Value | undefined => values.get().get(threadName(thread)),
    set(thread: ThreadAddress, value: Value | undefined): void {
      const next = new Map(values.get())
      if (value === undefined) next.delete(threadName(thread))
      else next.set(threadName(thread), value)
      values.set(next)
    },
  }
}
