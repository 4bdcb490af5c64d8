import { ThroughlineError } from '../../log/error.ts'
import { memoryStore } from '../../stores/memory/memory-store.ts'
import type {
  ConversationDescription,
  Store,
  StoredCall,
  StoredEntry,
  StoredTurn,
} from '../../stores/store.ts'
import { StoreError } from '../../stores/store-error.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import { lastPlaceOf, readPlan } from '../calls/plan.ts'
import { recountEntry } from '../log/logged-message.ts'
import type { LogSource } from '../log/read-log.ts'
import { fromJson, parseRecord, type TransferRecord } from './record.ts'

export interface ImportOptions {
  /** The new name of the conversation. Default: its name in the export. */
  readonly as?: string
}

/** What an import held. Importing the same lines again changes nothing. */
export interface Imported {
  readonly conversations: readonly string[]
  readonly entries: number
  readonly calls: number
}

/** A line that cannot be imported. `line` is its number, from 1. */
export class InvalidImportError extends ThroughlineError {
  readonly line: number

  constructor(line: number, problem: string, options?: ErrorOptions) {
    super('invalid_import', `Line ${line} of the import: ${problem}`, options)
    this.line = line
  }
}

/** Entries are written in stretches of about this many, each up to the end of a turn. */
const mostEntries = 256

/**
 * Imports the lines of an export, of any number of conversations. Each is read to its end and tried on a store in memory
 * before it is written. `count` counts the entries: the counts of an export are not trusted.
 */
export async function importLines(
  { store, tenant, count }: Omit<LogSource, 'key'> & { readonly tenant: string },
  lines: AsyncIterable<string> | Iterable<string>,
  { as }: ImportOptions = {},
): Promise<Imported> {
  const conversations: string[] = []
  let [line, entries, calls] = [0, 0, 0]
  let read: ReadConversation | undefined

  async function take(record: TransferRecord): Promise<void> {
    if (record.kind === 'conversation') {
      if (read) throw new Error('the conversation before it has no end: lines are missing.')
      if (record.throughline !== 1)
        throw new Error(`it is of version ${record.throughline}: update throughline.`)
      if (as !== undefined && conversations.length > 0)
        throw new Error('a second conversation cannot get the same name: import without `as`.')
      read = { name: record.conversation, description: record, entries: 0, threads: [] }
      return
    }
    if (!read) throw new Error('a line of the kind "conversation" must come before it.')
    if (record.kind === 'end') {
      if (record.conversation !== read.name)
        throw new Error('it ends another conversation than the one that has begun.')
      if (record.entries !== read.entries) {
        const came = `${read.entries} entries came of the ${record.entries} that were exported`
        throw new Error(`${came}: lines are missing.`)
      }
      const conversation = as ?? read.name
      const trial = memoryStore({ maxEntryBytes: Number.POSITIVE_INFINITY })
      for (const target of [trial, store]) await writeConversation(target, { tenant, conversation }, read)
      conversations.push(conversation)
      entries += read.entries
      calls += read.threads.reduce((sum, thread) => sum + thread.calls.size, 0)
      read = undefined
      return
    }
    if (record.kind === 'thread') {
      const { kind: _, ...thread } = record
      if (read.threads.some(({ actor, branch }) => actor === record.actor && branch === record.branch))
        throw new Error('its thread came before: lines are doubled.')
      read.threads.push({ ...thread, line, stretches: [newStretch(line)], calls: new Map() })
      return
    }
    const thread = read.threads.at(-1)
    if (!thread) throw new Error('a line of the kind "thread" must come before it.')
    if (record.kind === 'entry') read.entries += 1
    addTo(thread, record, line, count)
  }

  for await (const text of lines) {
    line += 1
    if (text.trim() !== '') await atLine(line, () => take(parseRecord(text)))
  }
  if (read)
    throw new InvalidImportError(line, 'the export ends early: nothing of its last conversation is stored.')
  return { conversations, entries, calls }
}

interface ReadConversation {
  readonly name: string
  readonly description: ConversationDescription
  entries: number
  readonly threads: ReadThread[]
}

interface ReadThread extends Omit<Extract<TransferRecord, { kind: 'thread' }>, 'kind'> {
  readonly line: number
  readonly stretches: Stretch[]
  /** Calls by id, each with the last entry that its plan names. */
  readonly calls: Map<string, { readonly line: number; readonly call: StoredCall; readonly last: number }>
}

/** What is written in one step, and the line where it begins. */
interface Stretch {
  readonly line: number
  readonly entries: StoredEntry[]
  readonly turns: StoredTurn[]
}

const newStretch = (line: number): Stretch => ({ line, entries: [], turns: [] })

function addTo(
  thread: ReadThread,
  record: Extract<TransferRecord, { kind: 'turn' | 'entry' | 'call' }>,
  line: number,
  count: TokenCounter,
): void {
  const { stretches, calls } = thread
  if (record.kind === 'call') {
    if (calls.has(record.id)) throw new Error('a call with its id came before.')
    const { kind: _, ...call } = record
    const plan = fromJson(call.plan)
    calls.set(call.id, { line, call: { ...call, plan }, last: lastPlaceOf(readPlan(plan)) })
    return
  }
  if (calls.size > 0) throw new Error('it must come before the calls of its thread.')
  let stretch = stretches.at(-1)!
  // A stretch may end between two turns, not inside a turn.
  const isParted = record.kind === 'turn' || (stretch.turns.at(-1)?.last ?? 0) < record.seq
  if (isParted && stretch.entries.length >= mostEntries) {
    stretch = newStretch(line)
    stretches.push(stretch)
  }
  if (record.kind === 'turn') {
    const { kind: _, ...turn } = record
    stretch.turns.push(turn)
  } else {
    const { seq, turn, id, role, time, payload } = record
    stretch.entries.push(recountEntry({ seq, turn, id, role, time, payload: fromJson(payload) }, count))
  }
}

async function writeConversation(
  store: Store,
  at: { readonly tenant: string; readonly conversation: string },
  { threads, description: { title, metadata } }: ReadConversation,
): Promise<void> {
  for (const { actor, branch, forkOf, stretches, calls } of threads) {
    const key = { ...at, actor, branch }
    let head = 0
    for (const [n, { line, entries, turns }] of stretches.entries()) {
      const stretch = { entries, turns, ...(n === 0 && forkOf ? { forkOf } : {}) }
      head = (await atLine(line, () => store.restore(key, stretch))).head
    }
    for (const { line, call, last } of calls.values()) {
      await atLine(line, () => {
        if (last <= head) return store.saveCall(key, call)
        throw new Error(`its plan names entry ${last}, but its thread ends at ${head}.`)
      })
    }
  }
  if (title !== undefined || metadata !== undefined)
    await store.describeConversation(at.tenant, at.conversation, { title, metadata })
}

/** Adds the line to an error about its contents. */
async function atLine<T>(line: number, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof InvalidImportError || error instanceof StoreError) throw error
    const problem = error instanceof RangeError ? 'it is nested too deeply.' : (error as Error).message
    throw new InvalidImportError(line, problem, { cause: error })
  }
}
