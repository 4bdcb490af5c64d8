import type { TokenCounter } from '@throughline/core/counters'
import { InvalidMessageError } from '@throughline/core/errors'
import {
  adoptEntry,
  brokenOff,
  type Calibration,
  type Entry,
  isCalibration,
  isLayout,
  type Message,
  type MessageLike,
  markResult,
  type PromptLayout,
  parseMessage,
  readMessage,
  stampEntry,
  withTail,
} from '@throughline/core/messages'
import { freeze, isCount, isObject, toBase64 } from '@throughline/core/values'
import { CorruptEntryError, isErased } from '@throughline/stores/errors'
import type { NewEntry, StoredEntry, ThreadKey } from '@throughline/stores/store'
import { type Hand, isHands } from './hand-entry.ts'
import { isOverlay, type Overlay } from './overlay.ts'
import { createRests } from './rests.ts'

/** A message of the log with its place. */
export interface LoggedMessage
  extends Pick<StoredEntry, 'seq' | 'turn' | 'id' | 'time'>,
    Pick<
      SeenMessage,
      'message' | 'isError' | 'data' | 'isBroken' | 'quotes' | 'hands' | 'overlay' | 'repeats'
    > {
  /** What the library reads of the message, the same for every provider. */
  readonly reading: Message
  /** What contexts take in place of the message: only the beginning of a tool result of five megabytes, say. */
  readonly view: MessageLike
  /** Whether Throughline wrote it to close a turn: sent to the model, not shown to the user. */
  readonly isClosing: boolean
  /** How far our counts were from the provider's; holds for the entries that follow. */
  readonly calibration?: Calibration
  /** What was learned of the system prompt; holds from this entry on. */
  readonly learned?: PromptLayout
  /** Who spoke in the entry's turn, where that is not the person whose conversation it is. */
  readonly guest?: string
  /** Whether its text was erased: a mark stands in its place. */
  readonly isErased?: boolean
}

/** A message with what the log stores beside it. */
export interface SeenMessage {
  /** The message as it was said. */
  readonly message: MessageLike
  /** What contexts take in place of the message. */
  readonly view?: MessageLike
  /** How the turn ended that broke off in this message. Contexts put it after the text; users never see it. */
  readonly ending?: string
  /** For a tool message: whether the tool failed. Default: read from its text, `Error: …`. Never sent. */
  readonly isError?: boolean
  /** The application's own data, as JSON: stored in the same entry, never sent and never shown. */
  readonly data?: unknown
  /** Marks of the message, stored in the same step but not in the entry: `store.findMarks` finds its place by them. */
  readonly marks?: readonly string[]
  /** Whether it is what arrived of an answer that broke off. Shown until the turn is tried again, and never sent. */
  readonly isBroken?: boolean
  /** What the message brings back from other conversations, the best first. */
  readonly quotes?: readonly QuoteReference[]
  /** What a person has done with earlier messages: pinned them, hidden them. Holds from this entry on. */
  readonly hands?: readonly Hand[]
  /** How the list of the client that sent the message lies over the thread. Holds from this entry on. */
  readonly overlay?: Overlay | undefined
  /** The id of the message that it repeats, on the branch on which that was said first. */
  readonly repeats?: string
  /** Whether it repeats a message whose text was erased: a mark stands in its place. */
  readonly isErased?: boolean
}

export type TurnMessage = MessageLike | SeenMessage

interface Payload extends Omit<SeenMessage, 'marks' | 'isErased'> {
  readonly closing?: true
  readonly calibration?: Calibration
  readonly learned?: PromptLayout
  readonly guest?: string
  readonly erased?: true
}

export interface EntryOptions
  extends Pick<NewEntry, 'id' | 'time'>,
    Pick<Payload, 'calibration' | 'learned' | 'guest'> {
  readonly count: TokenCounter
  readonly isClosing?: boolean
}

