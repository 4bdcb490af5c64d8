import { InvalidOptionError, showValue } from '@throughline/core/errors'
import { roles } from '@throughline/core/messages'
import { isCount } from '@throughline/core/values'
import type { DescribeConversation, EntryRange, ListConversations } from './store.ts'
import { InvalidTextError, TooLargeError } from './store-error.ts'
import type { Mark, NewEntry, StoredCall, ThreadKey } from './stored.ts'
import { callStatuses, endStatuses } from './stored.ts'

export const defaultMaxEntryBytes = 8 * 1024 * 1024
const maxNameBytes = 1_024
const maxMetadataBytes = 64 * 1024
/** The largest place that every store can keep. */
export const maxPlace = 2 ** 31 - 2
export const turnStatuses: readonly string[] = ['open', ...endStatuses]

/** Only a tenant may be empty: any other empty name is mostly a variable that was never set. */
export function checkThread(thread: ThreadKey): void {
  checkName('tenant', thread.tenant)
  for (const what of ['conversation', 'actor', 'branch'] as const) {
    const name = thread[what]
    if (typeof name !== 'string' || name === '')
      throw new InvalidOptionError(
        what,
        `expected a name, a text that is not empty, got ${showValue(name)}`,
      )
    checkName(what, name)
  }
}

/** Checks a name that may be empty: a tenant, an id, an owner, a key. */
export function checkName(what: string, name: string): void {
  if (typeof name !== 'string')
    throw new InvalidOptionError(what, `expected a text, got ${showValue(name)}`)
  if (!isFine(name, maxNameBytes)) refuseText(`The ${what}`, name, maxNameBytes)
}

export function checkNames(names: Readonly<Record<string, string | undefined>>): void {
  for (const [what, name] of Object.entries(names)) if (name !== undefined) checkName(what, name)
}

/** A description as stored: null removes a value, undefined leaves it. */
export function toDescription({ title, metadata, person }: DescribeConversation) {
  for (const [name, text] of Object.entries({ title, person }))
    if (text != null && typeof text !== 'string')
      throw new InvalidOptionError(name, `expected a text or null, got ${showValue(text)}`)
  checkNames({ title: title ?? undefined })
  if (person != null) checkPerson(person)
  return {
    title,
    person,
    metadata: metadata == null ? (metadata as null | undefined) : toMetadata(metadata),
  }
}

/** An empty name is mostly a variable that was never set, and would make one person of many. */
export function checkPerson(person: string): void {
  if (person === '') throw new InvalidOptionError('person', 'expected a name that is not empty')
  checkName('person', person)
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

export function checkPage({
  only,
  person,
  after,
  order = 'recent',
  limit,
  unusedSince,
}: ListConversations): void {
  checkLimit(limit)
  if (unusedSince !== undefined) checkTime('unusedSince', unusedSince)
  checkNames({ conversation: only })
  if (person !== undefined) checkPerson(person)
  if (order !== 'recent' && order !== 'name')
    throw new InvalidOptionError('order', `${showValue(order)} is neither "recent" nor "name"`)
  if (!after) return
  checkName('conversation', after.conversation)
  checkTime('after', after.updatedAt)
}

/** Checks a place in the log, or another number that counts from 0: the number of a turn, the epoch of a lease. */
export function checkPlace(option: string, place: number | undefined): void {
  checkWhole(option, place, 0)
  if (place !== undefined && place > maxPlace)
    throw new InvalidOptionError(option, `expected at most ${maxPlace}, got ${place}`)
}

export function checkLeaseMs(leaseMs: number): void {
  checkNumber('leaseMs', leaseMs)
  if (leaseMs < 0)
    throw new InvalidOptionError('leaseMs', `expected a time from 0 on, got ${leaseMs}`)
}

function checkNumber(option: string, value: number): void {
  if (!Number.isFinite(value))
    throw new InvalidOptionError(option, `expected a number, got ${showValue(value)}`)
}

export function checkEndStatus(status: string): void {
  if (!(endStatuses as readonly string[]).includes(status))
    throw new InvalidOptionError(
      'status',
      `${showValue(status)} is none of ${endStatuses.join(', ')}`,
    )
}

export function checkCall(call: StoredCall, maxBytes: number): void {
  const { id, model, plan, status, error, turn, time, predicted, reported = 0 } = call
  checkNames({ 'id of the call': id, model, error })
  checkPlace('turn', turn)
  for (const [option, value] of Object.entries({ time, predicted, reported }))
    checkNumber(option, value)
  if (!callStatuses.includes(status))
    throw new InvalidOptionError('status', `"${status}" is none of ${callStatuses.join(', ')}`)
  if (!isFine(plan, maxBytes)) refuseText('The plan of a call', plan, maxBytes)
}

export function checkMarks(marks: readonly Mark[]): void {
  for (const { mark, at } of marks) {
    checkName('mark', mark)
    checkPlace('at', at)
  }
}

export function checkEntries(entries: readonly NewEntry[], maxEntryBytes: number): void {
  const refuse = (problem: string) => {
    throw new InvalidOptionError('entries', problem)
  }
  for (const { id, role, time, tokens, payload } of entries) {
    checkName('id of an entry', id)
    if (!(roles as readonly string[]).includes(role))
      refuse(
        `${showValue(id)} has the unknown role ${showValue(role)}: use one of ${roles.join(', ')}`,
      )
    if (!Number.isSafeInteger(time))
      refuse(`${showValue(id)} has the time ${showValue(time)}: expected milliseconds`)
    if (!Object.values(tokens).every(count => Number.isFinite(count)))
      refuse(`the token counts of ${showValue(id)} are not all numbers`)
    if (typeof payload !== 'string') refuse(`the payload of ${showValue(id)} must be JSON text`)
    if (!isFine(payload, maxEntryBytes)) refuseText(`The entry "${id}"`, payload, maxEntryBytes)
  }
}

/** Refuses a time such as NaN: nothing is before it, so every conversation would seem unused. */
export function checkTime(option: string, time: number): void {
  if (!Number.isFinite(time))
    throw new InvalidOptionError(option, `${time} is not a time in milliseconds`)
}

/** Whether a text is short enough, without NUL and lone surrogates: drivers that cut or replace them could make two names one. */
const isFine = (text: string, maxBytes: number): boolean =>
  bytesOf(text, maxBytes) <= maxBytes && text.isWellFormed() && !text.includes('\0')

function refuseText(what: string, text: string, maxBytes: number): never {
  const bytes = bytesOf(text, maxBytes)
  throw bytes > maxBytes ? new TooLargeError(what, bytes, maxBytes) : new InvalidTextError(what)
}

/** A code unit has at most three bytes: most texts need not be measured. */
const bytesOf = (text: string, maxBytes: number) =>
  text.length * 3 > maxBytes ? new TextEncoder().encode(text).length : 0
