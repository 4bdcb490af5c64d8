import { createHash } from 'node:crypto'
import { checkThread } from '../check-input.ts'
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

/** The key of a branch, as its columns. */
export const keyOf = (thread: ThreadKey): readonly string[] => [
  conversationKey(thread),
  thread.actor,
  thread.branch,
]

/** `conversationKey` for names from outside. */
export function checkedKey(tenant: string, conversation: string): string {
  checkKey({ tenant, conversation, actor: '-', branch: '-' })
  return conversationKey({ tenant, conversation })
}

/** A row of a btree index has at most 2,704 bytes, and the names of a key stand in it one after the other. */
const maxKeyBytes = 2_600

/** Refuses names that are too long for an index or could be taken for other names. `ids` are the last part of a key. */
export function checkKey(thread: ThreadKey, ids: readonly string[] = []): void {
  checkThread(thread)
  const { tenant, conversation, actor, branch } = thread
  const longest = ids.reduce((longest, id) => Math.max(longest, id.length), 0)
  // A code unit has at most three bytes: most keys need not be measured.
  if (3 * (tenant.length + conversation.length + actor.length + branch.length + longest) <= maxKeyBytes)
    return
  for (const rest of [actor + branch, ...ids]) {
    const bytes = new TextEncoder().encode(tenant + conversation + rest).length
    if (bytes > maxKeyBytes) throw new TooLargeError('The names of a key together', bytes, maxKeyBytes)
  }
}