/** Makes the entry of a message: checks and normalises it, and counts its tokens once and for all. */
export function toEntry(
  source: TurnMessage,
  { id, time, count, isClosing = false, calibration, learned, guest }: EntryOptions,
): NewEntry {
  const { marks: _, isErased, ...seen } = asSeen(source)
  // A mark begins with this.
  const mark = isErased && ({ erased: true } as const)
  const closing = isClosing || undefined
  const payload: Payload = { ...mark, ...seen, closing, calibration, learned, guest }
  const text = JSON.stringify(payload, toStorable)
  // Counted as it will be read back: a Date has become a text by then.
  const read = JSON.parse(text) as Payload
  const { role, tokens } = checkMessages(read, 0, count)
  return { id, role, time, payload: text, tokens: { [count.id]: tokens } }
}

/** Makes the entries of messages. There may be thousands, so others get their turn in between. */
export async function makeEntries(
  messages: readonly TurnMessage[],
  newEntry: (message: TurnMessage) => NewEntry,
) {
  const rest = createRests()
  const entries: NewEntry[] = []
  for (const message of messages) {
    const entry = newEntry(message)
    entries.push(entry)
    const pause = rest(entry.payload.length)
    if (pause) await pause
  }
  return entries
}

/** Reads an entry back. Throws `CorruptEntryError` with its place if the payload cannot be read. */
export function fromEntry(entry: StoredEntry, thread: string, count: TokenCounter): LoggedMessage {
  const { seq, turn, id, time, role, payload, tokens } = entry
  try {
    const read = readPayload(payload)
    const {
      closing,
      calibration,
      learned,
      quotes,
      guest,
      hands,
      overlay,
      data,
      isBroken,
      repeats,
    } = read
    // A result that closes a turn stands for a tool that gave none.
    const { isError = closing && role === 'tool' ? true : undefined } = read
    const message = withTime(read.message, time)
    if (isError !== undefined) markResult(message, isError)
    const seen = viewOf(read)
    const view = seen === read.message ? message : withTime(seen, time)
    const counted = tokens[count.id]
    // An impossible count is made again.
    const stamped = isCount(counted)
      ? adoptEntry(view, seq, count.id, counted)
      : stampEntry(view, seq, count)
    const reading = view === message ? stamped.original : readMessage(message, seq)
    const entryFacts = { seq, turn, id, time, isClosing: closing === true, isBroken, isError }
    const beside = { data, calibration, learned, quotes, guest, hands, overlay, repeats }
    return {
      ...entryFacts,
      message,
      reading,
      view,
      ...beside,
      isErased: isErased(entry) || undefined,
    }
  } catch (error) {
    throw new CorruptEntryError(
      thread,
      seq,
      error instanceof Error ? error.message : String(error),
      {
        cause: error,
      },
    )
  }
}

/** What was read of the entries that are kept in memory, and by which counter. */
const kept = new WeakMap<
  StoredEntry,
  { readonly counter: string; readonly logged: LoggedMessage } | null
>()

/** A copy of an entry to be given out more than once. It is frozen. */
export function keptEntry(entry: StoredEntry): StoredEntry {
  const copy = Object.freeze({ ...entry, tokens: Object.freeze({ ...entry.tokens }) })
  kept.set(copy, null)
  return copy
}

/** Reads an entry back. Of a kept one the message is the same object each time, and frozen. */
export function readEntry(entry: StoredEntry, thread: string, count: TokenCounter): LoggedMessage {
  const cached = kept.get(entry)
  if (cached?.counter === count.id) return cached.logged
  const logged = fromEntry(entry, thread, count)
  if (cached === null) kept.set(entry, { counter: count.id, logged: freeze(logged) })
  return logged
}

/** Checks an entry of an import, and counts its tokens. */
export function recountEntry(entry: Omit<StoredEntry, 'tokens'>, count: TokenCounter): StoredEntry {
  const { role, tokens } = checkMessages(readPayload(entry.payload), entry.seq, count)
  if (role !== entry.role)
    throw new InvalidMessageError(entry.seq, `has the role ${role}, its entry ${entry.role}`)
  return { ...entry, tokens: { [count.id]: tokens } }
}

/** Reads the messages of a payload strictly before they are logged. The tokens are those of the one that contexts take. */
function checkMessages(
  payload: Payload,
  seq: number,
  count: TokenCounter,
): Pick<Entry, 'role' | 'tokens'> {
  const view = viewOf(payload)
  const { role } = parseMessage(payload.message, seq)
  if (view !== payload.message) parseMessage(view, seq)
  return { role, tokens: stampEntry(view, seq, count).tokens }
}

