import { toDescription } from '../check-input.ts'
import { checkedStore } from '../checked-store.ts'
import type { Store } from '../store.ts'
import { NoConversationError } from '../store-error.ts'
import { createMemory, openTurn } from './memory.ts'
import { memoryReads } from './memory-reads.ts'
import { memoryWrites } from './memory-writes.ts'

export interface MemoryStoreOptions {
  /** The clock for times and leases, in milliseconds. Default `Date.now`. */
  readonly now?: () => number
  /** The largest entry, in bytes. Default 8 MiB. */
  readonly maxEntryBytes?: number
}

/** A store in memory, for tests and demos: everything is gone with the process. */
export function memoryStore({ now = Date.now, maxEntryBytes }: MemoryStoreOptions = {}): Store {
  const memory = createMemory(now)
  const store: Store = {
    migrate: async () => [],
    ...memoryWrites(memory),
    ...memoryReads(memory),
    async saveCall(thread, call) {
      memory.branch(thread).calls.set(call.id, call)
    },
    async saveCache(thread, key, at, bytes) {
      memory.branch(thread).caches.set(key, { at, bytes: bytes.slice() })
    },
    async saveMarks(thread, marks) {
      memory.mark(memory.branch(thread), marks)
    },
    async describeConversation(tenant, conversation, description) {
      const { title, metadata } = toDescription(description)
      const found = memory.find(tenant, conversation)
      if (!found || found.isDeleted) throw new NoConversationError(conversation, found !== undefined)
      if (title !== undefined) found.title = title
      if (metadata !== undefined) found.metadata = metadata
    },
    async deleteCalls(tenant, before) {
      let count = 0
      for (const { branches } of memory.ofTenant(tenant))
        for (const { calls } of branches.values())
          for (const { id, time } of [...calls.values()]) if (time < before && calls.delete(id)) count++
      return count
    },
    async deleteConversation(tenant, conversation, { unusedSince } = {}) {
      if (unusedSince !== undefined && isUsed(tenant, conversation, unusedSince)) return false
      return memory.remove(tenant, conversation)
    },
    async close() {},
  }
  return checkedStore(store, maxEntryBytes)

  function isUsed(tenant: string, conversation: string, since: number): boolean {
    const found = memory.find(tenant, conversation)
    if (!found || found.updatedAt >= since) return true
    return [...found.branches.values()].some(branch => openTurn(branch) && memory.heldMs(branch) > 0)
  }
}
