import { createHash } from 'node:crypto'

/**
 * What a conversation is known by in every key: 16 bytes computed from its names, so two conversations meet in one only if
 * somebody computes 2^64 hashes for it. The length of the tenant keeps apart what reads the same when joined. Stored:
 * another function needs a migration, and `key_of` of the schema must give the same.
 */
export function conversationKey({ tenant, conversation }: Names): string {
  const names = `${Buffer.byteLength(tenant)}:${tenant}${conversation}`
  return createHash('sha256').update(names).digest('hex').slice(0, 32)
}

interface Names {
  readonly tenant: string
  readonly conversation: string
}
