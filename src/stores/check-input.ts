import { InvalidOptionError, showValue } from '../log/error.ts'
import { isCount } from '../log/is-count.ts'
import type {
  CallStatus,
  DescribeConversation,
  EntryRange,
  ListConversations,
  Mark,
  NewEntry,
  StoredCall,
  ThreadKey,
} from './store.ts'
import { InvalidTextError, TooLargeError } from './store-error.ts'

export const defaultMaxEntryBytes = 8 * 1024 * 1024
const maxNameBytes = 1_024
const maxMetadataBytes = 64 * 1024
const callStatuses: readonly string[] = ['sent', 'completed', 'failed', 'cancelled'] satisfies CallStatus[]

/**
 * A tenant may be empty: the only one. Other names may not: an empty name is mostly a variable that was never set, and
 * the conversations of everybody would share it.
 */
export function checkThread(thread: ThreadKey): void {
  checkName('tenant', thread.tenant)
  for (const what of ['conversation', 'actor', 'branch'] as const) {
    const name = thread[what]
    if (typeof name !== 'string' || name === '')
      throw new InvalidOptionError(what, `expected a name, a text that is not empty, got ${showValue(name)}`)
    checkName(what, name)
  }
}

/** Checks a name that may be empty: a tenant, an id, an owner, a key. */
export function checkName(what: string, name: string): void {
  if (typeof name !== 'string') throw new InvalidOptionError(what, `expected a text, got ${showValue(name)}`)
  if (!isFine(name, maxNameBytes)) refuseText(`The ${what}`, name, maxNameBytes)
}

export function checkNames(names: Readonly<Record<string, string | undefined>>): void {
  for (const [what, name] of Object.entries(names)) if (name !== undefined) checkName(what, name)
}

/** A description as stored: null removes a value, undefined leaves it. */
export function toDescription({ title, metadata }: DescribeConversation): {
  readonly title: string | null | undefined
  readonly metadata: string | null | undefined
} {
  if (title != null && typeof title !== 'string')
    throw new InvalidOptionError('title', `expected a text or null, got ${showValue(title)}`)
  checkNames({ title: title ?? undefined })
  return { title, metadata: metadata == null ? (metadata as null | undefined) : toMetadata(metadata) }
}

function toMetadata(metadata: unknown): string {
  const refused = (problem: string) => new InvalidOptionError('metadata', problem)
  let text: string | undefined
  try {
    text = JSON.stringify(metadata)
  } catch {
    throw refused('it cannot be written as JSON')
  }
  // JSON.stringify turns NaN and Infinity into null.
  if (text === undefined || text === 'null')
    throw refused(`expected a JSON value, got ${showValue(metadata)}`)
  if (!isFine(text, maxMetadataBytes)) refuseText('The metadata', text, maxMetadataBytes)
  return text
}

/** Refuses a limit such as NaN, which each store would take for something else: nothing, everything, an error. */
export function checkLimit(limit: number | undefined): void {
  checkWhole('limit', limit, 0)
}

/** Checks a range of entries: any whole numbers, also beyond what is there. */
export function checkRange({ from, to, limit }: EntryRange): void {
  checkWhole('from', from, Number.MIN_SAFE_INTEGER)
  checkWhole('to', to, Number.MIN_SAFE_INTEGER)
  checkLimit(limit)
}

function checkWhole(option: string, value: number | undefined, least: number): void {
  if (value === undefined || isCount(value, least)) return
  const wanted = least === 0 ? 'a whole number from 0 on' : 'a whole number'
  throw new InvalidOptionError(option, `expected ${wanted}, got ${showValue(value)}`)
}

export function checkPage({ only, after, order = 'recent', limit }: ListConversations): void {
  checkLimit(limit)
  checkNames({ conversation: only })
  if (order !== 'recent' && order !== 'name')
    throw new InvalidOptionError('order', `${showValue(order)} is neither "recent" nor "name"`)
  if (!after) return
  checkName('conversation', after.conversation)
  checkTime('after', after.updatedAt)
}

/** Checks a call before it is kept. */
export function checkCall({ id, model, plan, status, error }: StoredCall, maxBytes: number): void {
  checkNames({ 'id of the call': id, model, error })
  if (!callStatuses.includes(status))
    throw new InvalidOptionError('status', `"${status}" is none of ${callStatuses.join(', ')}`)
  if (!isFine(plan, maxBytes)) refuseText('The plan of a call', plan, maxBytes)
}

export function checkMarks(marks: readonly Mark[]): void {
  for (const { mark, at } of marks) {
    checkName('mark', mark)
    checkWhole('at', at, 0)
  }
}

/** Checks entries before they are appended: ids, payloads, their size. */
export function checkEntries(entries: readonly NewEntry[], maxEntryBytes: number): void {
  for (const { id, payload } of entries) {
    checkName('id of an entry', id)
    if (typeof payload !== 'string')
      throw new InvalidOptionError('entries', `the payload of ${showValue(id)} must be JSON text`)
    if (!isFine(payload, maxEntryBytes)) refuseText(`The entry "${id}"`, payload, maxEntryBytes)
  }
}

/** Refuses a time such as NaN: nothing is before it, so every conversation would seem unused. */
export function checkTime(option: string, time: number): void {
  if (!Number.isFinite(time)) throw new InvalidOptionError(option, `${time} is not a time in milliseconds`)
}

/** Whether a text is short enough, and has no NUL or lone surrogates: some drivers cut or replace them, and two names could become one. */
function isFine(text: string, maxBytes: number): boolean {
  return bytesOf(text, maxBytes) <= maxBytes && text.isWellFormed() && !text.includes('\0')
}

function refuseText(what: string, text: string, maxBytes: number): never {
  const bytes = bytesOf(text, maxBytes)
  throw bytes > maxBytes ? new TooLargeError(what, bytes, maxBytes) : new InvalidTextError(what)
}

/** A code unit has at most three bytes: most texts need not be measured. */
const bytesOf = (text: string, maxBytes: number) =>
  text.length * 3 > maxBytes ? new TextEncoder().encode(text).length : 0
