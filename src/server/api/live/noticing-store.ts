import { isExperimentNamed } from '../../../experiment/log/shown-store.ts'
import type { Store } from '../../../stores/store.ts'

/** Called after something was written to a conversation, or the conversation, which may have been an experiment, was deleted. */
export type OnWrite = (
  tenant: string,
  conversation: string,
  what: 'written' | 'deleted',
  isExperiment?: boolean,
) => void

/** A store that tells of every write that went through it. */
export function noticingStore(store: Store, onWrite: OnWrite): Store {
  const telling =
    <Rest extends readonly unknown[], Result>(
      write: (
        thread: { readonly tenant: string; readonly conversation: string },
        ...rest: Rest
      ) => Promise<Result>,
    ) =>
    async (thread: { readonly tenant: string; readonly conversation: string }, ...rest: Rest) => {
      const result = await write(thread, ...rest)
      onWrite(thread.tenant, thread.conversation, 'written')
      return result
    }
  return {
    ...store,
    begin: telling(store.begin as never) as Store['begin'],
    append: telling(store.append as never) as Store['append'],
    end: telling(store.end as never) as Store['end'],
    seed: telling(store.seed as never) as Store['seed'],
    restore: telling(store.restore as never) as Store['restore'],
    fork: telling(store.fork as never) as Store['fork'],
    saveCall: telling(store.saveCall as never) as Store['saveCall'],
    async describeConversation(tenant, conversation, description) {
      await store.describeConversation(tenant, conversation, description)
      // Without a description it only says that somebody reads it, and a page that reads must not be told to read again.
      if (Object.keys(description).length > 0) onWrite(tenant, conversation, 'written')
    },
    async deleteConversation(tenant, conversation, options) {
      // Afterwards nobody can tell.
      const isExperiment = await isExperimentNamed(store, { tenant, conversation })
      const isDeleted = await store.deleteConversation(tenant, conversation, options)
      if (isDeleted) onWrite(tenant, conversation, 'deleted', isExperiment)
      return isDeleted
    },
  }
}
