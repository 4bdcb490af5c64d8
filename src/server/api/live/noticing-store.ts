import { isExperiment } from '../../../experiment/log/shown-store.ts'
import type { ConversationInfo, Store } from '../../../stores/store.ts'

/** Called after something was written to a conversation, or the conversation was deleted. */
export type OnWrite = (
  tenant: string,
  conversation: string,
  what: 'written' | 'deleted' | 'erased',
  gone?: GoneConversation,
) => void

/** What a conversation was that is deleted now. */
export interface GoneConversation extends Pick<ConversationInfo, 'person'> {
  readonly isExperiment: boolean
}

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
    async erase(thread, seq, mark) {
      const isErased = await store.erase(thread, seq, mark)
      onWrite(thread.tenant, thread.conversation, 'erased')
      return isErased
    },
    async describeConversation(tenant, conversation, description) {
      await store.describeConversation(tenant, conversation, description)
      // Without a description the write only notes that the conversation was read. A page that reads must not be told to read again.
      if (Object.keys(description).length > 0) onWrite(tenant, conversation, 'written')
    },
    async deleteConversation(tenant, conversation, options) {
      // Ask before deleting: it is unknowable after.
      const [info] = await store.conversations(tenant, { only: conversation })
      const gone = { person: info?.person, isExperiment: info !== undefined && isExperiment(info) }
      const isDeleted = await store.deleteConversation(tenant, conversation, options)
      if (isDeleted) onWrite(tenant, conversation, 'deleted', gone)
      return isDeleted
    },
  }
}
