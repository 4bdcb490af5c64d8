import { refuseUnknown } from '@throughline/core/errors'
import { checkedStore } from '../checked-store.ts'
import { type ConversationDocument, emptyDocument } from '../document/conversation-document.ts'
import { storeOfDocuments } from '../document/store-of-documents.ts'
import type { Store } from '../store.ts'

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  /** The clock for times and leases, in milliseconds. Default `Date.now`. */
  readonly now?: () => number
  /** The largest entry, in bytes. Default 8 MiB. */
  readonly maxEntryBytes?: number
}

/** A store in memory, for tests and demos: everything is gone with the process. Lists, marks and search read all of it. */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  refuseUnknown(options, { now: 1, maxEntryBytes: 1 })
  const { now = Date.now, maxEntryBytes } = options
  const tenants = new Map<string, Map<string, ConversationDocument>>()
  let branches = 0
  const store = storeOfDocuments({
    now,
    nextNumber: () => ++branches,
    read: async ({ tenant, conversation }) => tenants.get(tenant)?.get(conversation),
    // Nothing is awaited, so it is one transaction.
    async change(names, work) {
      const { tenant, conversation } = names
      const document = tenants.get(tenant)?.get(conversation) ?? emptyDocument(names, now())
      const result = work(document)
      // A tombstone is kept where it stands.
      if (document.branches.length === 0) {
        if (!document.isDeleted) tenants.get(tenant)?.delete(conversation)
        return result
      }
      const conversations = tenants.get(tenant) ?? new Map<string, ConversationDocument>()
      tenants.set(tenant, conversations.set(conversation, document))
      return result
    },
    async *all(tenant) {
      const all =
        tenant === undefined
          ? [...tenants.values()]
          : [tenants.get(tenant) ?? new Map<string, never>()]
      for (const conversations of all) yield* conversations.values()
    },
  })
  return checkedStore(store, maxEntryBytes)
}
