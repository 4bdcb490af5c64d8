import { isExperiment } from '@throughline/history/log'
import type { ConversationInfo, ConversationKey, Store, ThreadKey } from '@throughline/stores/store'

/** Something was written to a conversation, or the conversation was deleted. */
export interface WriteEvent {
  readonly tenant: string
  readonly conversation: string
  readonly what: 'written' | 'deleted' | 'erased'
  /** Whose a deleted conversation was. */
  readonly gone?: Pick<ConversationInfo, 'person'> & { readonly isExperiment: boolean }
}

export type OnWrite = (event: WriteEvent) => void

const writes = ['begin', 'append', 'end', 'seed', 'restore', 'fork', 'saveCall'] as const

/** A store that tells of every write that went through it. */
export function noticingStore(store: Store, onWrite: OnWrite): Store {
  const tell = ({ tenant, conversation }: ConversationKey, what: WriteEvent['what']) =>
    onWrite({ tenant, conversation, what })
  const wrapped = writes.map(name => {
    const write = store[name] as (thread: ThreadKey, ...rest: unknown[]) => Promise<unknown>
    const writeAndTell = async (thread: ThreadKey, ...rest: unknown[]) => {
      const result = await write(thread, ...rest)
      tell(thread, 'written')
      return result
    }
    return [name, writeAndTell]
  })
  return {
    ...store,
    ...(Object.fromEntries(wrapped) as Pick<Store, (typeof writes)[number]>),
    async erase(thread, seq, mark) {
      const isErased = await store.erase(thread, seq, mark)
      tell(thread, 'erased')
      return isErased
    },
    async describeConversation(tenant, conversation, description) {
      await store.describeConversation(tenant, conversation, description)
      // Without a description this only notes a read, and a page that reads must not be told to read again.
      if (Object.keys(description).length > 0) tell({ tenant, conversation }, 'written')
    },
    async deleteConversation(tenant, conversation, options) {
      // Ask before deleting: it is unknowable after.
      const [info] = await store.conversations(tenant, { only: conversation })
      const gone = { person: info?.person, isExperiment: info !== undefined && isExperiment(info) }
      const isDeleted = await store.deleteConversation(tenant, conversation, options)
      if (isDeleted) onWrite({ tenant, conversation, what: 'deleted', gone })
      return isDeleted
    },
  }
}
