import { promisify } from 'node:util'
import { deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib'
import { checksum } from '../checksum.ts'
import type { Mark, MarkedPlace, Store, StoredCall } from '../store.ts'
import { withoutNulls } from '../without-nulls.ts'
import type { Connection } from './connection.ts'
import { findBranch, needBranch } from './conversation-rows.ts'
import { type Checked, columns, insertRow, inserts, type RowOf, saveRow, sound } from './rows.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { damaged } from './sqlite-error.ts'

export function sqliteSides(context: SqliteContext) {
  return {
    async saveCall(thread, call) {
      await context.write(thread, connection =>
        keepCall(connection, needBranch(connection, thread).id, call),
      )
    },
    async calls(thread, { limit } = {}) {
      const connection = context.ready()
      const branch = findBranch(connection, thread)
      return branch ? readCalls(connection, branch.id, limit) : []
    },
    async saveCache(thread, key, at, bytes) {
      // Beside the event loop: a bundle of checkpoints takes a tenth of a second.
      const packed = await promisify(deflateRaw)(bytes, { level: 9 })
      const work = (connection: Connection) => {
        const branch = needBranch(connection, thread)
        const sql = `INSERT INTO caches (branch_id, key, at, checksum, bytes) VALUES (?, ?, ?, ?, ?)
          ON CONFLICT (branch_id, key) DO UPDATE SET at = excluded.at, checksum = excluded.checksum,
            bytes = excluded.bytes`
        connection.run(sql, branch.id, key, at, cacheSum(branch.id, key, at, packed), packed)
      }
      // A cache that is lost is made again.
      await context.write(thread, work, { mayDeferSync: true })
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
export function keepMarks(
  connection: Connection,
  branchId: number,
  marks: readonly Mark[],
  head = 0,
): void {
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

/** A plan is packed with the one before as its dictionary, to a tenth of its size. To unpack one, at most this many are read. */
const maxDepth = 32

/** Keeps a call, or what became of it. A call that is saved again stays in its place. */
export function keepCall(connection: Connection, branchId: number, call: StoredCall): void {
  const { id, plan: text } = call
  const latest = latestPlan(connection, branchId)
  const stored = latest?.id === id ? latest : findPlan(connection, branchId, id)
  const dictionary = stored ? stored.dictionary : dictionaryAfter(latest)
  const depth = stored?.depth ?? (latest && dictionary !== '' ? latest.depth + 1 : 0)
  const next =
    stored && stored !== latest && text !== stored.text
      ? planAfter(connection, branchId, stored.number)
      : undefined
  const { reported = null, error = null } = call
  // What became of a call comes with the same plan, as a rule.
  const plan = stored?.text === text ? stored.packed : pack(text, dictionary)
  const row = { ...call, branch_id: branchId, plan, depth, reported, error }
  const number = insertRow(connection, 'calls', row, saveSql)
  if (next) saveRow(connection, 'calls', next.row, { plan: pack(next.text, text) })
  if (!stored || stored === latest)
    connection.remember<PackedPlan>(keyOf(branchId), {
      number: stored?.number ?? number,
      id,
      text,
      depth,
      dictionary,
      packed: plan,
    })
}

export function readCalls(
  connection: Connection,
  branchId: number,
  limit = -1,
): readonly StoredCall[] {
  const read = limit < 0 ? -1 : limit + maxDepth - 1
  const rows = connection.all<CallRow>(newestSql, branchId, Number.MAX_SAFE_INTEGER, read).reverse()
  const wanted = limit < 0 ? 0 : Math.max(0, rows.length - limit)
  const whole = rows.findLastIndex(({ depth }, at) => at <= wanted && depth === 0)
  const first = Math.max(0, whole)
  const texts = [...unpackRows(rows.slice(first), branchId)]
  return rows
    .slice(wanted)
    .map((row, at) => toCall(row, texts[wanted - first + at]!))
    .reverse()
}

/** Deletes the calls of a tenant before a time, and counts them. */
export const deleteOldCalls = (connection: Connection, tenant: string, before: number): number =>
  deleteCalls(connection, ofTenant, 'time < ?2', tenant, before)

/** Deletes the calls of a branch from a turn on, which may show what was said in that turn. */
export const deleteCallsFrom = (connection: Connection, branchId: number, turn: number): number =>
  deleteCalls(connection, 'branch_id = ?1', 'turn >= ?2', branchId, turn)

function deleteCalls(
  connection: Connection,
  scope: string,
  going: string,
  ...values: readonly [string | number, number]
): number {
  const sql = `FROM calls WHERE ${scope} AND ${going}`
  const { n } = connection.get<{ n: number }>(`SELECT count(*) AS n ${sql}`, ...values)!
  if (n === 0) return 0
  const freedSql = `SELECT * FROM calls AS kept WHERE depth > 0 AND ${scope} AND NOT ${going} AND (
    SELECT ${going} FROM calls WHERE branch_id = kept.branch_id AND number < kept.number ORDER BY number DESC LIMIT 1)`
  // Repack the kept plans that used a deleted one as dictionary.
  for (const row of connection.all<CallRow>(freedSql, ...values)) {
    const { text } = planUpTo(connection, row.branch_id, row.number)!
    saveRow(connection, 'calls', row, { plan: pack(text, ''), depth: 0 })
  }
  connection.run(`DELETE ${sql}`, ...values)
  connection.forget()
  return n
}

interface CallRow extends RowOf<'calls'>, Checked {
  readonly number: number
}

interface PackedPlan {
  readonly number: number
  readonly id: string
  readonly depth: number
  readonly text: string
  readonly dictionary: string
  readonly packed: Uint8Array
}

const dictionaryAfter = (latest: PackedPlan | undefined): string =>
  latest && latest.depth + 1 < maxDepth ? latest.text : ''

const keyOf = (branchId: number) => `plan ${branchId}`

const latestPlan = (connection: Connection, branchId: number): PackedPlan | undefined =>
  connection.recall<PackedPlan>(keyOf(branchId)) ??
  planUpTo(connection, branchId, Number.MAX_SAFE_INTEGER)

function findPlan(connection: Connection, branchId: number, id: string): PackedPlan | undefined {
  const place = connection.get<{ number: number }>(placeSql, branchId, id)
  return place && planUpTo(connection, branchId, place.number)
}

/** The newest plan that is not behind a number. */
function planUpTo(
  connection: Connection,
  branchId: number,
  number: number,
): PackedPlan | undefined {
  const rows = connection.all<CallRow>(newestSql, branchId, number, maxDepth)
  const whole = rows.findIndex(({ depth }) => depth === 0)
  const chain = rows.slice(0, whole + 1).reverse()
  const [newest] = rows
  if (!newest) return undefined
  const texts = [...unpackRows(chain, branchId)]
  return {
    number: newest.number,
    id: newest.id,
    depth: newest.depth,
    text: texts.at(-1)!,
    dictionary: newest.depth > 0 ? texts.at(-2)! : '',
    packed: newest.plan,
  }
}

/** The next plan, if it is packed with the one at this number. */
function planAfter(connection: Connection, branchId: number, number: number) {
  const row = connection.get<CallRow>(nextSql, branchId, number)
  const text = row && row.depth > 0 ? planUpTo(connection, branchId, row.number)?.text : undefined
  return row && text !== undefined ? { row, text } : undefined
}

/** The texts of the plans of rows in a row, of which the first needs no other. */
function* unpackRows(rows: readonly CallRow[], branchId: number): Generator<string> {
  let text = ''
  for (const row of rows) {
    const { plan, depth } = sound('calls', row, row.branch_id === branchId)
    text = unpack(plan, depth > 0 ? text : '')
    yield text
  }
}

const pack = (text: string, dictionary: string): Uint8Array =>
  deflateRawSync(text, {
    level: 9,
    ...(dictionary !== '' && { dictionary: Buffer.from(dictionary) }),
  })

function unpack(bytes: Uint8Array, dictionary: string): string {
  try {
    const options = dictionary === '' ? {} : { dictionary: Buffer.from(dictionary) }
    return inflateRawSync(bytes, options).toString()
  } catch {
    throw damaged('The store', 'a row of calls')
  }
}

function toCall(
  { id, turn, time, model, predicted, reported, status, error }: CallRow,
  plan: string,
) {
  const outcome = { reported, status: status as StoredCall['status'], error }
  return withoutNulls({ id, turn, time, model, plan, predicted, ...outcome })
}

const saveSql = `${inserts.calls} ON CONFLICT (branch_id, id) DO UPDATE SET ${[
  ...columns.calls,
  'checksum',
]
  .slice(2)
  .map(name => `${name} = excluded.${name}`)}`

const newestSql =
  'SELECT * FROM calls WHERE branch_id = ? AND number <= ? ORDER BY number DESC LIMIT ?'
const placeSql = 'SELECT number FROM calls WHERE branch_id = ? AND id = ?'
const nextSql = 'SELECT * FROM calls WHERE branch_id = ? AND number > ? ORDER BY number LIMIT 1'
const ofTenant = `branch_id IN (
  SELECT branches.id FROM branches JOIN conversations ON conversations.id = conversation_id WHERE tenant = ?1)`
