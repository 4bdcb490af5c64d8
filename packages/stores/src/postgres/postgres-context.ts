import { NoConversationError } from '../store-error.ts'
import type { Database } from './database.ts'

export interface PostgresContext {
  readonly database: Database
  /** The quoted name of the schema. */
  readonly schema: string
  /** Whether the tables are spread over machines, by the key of a conversation. Known once the store is ready. */
  isDistributed: boolean
  /** Whether the index of words has every entry; else a search reads every entry of the tenant. */
  readonly isIndexed: boolean
}

/**
 * A condition that makes a write durable in a database that is told to acknowledge before it has written. A look at the setting
 * is faster than a call. What a cluster writes durably is set on each of its machines.
 */
export const durable = ({ isDistributed }: PostgresContext): string =>
  isDistributed
    ? 'true'
    : `(current_setting('synchronous_commit') <> 'off' or set_config('synchronous_commit', 'on', true) = 'on')`

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

/** The conversations `c` of a tenant $1, of a person $2 and of a name $3, where these are given. */
export const ofWhom =
  'c.tenant = $1 and ($2::text is null or c.person = $2) and ($3::text is null or c.conversation = $3)'
