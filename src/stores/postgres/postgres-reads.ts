import { checkRange } from '../check-input.ts'
import type { Head, Store, ThreadKey } from '../store.ts'
import { checkKey } from './check-key.ts'
import type { Database } from './database.ts'
import type { Row } from './pg-client.ts'
import { readEntries } from './read-entries.ts'
import { keyOf, toTurn } from './read-rows.ts'

type Reads = Pick<Store, 'head' | 'entries' | 'turns'>

export function postgresReads(database: Database, schema: string): Reads {
  const isThread = 'b.key = $1 and b.actor = $2 and b.branch = $3'

  async function read(thread: ThreadKey, sql: string): Promise<readonly Row[]> {
    checkKey(thread)
    return database.read(sql, keyOf(thread))
  }

  return {
    async head(thread) {
      const [row] = await read(
        thread,
        `select b.head, b.turns as count, b.fork_of as "forkOf", b.fork_at as "forkAt", b.lease_owner as owner,
          b.epoch, ${schema}.held_ms(b, ${schema}.now_ms()) as "heldMs",
          b.open_turn as turn, t.status, t.first, b.head as last, t.started_at as "startedAt",
          t.ended_at as "endedAt", t.error, t.idempotency_key as key, t.body
        from ${schema}.branches b left join ${schema}.turns t
          on t.key = b.key and t.line = b.line and t.turn = b.open_turn
        where ${isThread}`,
      )
      return row && toHead(row)
    },
    async *entries(thread, range = {}) {
      checkKey(thread)
      checkRange(range)
      yield* readEntries(database, schema, thread, range)
    },
    async turns(thread) {
      const rows = await read(
        thread,
        `select t.turn, t.status, t.first, t.last, t.started_at as "startedAt", t.ended_at as "endedAt", t.error,
          t.idempotency_key as key, t.body
        from ${schema}.branches b cross join lateral ${schema}.turns_of(b) t where ${isThread} order by t.turn`,
      )
      return rows.map(toTurn)
    },
  }
}

function toHead(row: Row): Head {
  const open = () => ({
    ...toTurn(row),
    lease: { owner: String(row.owner), epoch: Number(row.epoch) },
    expiresInMs: Number(row.heldMs),
  })
  return {
    head: Number(row.head),
    turns: Number(row.count),
    ...(row.turn === null ? {} : { open: open() }),
    ...(row.forkOf === null ? {} : { forkOf: { branch: String(row.forkOf), at: Number(row.forkAt) } }),
  }
}
