import { createHash } from 'node:crypto'
import type { Role } from '@throughline/core/messages'
import { checksum } from '../checksum.ts'
import type {
  ConversationKey,
  NewEntry,
  StoredCall,
  StoredEntry,
  StoredTurn,
  ThreadKey,
} from '../store.ts'
import { CorruptEntryError, nameOf, StoreError, TooLargeError } from '../store-error.ts'
import type { Row } from './database.ts'

type ColumnReaders<T> = { readonly [Name in keyof Required<T>]: (value: unknown) => unknown }

/** A row as the store returns it: a null column becomes an absent field. */
export const fromRow = <T>(row: Row, columns: ColumnReaders<T>): T =>
  Object.fromEntries(
    Object.entries<(value: unknown) => unknown>(columns)
      .filter(([name]) => row[name] !== null)
      .map(([name, read]) => [name, read(row[name])]),
  ) as T

export const toTurn = (row: Row): StoredTurn => fromRow(row, turnColumns)

const turnColumns: ColumnReaders<StoredTurn> = {
  turn: Number,
  status: String,
  first: Number,
  last: Number,
  startedAt: Number,
  endedAt: Number,
  error: String,
  key: String,
  body: String,
}

export function toEntry(thread: ThreadKey, row: Row): StoredEntry {
  const [seq, turn, tokens] = [Number(row.seq), Number(row.turn), String(row.tokens)]
  const [id, role, time, payload] = [
    String(row.id),
    row.role as Role,
    Number(row.time),
    String(row.payload),
  ]
  // What `withPlace` in schema/fragments.ts computes in SQL.
  const sum =
    entrySum(conversationKey(thread), { id, role, time, payload }, tokens) + seq * 31 + turn * 1009
  const corrupt = (problem: string, options?: ErrorOptions) =>
    new CorruptEntryError(nameOf(thread), seq, problem, options)
  if (sum !== Number(row.checksum)) throw corrupt('it is not what was stored, its checksum differs')
  try {
    return { id, role, time, payload, tokens: JSON.parse(tokens), seq, turn }
  } catch (cause) {
    throw corrupt('its token counts are no JSON', { cause })
  }
}

export const threadOf = ({ tenant, conversation, actor, branch }: Row): ThreadKey => ({
  tenant: String(tenant),
  conversation: String(conversation),
  actor: String(actor),
  branch: String(branch),
})

/** Entries as records, each id once. Refuses ids that are too long. */
export function toRecords(thread: ThreadKey, entries: readonly (NewEntry | StoredEntry)[]) {
  const ids = entries.map(({ id }) => id)
  const [key] = keyOf(thread, ids)
  const seen = new Set<string>()
  const once = entries.filter(({ id }) => !seen.has(id) && seen.add(id))
  return once.map(entry => {
    const { id, role, time, payload } = entry
    const tokens = JSON.stringify(entry.tokens)
    const place = 'seq' in entry && { seq: entry.seq, turn: entry.turn }
    return { id, role, time, checksum: entrySum(key, entry, tokens), tokens, payload, ...place }
  })
}

/** A checksum of an entry and its conversation. The database adds the place, known only when writing. */
const entrySum = (
  key: string,
  { id, role, time, payload }: Omit<NewEntry, 'tokens'>,
  tokens: string,
) => checksum([key, id, role, time, tokens, payload])

/** In the order in which the checksum reads them. */
const callColumns: ColumnReaders<StoredCall> = {
  id: String,
  turn: Number,
  time: Number,
  model: String,
  plan: String,
  predicted: Number,
  reported: Number,
  status: String,
  error: String,
}

export function toCall(thread: ThreadKey, row: Row): StoredCall {
  const call = fromRow<StoredCall>(row, callColumns)
  if (callValues(thread, call).at(-1) === Number(row.checksum)) return call
  const problem = `The call "${call.id}" of thread ${nameOf(thread)} is not what was stored, its checksum differs.`
  throw new StoreError('store_corrupt', `${problem} Run "throughline log check".`)
}

export function callRecord(thread: ThreadKey, call: StoredCall): string {
  const names = [...Object.keys(callColumns), 'checksum']
  return JSON.stringify(
    Object.fromEntries(callValues(thread, call).map((value, at) => [names[at], value])),
  )
}

/** The values of a call in the order of its columns, then their checksum. */
export function callValues(thread: ThreadKey, call: StoredCall): readonly unknown[] {
  const values = (Object.keys(callColumns) as (keyof StoredCall)[]).map(name => call[name] ?? null)
  return [...values, checksum([...keyOf(thread), ...values])]
}

/** A conversation's key, 16 bytes. The length keeps joined names apart. It is stored: the schema's `key_of` must give the same. */
export function conversationKey({ tenant, conversation }: ConversationKey): string {
  const names = `${Buffer.byteLength(tenant)}:${tenant}${conversation}`
  if (names !== lastKey.names)
    lastKey = { names, key: createHash('sha256').update(names).digest('hex').slice(0, 32) }
  return lastKey.key
}

/** Mostly the next key is that of the same conversation. */
let lastKey = { names: '', key: '' }

/** The key of a mark: like that of a conversation, so that no tenant finds another's. */
export const markKey = (tenant: string, mark: string) =>
  conversationKey({ tenant, conversation: mark })

/** A row of a btree index has at most 2,704 bytes, which hold all the names of a key. */
const maxKeyBytes = 2_600

/** The key of a branch, as its columns. Refuses names too long for an index; `ids` are the last part of further keys. */
export function keyOf(
  thread: ThreadKey,
  ids: readonly string[] = [],
): readonly [string, ...string[]] {
  const { tenant, conversation, actor, branch } = thread
  for (const rest of [actor + branch, ...ids]) {
    const names = tenant + conversation + rest
    // A code unit has at most three bytes: most keys need not be measured.
    const bytes = 3 * names.length > maxKeyBytes ? Buffer.byteLength(names) : 0
    if (bytes > maxKeyBytes)
      throw new TooLargeError('The names of a key together', bytes, maxKeyBytes)
  }
  return [conversationKey(thread), actor, branch]
}
