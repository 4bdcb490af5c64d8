import { showValue } from '@throughline/core/errors'
import type { MessageLike } from '@throughline/core/messages'
import { createNoteScanner, type NoteOptions, type NoteScanner } from '@throughline/core/notes'
import { toSentBody, type WrittenBody } from '@throughline/history/calls'
import { normalizeText } from '@throughline/history/log'
import {
  type Model,
  ModelError,
  type ModelPart,
  onlyThoughts,
  type ToolSpec,
} from '@throughline/models/model'
import { toError } from '../end-failed.ts'
import type { Emit, ModelReply } from '../reply.ts'
import type { AskOptions, RetryOptions } from '../turn-options.ts'
import { linkSignals, openLimit, withLimit } from '../wait/link-signals.ts'

interface ModelCall extends AskOptions {
  readonly messages: readonly MessageLike[]
  readonly tools: readonly ToolSpec[]
  /** Called with what may be shown, as it arrives. The stream is not read on before the promise resolves. */
  readonly show: Emit<ReplyDelta>
}

type ReplyDelta = Extract<ModelPart, { type: 'text-delta' | 'thinking-delta' }>

/** Calls a model once, and cuts notes out of its text. Fills `reply` as parts arrive: a broken stream loses nothing. */
export async function callModel(call: ModelCall, reply: ModelReply): Promise<void> {
  const { model, messages, tools, settings, notes, stallMs, maxReply } = call
  const scanners = { 'text-delta': scannerFor(notes), 'thinking-delta': scannerFor(notes) }
  const tokens = createShownTokens(scanners['text-delta'])
  const texts = { 'text-delta': createWholeText(), 'thinking-delta': createWholeText() }
  const room = createReplyRoom(maxReply)
  const ids = new Set<string>()
  const link = linkSignals(call.signal)
  const limit = { signal: call.signal, ms: stallMs, late: () => stalled(stallMs) }
  const open = openLimit(limit)
  let stream: AsyncIterator<ModelPart> | undefined
  let isOver = false
  try {
    const request = { messages, tools, settings, signal: link.signal }
    const onWritten = (body: WrittenBody) => {
      reply.sent = toSentBody(body)
    }
    stream = model.stream({ ...request, onWritten })[Symbol.asyncIterator]()
    for (;;) {
      const { done, value: part } = await open.wait(stream.next())
      if (done)
        throw new ModelError(
          'model_stream_broken',
          `The stream of ${model.name} stopped before its end.`,
        )
      checkPart(model, part)
      if (part.type === 'text-delta' || part.type === 'thinking-delta') {
        if (part.type === 'text-delta') tokens.add(part)
        const whole = texts[part.type].push(part.text)
        const text = room.fit(whole)
        const shown = take(part.type, scanners[part.type].push(text))
        if (shown) await shown
        if (text !== whole) throw tooLarge(maxReply)
      } else if (part.type === 'tool-call') {
        const name = normalizeText(part.name)
        const json = cleanArguments(part.arguments)
        room.take(part.id, name, json)
        reply.calls.push({ id: ownId(normalizeText(part.id), ids), name, arguments: json })
      } else {
        reply.usage = part.usage ?? {}
        reply.reason = part.reason
        reply.details = part.details
        // Where notes are cut out of a text, the provider's own blocks still hold them.
        reply.blocks = notes ? part.blocks && onlyThoughts(part.blocks) : part.blocks
        break
      }
    }
    for (const type of ['thinking-delta', 'text-delta'] as const)
      await take(type, scanners[type].push(texts[type].end()))
    // If the reply was cut, a text that may be the beginning of a note stays hidden.
    if (reply.reason !== 'length')
      for (const type of ['thinking-delta', 'text-delta'] as const)
        await take(type, scanners[type].end().visible)
    // Reads the stream to its end, so that the connection can be used again, but does not wait for long.
    isOver = await withLimit(stream.next(), { ...limit, ms: Math.min(stallMs, longestEnd) }).then(
      ({ done = false }) => done,
      () => false,
    )
  } catch (error) {
    throw toModelError(error, call.signal)
  } finally {
    open.end()
    reply.note = scanners['text-delta'].end().note
    if (!isOver) {
      // The reader has left, or the model stalled: the call is given up.
      link.abort(call.signal.reason)
      void (async () => stream?.return?.())().catch(() => undefined)
    }
    link.unlink()
  }

  function take(type: ReplyDelta['type'], text: string): void | Promise<void> {
    reply[type === 'text-delta' ? 'text' : 'thinking'] += text
    if (type === 'thinking-delta') return text === '' ? undefined : call.show({ type, text })
    const logprobs = tokens.take()
    return text === '' ? undefined : call.show({ type, text, logprobs })
  }
}

const longestEnd = 1000

/** Refuses malformed parts: a model may be third-party code, and a text in the wrong field would be lost in silence. */
function checkPart(model: Model, part: ModelPart): void {
  // Nearly all are so.
  if (part?.type === 'text-delta' && typeof part.text === 'string') return
  const fields: Readonly<Record<string, unknown>> = { ...part }
  const type = fields.type as ModelPart['type']
  const wanted = Object.hasOwn(fieldsOf, type) ? fieldsOf[type] : undefined
  if (wanted?.every(field => typeof fields[field] === 'string')) return
  const problem = wanted
    ? `without ${wanted.join(', ')} as text`
    : `which is none of ${Object.keys(fieldsOf).join(', ')}`
  const what = `The model ${showValue(model.name)} gave a part of type ${showValue(type)}, ${problem}.`
  throw new ModelError('model_refused', what)
}

