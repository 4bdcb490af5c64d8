import { createHash } from 'node:crypto'

/**
 * The key of a conversation: 16 bytes computed from its names; a collision takes 2^64 hashes. The tenant's length keeps
 * apart names that read the same when joined. Stored: another function needs a migration, and the schema's `key_of` must
 * give the same.
 */
export function conversationKey({ tenant, conversation }: Names): string {
  const names = `${Buffer.byteLength(tenant)}:${tenant}${conversation}`
  return createHash('sha256').update(names).digest('hex').slice(0, 32)
}

interface Names {
  readonly tenant: string
  readonly conversation: string
}
