import type { Lease, ThreadKey } from '../store.ts'
import type { Database } from './database.ts'
import { keyOf } from './read-rows.ts'
import { withPlace } from './schema/fragments.ts'
import type { EntryRecord } from './to-records.ts'

/**
 * A short way for nearly all appends: one new entry at the head, by the holder of the turn, on a branch without a shared
 * past. This prepared statement takes much less time than the schema's function, which knows all cases. Returns the new
 * head; undefined in any other case: then nothing was written, and the function says why.
 */
export const appendOne = (database: Database, schema: string) => {
  const sql = appendSql(schema)
  return async (
    thread: ThreadKey,
    { owner, epoch }: Lease,
    expectedHead: number,
    { id, role, time, tokens, words, payload, checksum }: EntryRecord,
  ): Promise<number | undefined> => {
    const found = words && `{${words.join(',')}}`
    const values = [owner, epoch, expectedHead, id, role, time, tokens, found, payload, checksum]
    const [row] = await database.tryWrite(sql, [...keyOf(thread), ...values])
    return row && Number(row.seq)
  }
}

/** A stored id breaks a unique constraint, so it need not be looked for. */
const appendSql = (schema: string) => `
  with b as (
    update ${schema}.branches set head = head + 1, updated_at = ${schema}.now_ms()
    where key = $1 and actor = $2 and branch = $3 and lease_owner = $4 and epoch = $5 and head = $6
      and open_turn is not null and fork_of is null and ${schema}.make_durable()
    returning key, line, head, open_turn
  )
  insert into ${schema}.entries (time, line, seq, turn, role, key, id, tokens, words, payload, checksum)
    select $9::double precision, line, head, open_turn, $8::${schema}.role, key, $7::text, $10::text, $11::integer[], $12::text,
      ${withPlace('$13::bigint', 'head', 'open_turn')}
    from b
  returning seq`
