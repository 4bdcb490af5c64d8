import { showValue } from '../../log/error.ts'
import { isCount } from '../../log/is-count.ts'
import { isObject } from '../../log/parse-json.ts'
import type {
  ConversationDescription,
  Head,
  StoredCall,
  StoredEntry,
  StoredTurn,
  ThreadKey,
} from '../../stores/store.ts'
import { noJson } from './import-error.ts'

/** JSON as a value, so that people can read it; as text if the value would not give the same bytes again. */
export type JsonValue = { readonly value: unknown } | { readonly text: string }

/** A line of an export. A conversation, then each of its threads: turns before their entries, then the calls. */
export type TransferRecord =
  | ({
      readonly kind: 'conversation'
      readonly throughline: 1
      readonly conversation: string
    } & ConversationDescription)
  | ({ readonly kind: 'thread' } & Pick<ThreadKey, 'actor' | 'branch'> & Pick<Head, 'forkOf'>)
  | ({ readonly kind: 'turn' } & StoredTurn)
  /** An entry has no token count: the import counts. */
  | ({ readonly kind: 'entry'; readonly payload: JsonValue } & Omit<StoredEntry, 'payload' | 'tokens'>)
  | ({ readonly kind: 'call'; readonly plan: JsonValue } & Omit<StoredCall, 'plan'>)
  /** The last line of a conversation: without it the export is incomplete. */
  | { readonly kind: 'end'; readonly conversation: string; readonly entries: number }

export function toJson(text: string): JsonValue {
  try {
    const value: unknown = JSON.parse(text)
    if (JSON.stringify(value) === text) return { value }
  } catch {
    // Not JSON: exported as text.
  }
  return { text }
}

/** Throws a RangeError for a value that is nested too deeply to be written. */
export const fromJson = (json: JsonValue): string => ('text' in json ? json.text : JSON.stringify(json.value))

const isText = (value: unknown) => typeof value === 'string'
/** Places and numbers of turns: the range that every store takes. */
const isPlace = (value: unknown) => isCount(value) && value < 2 ** 31
/** The range of a `Date`. */
const isTime = (value: unknown) => Number.isSafeInteger(value) && Math.abs(value as number) <= 8.64e15
/** The fields of an object, if it has exactly this many. */
const fieldsIn = (value: unknown, many: number): Readonly<Record<string, unknown>> =>
  isObject(value) && Object.keys(value).length === many ? value : {}
const isJson = (value: unknown) =>
  Object.hasOwn(fieldsIn(value, 1), 'value') || isText(fieldsIn(value, 1).text)
const isFork = (value: unknown) => isText(fieldsIn(value, 2).branch) && isPlace(fieldsIn(value, 2).at)

/** A check for each field. A question mark after the name: the field may be absent. */
type FieldChecks = Readonly<Record<string, (value: unknown) => boolean>>

const fieldsOf: Readonly<Record<TransferRecord['kind'], FieldChecks>> = {
  conversation: {
    throughline: isCount,
    conversation: isText,
    'title?': isText,
    'metadata?': value => value !== null,
    'person?': isText,
  },
  thread: { actor: isText, branch: isText, 'forkOf?': isFork },
  turn: {
    ...{ turn: isPlace, status: isText, first: isPlace, last: isPlace, startedAt: isTime },
    ...{ 'endedAt?': isTime, 'error?': isText, 'key?': isText, 'body?': isText },
  },
  entry: { seq: isPlace, id: isText, turn: isPlace, role: isText, time: isTime, payload: isJson },
  call: {
    ...{ id: isText, turn: isPlace, time: isTime, model: isText, plan: isJson, predicted: isCount },
    ...{ 'reported?': isCount, status: isText, 'error?': isText },
  },
  end: { conversation: isText, entries: isPlace },
}

/** Reads a line. Throws the problem of one with missing, wrong or unknown fields; the import adds the number of the line. */
export function parseRecord(text: string): TransferRecord {
  const record = parseJson(text)
  const { kind, ...fields } = isObject(record) ? (record as Readonly<Record<string, unknown>>) : {}
  if (!isText(kind) || !Object.hasOwn(fieldsOf, kind as string))
    throw new Error(`its "kind" is ${shown(kind)}: it is no line of an export.`)
  const checks = fieldsOf[kind as TransferRecord['kind']]
  for (const [name, isRight] of Object.entries(checks)) {
    const field = name.replace('?', '')
    const isMissing = !Object.hasOwn(fields, field)
    if (isMissing && field !== name) continue
    if (isMissing || !isRight(fields[field]))
      throw new Error(`its "${field}" cannot be ${shown(fields[field])}.`)
  }
  const isKnown = (name: string) => Object.hasOwn(checks, name) || Object.hasOwn(checks, `${name}?`)
  const other = Object.keys(fields).find(name => !isKnown(name))
  if (other === undefined) return record as TransferRecord
  throw new Error(`it has an unknown field ${shown(other)}: export it again.`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, huge.test(text) ? refuseInfinite : undefined)
  } catch (error) {
    const isHuge = error instanceof RangeError
    throw new Error(isHuge ? 'it has a number that is too large.' : noJson, { cause: error })
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

const shown = (value: unknown) => (value === undefined ? 'missing' : showValue(value))
