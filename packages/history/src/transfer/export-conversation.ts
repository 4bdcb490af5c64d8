import { showValue, ThroughlineError } from '@throughline/core/errors'
import { attempt, few, isCount, isObject, parseJson, plural } from '@throughline/core/values'
import { CorruptEntryError } from '@throughline/stores/errors'
import type {
  ConversationDescription,
  ConversationInfo,
  ConversationKey,
  Head,
  Store,
  StoredCall,
  StoredEntry,
  StoredTurn,
  ThreadKey,
} from '@throughline/stores/store'
import { lastPlaceOf } from '../calls/plan.ts'
import { readPlan } from '../calls/read-plan.ts'
import { noJson } from './import-error.ts'

/** Conversations that cannot be read, and are missing in an export of all. Thrown after the last of the others. */
export class ExportError extends ThroughlineError {
  /** The names of the conversations that are missing. */
  readonly conversations: readonly string[]

  /** The message names the first 20. */
  constructor(conversations: readonly string[]) {
    const names = few(conversations.map(showValue), 20)
    const problem = `${plural(conversations.length, 'conversation')} cannot be read and are not exported`
    super('corrupt_entry', `${problem}, the others are: ${names}. Run "throughline log check".`)
    this.conversations = conversations
  }
}

/** A conversation as lines of JSON. Only the turns and the calls of one thread are in memory at a time. */
export async function* exportConversation(
  store: Store,
  tenant: string,
  { conversation, threads, title, metadata, person }: ConversationInfo,
): AsyncGenerator<string> {
  const toLine = (record: TransferRecord) => JSON.stringify(record)
  yield toLine({ kind: 'conversation', throughline: 1, conversation, title, metadata, person })
  let entries = 0
  for (const thread of await parentsFirst(store, { tenant, conversation }, threads)) {
    const { actor, branch } = thread.key
    yield toLine({ kind: 'thread', actor, branch, forkOf: thread.forkOf })
    for await (const record of threadRecords(store, thread)) {
      if (record.kind === 'entry') entries += 1
      yield toLine(record)
    }
  }
  yield toLine({ kind: 'end', conversation, entries })
}

/** Conversations one after the other. Those that cannot be read are told at the end. */
export async function* exportConversations(
  store: Store,
  tenant: string,
  conversations: AsyncIterable<ConversationInfo>,
): AsyncGenerator<string> {
  const unread: string[] = []
  for await (const info of conversations) {
    const lines: string[] = []
    try {
      // Whole before the first line is given: half of a conversation would spoil the export.
      for await (const line of exportConversation(store, tenant, info)) lines.push(line)
    } catch (error) {
      if (!(error instanceof CorruptEntryError)) throw error
      unread.push(info.conversation)
      continue
    }
    yield* lines
  }
  if (unread.length > 0) throw new ExportError(unread)
}

type ExportedThread = Head & { readonly key: ThreadKey }

async function* threadRecords(
  store: Store,
  { key, forkOf, head }: ExportedThread,
): AsyncGenerator<TransferRecord> {
  const first = (forkOf?.at ?? 0) + 1
  // Exports the thread as it is at this head; later writes belong to the next export.
  const turns = (await store.turns(key)).filter(turn => turn.first >= first && turn.first <= head)
  const calls = (await store.calls(key)).filter(({ plan }) => lastPlaceOf(readPlan(plan)) <= head)
  let next = 0
  for await (const { payload, tokens: _, ...entry } of store.entries(key, {
    from: first,
    to: head,
  })) {
    const turn = turns[next]
    if (turn?.first === entry.seq) {
      yield { kind: 'turn', ...asOf(head, turn) }
      next += 1
    }
    yield { kind: 'entry', ...entry, payload: toJson(payload) }
  }
  for (const { plan, ...call } of calls.toReversed())
    yield { kind: 'call', ...call, plan: toJson(plan) }
}

/** A turn as it was at the head: still open if it went on after it. */
function asOf(head: number, turn: StoredTurn): StoredTurn {
  if (turn.last <= head) return turn
  const { endedAt: _, error: __, ...began } = turn
  return { ...began, status: 'open', last: head }
}

/** Lists branches after those they were forked from, because an import must make the parent first. */
export async function parentsFirst(
  store: Store,
  key: ConversationKey,
  threads: ConversationInfo['threads'],
) {
  const waiting = new Map<string, ExportedThread>()
  const nameOf = (actor: string, branch: string) => JSON.stringify([actor, branch])
  for (const { actor, branch } of threads) {
    const thread = { ...key, actor, branch }
    const head = await store.head(thread)
    if (head) waiting.set(nameOf(actor, branch), { ...head, key: thread })
  }
  const ordered: ExportedThread[] = []
  function add(name: string): void {
    const thread = waiting.get(name)
    if (!thread) return
    waiting.delete(name)
    if (thread.forkOf) add(nameOf(thread.key.actor, thread.forkOf.branch))
    ordered.push(thread)
  }
  for (const name of [...waiting.keys()]) add(name)
  return ordered
}

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
  | ({ readonly kind: 'entry'; readonly payload: JsonValue } & Omit<
      StoredEntry,
      'payload' | 'tokens'
    >)
  | ({ readonly kind: 'call'; readonly plan: JsonValue } & Omit<StoredCall, 'plan'>)
  /** The last line of a conversation: without it the export is incomplete. */
  | { readonly kind: 'end'; readonly conversation: string; readonly entries: number }

export function toJson(text: string): JsonValue {
  const value = parseJson(text)
  return attempt(() => JSON.stringify(value) === text, false) ? { value } : { text }
}

/** Throws a RangeError for a value that is nested too deeply to be written. */
export const fromJson = (json: JsonValue): string =>
  'text' in json ? json.text : JSON.stringify(json.value)

const isText = (value: unknown) => typeof value === 'string'
/** Places and numbers of turns: the range that every store takes. */
const isPlace = (value: unknown) => isCount(value) && value < 2 ** 31
/** The range of a `Date`. */
const isTime = (value: unknown) =>
  Number.isSafeInteger(value) && Math.abs(value as number) <= 8.64e15
/** The fields of an object, if it has exactly this many. */
const fieldsIn = (value: unknown, many: number): Readonly<Record<string, unknown>> =>
  isObject(value) && Object.keys(value).length === many ? value : {}
const isJson = (value: unknown) =>
  Object.hasOwn(fieldsIn(value, 1), 'value') || isText(fieldsIn(value, 1).text)
const isFork = (value: unknown) =>
  isText(fieldsIn(value, 2).branch) && isPlace(fieldsIn(value, 2).at)

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
    turn: isPlace,
    status: isText,
    first: isPlace,
    last: isPlace,
    startedAt: isTime,
    'endedAt?': isTime,
    'error?': isText,
    'key?': isText,
    'body?': isText,
  },
  entry: { seq: isPlace, id: isText, turn: isPlace, role: isText, time: isTime, payload: isJson },
  call: {
    id: isText,
    turn: isPlace,
    time: isTime,
    model: isText,
    plan: isJson,
    predicted: isCount,
    'reported?': isCount,
    status: isText,
    'error?': isText,
  },
  end: { conversation: isText, entries: isPlace },
}

/** Reads a line. Throws the problem of one with missing, wrong or unknown fields; the import adds the number of the line. */
export function parseRecord(text: string): TransferRecord {
  const record = parseLine(text)
  const { kind, ...fields } = isObject(record) ? record : {}
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

function parseLine(text: string): unknown {
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