/** The fields of every part that must be texts. */
const fieldsOf: Readonly<Record<ModelPart['type'], readonly string[]>> = {
  'text-delta': ['text'],
  'thinking-delta': ['text'],
  'tool-call': ['id', 'name', 'arguments'],
  end: ['reason'],
}

export const stalled = (ms: number) =>
  new ModelError('model_stalled', `Nothing came from the model for ${ms} ms.`)

/** Turns whatever a model throws into a ModelError. An error that the model did not make is not retried. */
export function toModelError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || error instanceof ModelError) return error
  return new ModelError('model_refused', toError(error).message, { cause: error })
}

/** The longest pause, also if the provider asks for more: a user is waiting. */
const longestPause = 30_000

/** The pause before a failed call is made again. Throws the error where no further attempt would help. */
export function pauseAfter(
  error: unknown,
  attempt: number,
  { retries, backoffMs }: Required<RetryOptions>,
) {
  if (!(error instanceof ModelError) || !error.isRetryable || attempt > retries) throw error
  return Math.min(longestPause, error.retryAfterMs ?? backoffMs * 2 ** (attempt - 1))
}

function scannerFor(notes: NoteOptions | undefined): NoteScanner {
  if (notes) return createNoteScanner(notes)
  let shown = 0
  const push = (text: string) => {
    shown += text.length
    return text
  }
  return { push, end: () => ({ visible: '' }), progress: () => ({ settled: shown, shown }) }
}

/** Gives a call an id of its own: some servers give every call the same id, or none. */
function ownId(id: string, taken: Set<string>): string {
  let unique = id
  for (let n = taken.size + 1; unique === '' || taken.has(unique); n++)
    unique = `${id || 'call'}_${n}`
  taken.add(unique)
  return unique
}

/** Makes a text that comes in pieces what the log will have of it, so that a client never sees anything else. */
function createWholeText() {
  let half = ''
  return {
    /** The next piece. The first half of a surrogate pair waits for its other half, which comes with the next piece. */
    push(piece: string): string {
      const text = half + piece
      half = isFirstHalf(text.charCodeAt(text.length - 1)) ? text.slice(-1) : ''
      return cleaned(half === '' ? text : text.slice(0, -1))
    },
    end: () => normalizeText(half),
  }
}

const isFirstHalf = (code: number) => code >= 0xd800 && code <= 0xdbff

/** Nearly all texts are fine, which is seen soonest so. */
const cleaned = (text: string) =>
  text.isWellFormed() && !text.includes('\0') ? text : normalizeText(text)

/** The arguments of a call as the log will have them, also where JSON writes the characters as escapes. */
const cleanArguments = (json: string): string =>
  cleaned(json).replace(escapes, (match, odd?: string) => (odd === undefined ? match : '\\ufffd'))

/** Whole pairs and other escapes are passed over, so that what is left is NUL or a lone half. */
const escapes = /\\ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|\\u(0000|d[89a-f][\da-f]{2})|\\./gis

/** The longest reply by default: half a million tokens, and a quarter of the largest entry. */
export const defaultMaxReply = 2 * 1024 * 1024

function createReplyRoom(most: number) {
  let left = most
  return {
    /** As much of the beginning of a text as there is room for. */
    fit(text: string): string {
      // No character takes more than six bytes.
      if (text.length * 6 <= left) {
        left -= bytesOf(text)
        return text
      }
      let at = 0
      for (const character of text) {
        const bytes = bytesOf(character)
        if (bytes > left) break
        left -= bytes
        at += character.length
      }
      return text.slice(0, at)
    },
    /** Takes the room of something that is kept whole or not at all. */
    take(...texts: readonly string[]): void {
      left -= texts.reduce((sum, text) => sum + bytesOf(text), 0)
      if (left < 0) throw tooLarge(most)
    },
  }
}

export const tooLarge = (most: number, cause?: unknown) =>
  new ModelError(
    'reply_too_large',
    `The model wrote a reply of more than ${most} bytes, so it was cut: ask for less, or raise "${cause ? 'maxEntry' : 'maxReply'}".`,
    { cause },
  )

function bytesOf(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x20) bytes += code === 10 || code === 9 || code === 13 ? 1 : 5
    else if (code === 0x22 || code === 0x5c) bytes += 1
    // A pair is four bytes, two for each half.
    else if (code >= 0x80) bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2
  }
  return bytes
}

/** Keeps the log probabilities of tokens until it is known whether the text that they came with is shown. */
export function createShownTokens(scanner: Pick<NoteScanner, 'progress'>) {
  /** With the places of their texts in the reply. */
  let waiting: readonly { start: number; end: number; logprobs: readonly unknown[] }[] = []
  let end = 0
  let before = scanner.progress()
  return {
    /** Takes the next text before the scanner does, with the log probabilities of its tokens. */
    add({
      text,
      logprobs,
    }: Pick<Extract<ModelPart, { logprobs?: unknown }>, 'text' | 'logprobs'>): void {
      const start = end
      end += text.length
      if (!logprobs) return
      if (waiting.length === 0) before = scanner.progress()
      waiting = [...waiting, { start, end, logprobs }]
    },
    /** Gives those whose text was shown since the last time. Of a text that was hidden even in part none is ever given. */
    take(): readonly unknown[] | undefined {
      if (waiting.length === 0) return undefined
      const { settled, shown } = scanner.progress()
      const isHidden = settled - before.settled > shown - before.shown
      before = { settled, shown }
      if (isHidden) {
        waiting = waiting.filter(({ start }) => start >= settled)
        return undefined
      }
      const taken = waiting.filter(({ end }) => end <= settled)
      waiting = waiting.slice(taken.length)
      return taken.length > 0 ? taken.flatMap(({ logprobs }) => logprobs) : undefined
    },
  }
}
