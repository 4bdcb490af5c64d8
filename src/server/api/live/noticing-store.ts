import { isExperiment } from '../../../history/shown-store.ts'
import type { ConversationInfo, Store, ThreadKey } from '../../../stores/store.ts'

/** Called after something was written to a conversation, or the conversation was deleted. */
export type OnWrite = (
  tenant: string,
  conversation: string,
  what: 'written' | 'deleted' | 'erased',
  gone?: Pick<ConversationInfo, 'person'> & { readonly isExperiment: boolean },
) => void

const writes = ['begin', 'append', 'end', 'seed', 'restore', 'fork', 'saveCall'] as const

/** A store that tells of every write that went through it. */
export function noticingStore(store: Store, onWrite: OnWrite): Store {
  const wrapped = writes.map(name => {
    const write = store[name] as (thread: ThreadKey, ...rest: unknown[]) => Promise<unknown>
    const tell = async (thread: ThreadKey, ...rest: unknown[]) => {
      const result = await write(thread, ...rest)
      onWrite(thread.tenant, thread.conversation, 'written')
      return result
    }
    return [name, tell]
  })
  return {
    ...store,
    ...(Object.fromEntries(wrapped) as Pick<Store, (typeof writes)[number]>),
    async erase(thread, seq, mark) {
      const isErased = await store.erase(thread, seq, mark)
      onWrite(thread.tenant, thread.conversation, 'erased')
      return isErased
    },
    async describeConversation(tenant, conversation, description) {
      await store.describeConversation(tenant, conversation, description)
      // Without a description this only notes a read, and a page that reads must not be told to read again.
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
