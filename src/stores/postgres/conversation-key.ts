import { createHash } from 'node:crypto'
import type { ThreadKey } from '../store.ts'
import { TooLargeError } from '../store-error.ts'

/**
 * The key of a conversation: 16 bytes computed from its names; a collision takes 2^64 hashes. The tenant's length keeps
 * apart names that read the same when joined. Stored: another function needs a migration, and the schema's `key_of` must
 * give the same.
 */
export function conversationKey({
  tenant,
  conversation,
}: Pick<ThreadKey, 'tenant' | 'conversation'>): string {
  const names = `${Buffer.byteLength(tenant)}:${tenant}${conversation}`
  return createHash('sha256').update(names).digest('hex').slice(0, 32)
}

/** A row of a btree index has at most 2,704 bytes, and the names of a key stand in it one after the other. */
const maxKeyBytes = 2_600

/** The key of a branch, as its columns. Refuses names too long for an index; `ids` are the last part of further keys. */
export function keyOf(thread: ThreadKey, ids: readonly string[] = []): readonly [string, ...string[]] {
  const { tenant, conversation, actor, branch } = thread
  for (const rest of [actor + branch, ...ids]) {
    const names = tenant + conversation + rest
    // A code unit has at most three bytes: most keys need not be measured.
    const bytes = 3 * names.length > maxKeyBytes ? Buffer.byteLength(names) : 0
    if (bytes > maxKeyBytes) throw new TooLargeError('The names of a key together', bytes, maxKeyBytes)
  }
  return [conversationKey(thread), actor, branch]
}
