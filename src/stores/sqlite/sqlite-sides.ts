import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { checksum } from '../checksum.ts'
import type { Mark, MarkedPlace, Store } from '../store.ts'
import { keepCall, readCalls } from './call-rows.ts'
import type { Connection } from './connection.ts'
import { findBranch, needBranch } from './conversation-rows.ts'
import type { Checked } from './rows.ts'
import type { SqliteContext } from './sqlite-context.ts'

export function sqliteSides(context: SqliteContext) {
  return {
    async saveCall(thread, call) {
      await context.write(thread, connection => keepCall(connection, needBranch(connection, thread).id, call))
    },
    async calls(thread, { limit } = {}) {
      const connection = context.ready()
      const branch = findBranch(connection, thread)
      return branch ? readCalls(connection, branch.id, limit) : []
    },
    async saveCache(thread, key, at, bytes) {
      const work = (connection: Connection) => {
        const branch = needBranch(connection, thread)
        const sql = `INSERT INTO caches (branch_id, key, at, checksum, bytes) VALUES (?, ?, ?, ?, ?)
          ON CONFLICT (branch_id, key) DO UPDATE SET at = excluded.at, checksum = excluded.checksum,
            bytes = excluded.bytes`
        const packed = deflateRawSync(bytes, { level: 9 })
        connection.run(sql, branch.id, key, at, cacheSum(branch.id, key, at, packed), packed)
      }
      // A cache that is lost is made again.
      await context.write(thread, work, { isFollowed: true })
    },
    async loadCache(thread, key) {
      const connection = context.ready()
      const branch = findBranch(connection, thread)
      const sql = 'SELECT at, checksum, bytes FROM caches WHERE branch_id = ? AND key = ?'
      const row = branch && connection.get<CacheRow>(sql, branch.id, key)
      // A damaged cache counts as absent: it can be rebuilt.
      if (!row || row.checksum !== cacheSum(branch.id, key, row.at, row.bytes)) return undefined
      const { buffer, byteOffset, length } = inflateRawSync(row.bytes, inOnePiece(row.bytes))
      return { at: row.at, bytes: new Uint8Array(buffer, byteOffset, length) }
    },
    async saveMarks(thread, marks) {
      await context.write(thread, connection =>
        keepMarks(connection, needBranch(connection, thread).id, marks),
      )
    },
    async findMarks(tenant, marks, { limit = 16 } = {}) {
      const wanted = JSON.stringify([...new Set(marks)])
      const rows = context.ready().all<PlaceRow>(placesSql, wanted, tenant, limit)
      return rows.map(({ mark, at, ...names }) => ({ mark, at, thread: { tenant, ...names } }))
    },
  } satisfies Partial<Store>
}

/** Most caches fit into one piece of this size; by default they are put together of several. */
const inOnePiece = ({ length }: Uint8Array) => ({ chunkSize: 2 ** 13 + 3 * length })

/** Keeps marks of places that are counted from the one after `head`. */
export function keepMarks(connection: Connection, branchId: number, marks: readonly Mark[], head = 0): void {
  const sql = 'INSERT INTO marks (branch_id, mark, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
  for (const { mark, at } of marks) connection.run(sql, branchId, mark, head + at)
}

type CacheRow = Checked & { readonly at: number; readonly bytes: Uint8Array }

const cacheSum = (branchId: number, key: string, at: number, bytes: Uint8Array) =>
  checksum([branchId, key, at], bytes)

type PlaceRow = Omit<MarkedPlace, 'thread'> & Omit<MarkedPlace['thread'], 'tenant'>

const joined =
  'JOIN branches ON branches.id = branch_id JOIN conversations ON conversations.id = conversation_id'

/** CROSS JOIN keeps the order: each mark that is wanted is looked up in the index. */
const placesSql = `SELECT mark, at, conversation, actor, branch FROM json_each(?1) AS wanted
  CROSS JOIN marks ON marks.number IN (
    SELECT marks.number FROM marks ${joined} WHERE mark = wanted.value AND tenant = ?2
    ORDER BY marks.number DESC LIMIT ?3
  ) ${joined} ORDER BY wanted.key, marks.number DESC`
