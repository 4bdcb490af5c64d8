import { ThroughlineError } from '../../log/error.ts'
import { cut } from '../../log/line.ts'
import type { StoredCall, StoredEntry, StoredTurn } from '../../stores/store.ts'

/** JSON text as a value, so that people can read it; as text where that would not give the same bytes again. */
export type Json = { readonly value: unknown } | { readonly text: string }

/** A line of an export. A conversation, then each of its threads: turns before their entries, then the calls. */
export type TransferRecord =
  | {
      readonly kind: 'conversation'
      readonly throughline: 1
      readonly conversation: string
      readonly title?: string | undefined
      readonly metadata?: unknown
    }
  | {
      readonly kind: 'thread'
      readonly actor: string
      readonly branch: string
      readonly forkOf?: { readonly branch: string; readonly at: number }
    }
  | ({ readonly kind: 'turn' } & StoredTurn)
  /** Its tokens are counted where it arrives. */
  | ({ readonly kind: 'entry'; readonly payload: Json } & Omit<StoredEntry, 'payload' | 'tokens'>)
  | ({ readonly kind: 'call'; readonly plan: Json } & Omit<StoredCall, 'plan'>)
  /** Without it the export is not whole. */
  | { readonly kind: 'end'; readonly conversation: string; readonly entries: number }

/** A line that cannot be taken. `line` is its number, from 1. */
export class InvalidImportError extends ThroughlineError {
  readonly line: number

  constructor(line: number, problem: string, options?: ErrorOptions) {
    super('invalid_import', `Line ${line} of the import: ${problem}`, options)
    this.line = line
  }
}

export function toJson(text: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    if (JSON.stringify(value) === text) return { value }
  } catch {
    // Not JSON: it travels as it is.
  }
  return { text }
}

/** Throws a RangeError for a value that is nested too deeply to be written. */
export function fromJson(json: Json): string {
  return 'text' in json ? json.text : JSON.stringify(json.value)
}

const isText = (value: unknown) => typeof value === 'string'
const isNumber = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
/** Places and turns: what every store can count. */
const isPlace = (value: unknown) => isNumber(value) && (value as number) < 2 ** 31
/** What a `Date` can hold. */
const isTime = (value: unknown) => Number.isSafeInteger(value) && Math.abs(value as number) <= 8.64e15
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
const isJson = (value: unknown) => isObject(value) && isOneOf(value as object, 'value', 'text')
function isFork(value: unknown): boolean {
  if (!isObject(value) || Object.keys(value as Fork).length !== 2) return false
  return isText((value as Fork).branch) && isPlace((value as Fork).at)
}

type Fork = Readonly<Record<'branch' | 'at', unknown>>

/** Exactly one field, by the one name or the other; a text is one. */
function isOneOf(value: object, first: string, second: string): boolean {
  const [name, ...others] = Object.keys(value)
  if (others.length > 0) return false
  return name === first || (name === second && isText((value as Record<string, unknown>)[second]))
}

/** What a field must be. One that may be absent has a name with a question mark. */
type Fields = Readonly<Record<string, (value: unknown) => boolean>>

const fieldsOf: Readonly<Record<TransferRecord['kind'], Fields>> = {
  conversation: {
    throughline: isNumber,
    conversation: isText,
    'title?': isText,
    'metadata?': value => value !== null,
  },
  thread: { actor: isText, branch: isText, 'forkOf?': isFork },
  turn: {
    ...{ turn: isPlace, status: isText, first: isPlace, last: isPlace, startedAt: isTime },
    ...{ 'endedAt?': isTime, 'error?': isText, 'key?': isText, 'body?': isText },
  },
  entry: {
    ...{ seq: isPlace, id: isText, turn: isPlace, role: isText, time: isTime, payload: isJson },
    // Older exports have them. A count from outside is not believed.
    'tokens?': () => true,
  },
  call: {
    ...{ id: isText, turn: isPlace, time: isTime, model: isText, plan: isJson, predicted: isNumber },
    ...{ 'reported?': isNumber, status: isText, 'error?': isText },
  },
  end: { conversation: isText, entries: isPlace },
}

/** Reads a line: it has all the fields of its kind, of their kinds, and no others. */
export function parseRecord(text: string, line: number): TransferRecord {
  const record = parseJson(text, line)
  const { kind, ...fields } = isObject(record) ? (record as Readonly<Record<string, unknown>>) : {}
  if (!isText(kind) || !Object.hasOwn(fieldsOf, kind as string))
    throw new InvalidImportError(line, `its kind is ${shown(kind)}, which nobody knows.`)
  const known = fieldsOf[kind as TransferRecord['kind']]
  for (const [name, isRight] of Object.entries(known)) {
    const field = name.replace('?', '')
    const isMissing = !Object.hasOwn(fields, field)
    if (isMissing && field !== name) continue
    if (isMissing || !isRight(fields[field]))
      throw new InvalidImportError(line, `its "${field}" is ${shown(fields[field])}, which it cannot be.`)
  }
  const other = Object.keys(fields).find(
    name => !Object.hasOwn(known, name) && !Object.hasOwn(known, `${name}?`),
  )
  if (other !== undefined)
    throw new InvalidImportError(line, `it has a field ${shown(other)}, which nobody knows.`)
  return record as TransferRecord
}

function parseJson(text: string, line: number): unknown {
  try {
    return JSON.parse(text, huge.test(text) ? refuseInfinite : undefined)
  } catch (error) {
    if (error instanceof RangeError)
      throw new InvalidImportError(line, 'it has a number that is too large.', { cause: error })
    throw new InvalidImportError(line, 'it is no JSON. Is the file cut off, or changed by an editor?', {
      cause: error,
    })
  }
}

/** Only such numbers can be too large; they are rare, and looking at every value takes time. */
const huge = /\d[eE]\+?\d{3}|\d{309}/

/** `1e400` is read as infinite, and would be written as `null`. */
function refuseInfinite(_: string, value: unknown): unknown {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
    throw new RangeError('infinite')
  return value
}

/** A value of the import, for a message: short, and on one line. */
function shown(value: unknown): string {
  return typeof value === 'object' && value !== null
    ? Array.isArray(value)
      ? 'a list'
      : 'an object'
    : cut(JSON.stringify(value) ?? 'missing', 60)
}
