import { checkCall, checkName, checkNames, defaultMaxEntryBytes, toDescription } from '../check-input.ts'
import type { Store } from '../store.ts'
import { NoConversationError } from '../store-error.ts'
import { createMemory } from './memory.ts'
import { memoryDeletes } from './memory-deletes.ts'
import { memoryReads } from './memory-reads.ts'
import { memoryRestore } from './memory-restore.ts'
import { memoryWrites } from './memory-writes.ts'

export interface MemoryStoreOptions {
  readonly now?: () => number
  readonly maxEntryBytes?: number
}

/** A store in memory, for tests and demos: everything is gone with the process. */
export function memoryStore({
  now = Date.now,
  maxEntryBytes = defaultMaxEntryBytes,
}: MemoryStoreOptions = {}): Store {
  const memory = createMemory(now, maxEntryBytes)
  return {
    migrate: async () => [],
    ...memoryWrites(memory),
    restore: async (thread, stretch) => memoryRestore(memory, thread, stretch),
    ...memoryReads(memory),
    async saveCall(thread, call) {
      checkCall(call, maxEntryBytes)
      memory.branch(thread).calls.set(call.id, call)
    },
    async saveCache(thread, key, at, bytes) {
      checkName('key of the cache', key)
      memory.branch(thread).caches.set(key, { at, bytes: bytes.slice() })
    },
    async describeConversation(tenant, conversation, description) {
      checkNames({ tenant, conversation })
      const { title, metadata } = toDescription(description)
      const found = memory.find(tenant, conversation)
      if (!found || found.isDeleted) throw new NoConversationError(conversation, found !== undefined)
      if (title !== undefined) found.title = title
      if (metadata !== undefined) found.metadata = metadata
    },
    ...memoryDeletes(memory),
    async close() {},
  }
}
