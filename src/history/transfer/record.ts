import { ThroughlineError } from '../../log/error.ts'
import { cut } from '../../log/line.ts'
import type { StoredCall, StoredEntry, StoredTurn } from '../../stores/store.ts'

/** JSON as a value, so that people can read it; as text if the value would not give the same bytes again. */
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
  /** An entry has no token count: the import counts. */
  | ({ readonly kind: 'entry'; readonly payload: Json } & Omit<StoredEntry, 'payload' | 'tokens'>)
  | ({ readonly kind: 'call'; readonly plan: Json } & Omit<StoredCall, 'plan'>)
  /** The last line of a conversation: without it the export is incomplete. */
  | { readonly kind: 'end'; readonly conversation: string; readonly entries: number }

/** A line that cannot be imported. `line` is its number, from 1. */
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
    // Not JSON: exported as text.
  }
  return { text }
}

/** Throws a RangeError for a value that is nested too deeply to be written. */
export function fromJson(json: Json): string {
  return 'text' in json ? json.text : JSON.stringify(json.value)
}

const isText = (value: unknown) => typeof value === 'string'
const isNumber = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
/** Places and numbers of turns: the range that every store takes. */
const isPlace = (value: unknown) => isNumber(value) && (value as number) < 2 ** 31
/** The range of a `Date`. */
const isTime = (value: unknown) => Number.isSafeInteger(value) && Math.abs(value as number) <= 8.64e15
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
const isJson = (value: unknown) => isObject(value) && isOneOf(value as object, 'value', 'text')
function isFork(value: unknown): boolean {
  if (!isObject(value) || Object.keys(value as Fork).length !== 2) return false
  return isText((value as Fork).branch) && isPlace((value as Fork).at)
}

type Fork = Readonly<Record<'branch' | 'at', unknown>>

/** Whether there is exactly one field: `first`, or `second` with a text. */
function isOneOf(value: object, first: string, second: string): boolean {
  const [name, ...others] = Object.keys(value)
  if (others.length > 0) return false
  return name === first || (name === second && isText((value as Record<string, unknown>)[second]))
}

/** A check for each field. A question mark after the name: the field may be absent. */
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
    // Older exports have token counts, which are ignored.
    'tokens?': () => true,
  },
  call: {
    ...{ id: isText, turn: isPlace, time: isTime, model: isText, plan: isJson, predicted: isNumber },
    ...{ 'reported?': isNumber, status: isText, 'error?': isText },
  },
  end: { conversation: isText, entries: isPlace },
}

/** Reads a line. Refuses missing, wrong and unknown fields. */
export function parseRecord(text: string, line: number): TransferRecord {
  const record = parseJson(text, line)
  const { kind, ...fields } = isObject(record) ? (record as Readonly<Record<string, unknown>>) : {}
  if (!isText(kind) || !Object.hasOwn(fieldsOf, kind as string))
    throw new InvalidImportError(line, `its "kind" is ${shown(kind)}: it is no line of an export.`)
  const known = fieldsOf[kind as TransferRecord['kind']]
  for (const [name, isRight] of Object.entries(known)) {
    const field = name.replace('?', '')
    const isMissing = !Object.hasOwn(fields, field)
    if (isMissing && field !== name) continue
    if (isMissing || !isRight(fields[field]))
      throw new InvalidImportError(line, `its "${field}" cannot be ${shown(fields[field])}.`)
  }
  const other = Object.keys(fields).find(
    name => !Object.hasOwn(known, name) && !Object.hasOwn(known, `${name}?`),
  )
  if (other !== undefined)
    throw new InvalidImportError(line, `it has an unknown field ${shown(other)}: export it again.`)
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

/** Finds texts that may hold an infinite number: looking at every value of every line would take long. */
const huge = /\d[eE]\+?\d{3}|\d{309}/

/** `1e400` would be read as infinite, and written as `null`. */
function refuseInfinite(_: string, value: unknown): unknown {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
    throw new RangeError('infinite')
  return value
}

/** A value of the import as error messages show it: short, on one line. */
function shown(value: unknown): string {
  return typeof value === 'object' && value !== null
    ? Array.isArray(value)
      ? 'a list'
      : 'an object'
    : cut(JSON.stringify(value) ?? 'missing', 60)
}