function readPayload(text: string): Payload {
  const payload = JSON.parse(text) as Partial<Payload> | null
  const { message, view, ending, isError, isBroken, repeats } = payload ?? {}
  const { calibration, learned, quotes, guest, hands, overlay } = payload ?? {}
  if (!isObject(message)) throw new TypeError('it has no message')
  if (view !== undefined && !isObject(view)) throw new TypeError('its view is no message')
  if (ending !== undefined && typeof ending !== 'string')
    throw new TypeError('its ending is no text')
  if (isError !== undefined && typeof isError !== 'boolean')
    throw new TypeError('its isError is no boolean')
  if (isBroken !== undefined && typeof isBroken !== 'boolean')
    throw new TypeError('its isBroken is no boolean')
  if (calibration !== undefined && !isCalibration(calibration))
    throw new TypeError('its calibration is none')
  if (learned !== undefined && !isLayout(learned))
    throw new TypeError('what it has learned is no layout')
  if (quotes !== undefined && !isReferences(quotes))
    throw new TypeError('its quotes are no references')
  if (hands !== undefined && !isHands(hands)) throw new TypeError('its hands are none')
  if (overlay !== undefined && !isOverlay(overlay)) throw new TypeError('its overlay is none')
  if (guest !== undefined && typeof guest !== 'string') throw new TypeError('its guest is no name')
  if (repeats !== undefined && typeof repeats !== 'string')
    throw new TypeError('its repeats is no id')
  return payload as Payload
}

export function isSeen(message: TurnMessage): message is SeenMessage {
  return isObject(message) && !('role' in message) && 'message' in message
}

export const asSeen = (source: TurnMessage): SeenMessage =>
  isSeen(source) ? source : { message: source }

export const wholeOf = (source: TurnMessage): MessageLike =>
  isSeen(source) ? source.message : source

/** Adds a text that only contexts show after the message. */
export const withEnding = (source: TurnMessage, ending: string): SeenMessage => ({
  ...asSeen(source),
  ending,
})

export function viewOf({ message, view = message, ending, isBroken }: SeenMessage): MessageLike {
  if (isBroken) return brokenOff
  return ending === undefined ? view : withTail(view, ending)
}

/** Recall finds sessions by their pauses, so every message needs a time. A time of its own stays. */
function withTime(message: MessageLike, time: number): MessageLike {
  return 'time' in message ? message : ({ ...message, time } as MessageLike)
}

/** For `JSON.stringify`: bytes become base64, which every provider takes; texts are normalised. */
function toStorable(
  this: Readonly<Record<string, unknown>>,
  name: string,
  value: unknown,
): unknown {
  // `toJSON`, which Buffer has, was called already.
  const original = this[name]
  if (original instanceof ArrayBuffer) return toBase64(new Uint8Array(original))
  if (ArrayBuffer.isView(original))
    return toBase64(new Uint8Array(original.buffer, original.byteOffset, original.byteLength))
  return typeof value === 'string' ? normalizeText(value) : value
}

/** Replaces what no text store and no wire takes: half surrogate pairs and NUL. */
export const normalizeText = (text: string): string => text.replace(/\p{Surrogate}|\0/gu, '\uFFFD')

/** A quote from another conversation of the person, by its place: what is deleted there is gone here, too. */
export interface QuoteReference extends Omit<ThreadKey, 'tenant'> {
  readonly seq: number
  /** The id of the entry: in a log that was imported elsewhere, another message may stand in that place. */
  readonly id: string
  /** Why it was brought back, in words of the message that asked for it. */
  readonly why: string
}

/** The most quotes of a message. A log from an import may name more, which would take too long to load. */
export const mostQuotes = 64

/** Whether a value from a log, which may be an import, is a list of references. */
const isReferences = (value: unknown): value is readonly QuoteReference[] =>
  Array.isArray(value) && value.length <= mostQuotes && value.every(isReference)

const isReference = (value: unknown): boolean =>
  isObject(value) &&
  isCount(value.seq, 1) &&
  [value.conversation, value.actor, value.branch, value.id, value.why].every(
    text => typeof text === 'string',
  )
