import { NoConversationError } from '../store-error.ts'
import type { Database } from './database.ts'

export interface PostgresContext {
  readonly database: Database
  /** The quoted name of the schema. */
  readonly schema: string
  /** A condition that makes a write durable, where the database can be told so. */
  readonly durable: string
  /** Whether the index of words has every entry; else a search reads every entry of the tenant. */
  readonly isIndexed: boolean
}

export async function noConversation(
  { database, schema }: PostgresContext,
  conversation: string,
  key: string,
): Promise<NoConversationError> {
  const sql = `select deleted_at from ${schema}.conversations where key = $1`
  const [row] = await database.read(sql, [key])
  return new NoConversationError(conversation, row !== undefined && row.deleted_at !== null)
}

/** How many bytes of payloads a page of entries has at most, besides its first entry. */
export const maxPageBytes = 4 * 1024 * 1024

/** Cuts a page of entries where it has too many bytes: one payload can have megabytes. Its first entry always stays. */
export const cutPage = (entries: string, order: string): string => `
  select * from (
    select e.*, sum(octet_length(payload)) over (order by ${order}) - octet_length(payload) as before
    from (${entries}) e
  ) e where before < ${maxPageBytes} order by ${order}`
