import type { TokenCounter } from '@throughline/core/counters'
import { InvalidMessageError, type OptionNames, refuseUnknown } from '@throughline/core/errors'
import { type MessageLike, parseMessage, type ToolCall } from '@throughline/core/messages'
import { checkWindow } from '../check-options.ts'
import { type Model, ModelError, type ModelRequest } from '../model.ts'
import { sleep } from '../sleep.ts'
import { toPieces } from '../to-pieces.ts'
import { answer, type FullReply, type ReaderAnswer } from './answer.ts'
import { countWords, promptCounter } from './count-words.ts'
import { standInOpening } from './wording.ts'

/** Options of `reader`. */
export interface ReaderOptions {
  /** The name in records of calls. Default `reader`. */
  readonly name?: string
  /** The window in tokens, prompt and reply together: a hard limit. Default 4096. */
  readonly window?: number
  /** Counts the tokens of a text. Default `countWords`. */
  readonly count?: (text: string) => number
  /** Whether a prompt that is too long is refused, or silently cut as Ollama does. Default `'error'`. */
  readonly overflow?: 'error' | 'cut'
  /** Answers of your own, for what the reader cannot do. The first that returns a text is used. */
  readonly answers?: readonly ReaderAnswer[]
  /** Whether every answer begins by saying that it comes from a stand-in, for people who did not choose it. Default false. */
  readonly isStandIn?: boolean
  /** The pause between two parts of a reply, in milliseconds, so that cancelling can be tried. Default 0. */
  readonly delayMs?: number
  /** Waits; rejects with the signal's reason as soon as it is aborted. Default: a timer. */
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

/**
 * Makes the built-in model, always with the same answer: it quotes the sentence of its context that fits the question best.
 *
 * @example
 * for await (const part of reader().stream({ messages })) if (part.type === 'text-delta') write(part.text)
 */
export function reader(options: ReaderOptions = {}): Model {
  const names = {
    name: 1,
    window: 1,
    count: 1,
    overflow: 1,
    answers: 1,
    isStandIn: 1,
    delayMs: 1,
    wait: 1,
  }
  refuseUnknown(options, names as OptionNames<ReaderOptions>)
  const { name = 'reader', window = 4096, count = countWords, overflow = 'error' } = options
  const { answers = [], isStandIn = false, delayMs = 0, wait = sleep } = options
  checkWindow(window)
  const counter = promptCounter(count)
  return {
    name,
    window: async () => window,
    async *stream(request) {
      const { tools = [], settings = {}, signal } = request
      signal?.throwIfAborted()
      const { reply, promptTokens, ids } = refuseInvalid(() => {
        const taken = takeWindow(request, { name, window, overflow }, counter)
        const unsigned = answer(taken.messages, tools, settings, answers)
        const isSigned = isStandIn && unsigned.text !== '' && settings.format === undefined
        const reply = isSigned ? { ...unsigned, text: standInOpening + unsigned.text } : unsigned
        return { reply, promptTokens: taken.promptTokens, ids: freshIds(taken.calls) }
      })
      // A server that cuts prompts also makes room while it writes: only the request limits its reply.
      const left = overflow === 'cut' ? Number.POSITIVE_INFINITY : window - promptTokens
      const room = Math.min(settings.maxTokens ?? left, left)
      let written = ''
      let replyTokens = 0
      let isWhole = true
      for (const part of partsOf(reply, ids, settings.stop)) {
        const text = part.type === 'text-delta' ? part.text : `${part.name} ${part.arguments}`
        const tokens = counter.text(written + text)
        isWhole = tokens <= room
        if (!isWhole) break
        if (written !== '' && delayMs > 0) await wait(delayMs, signal)
        signal?.throwIfAborted()
        yield part
        written += text
        replyTokens = tokens
      }
      signal?.throwIfAborted()
      const reason = !isWhole ? 'length' : reply.calls.length > 0 ? 'tool-calls' : 'stop'
      yield { type: 'end', reason, usage: { promptTokens, replyTokens } }
    },
  }
}

/** Leaves one token for the reply. `'cut'` does as Ollama: the oldest messages go, then the last is cut to half a window. */
function takeWindow(
  { messages, tools = [] }: ModelRequest,
  { name, window, overflow }: Required<Pick<ReaderOptions, 'name' | 'window' | 'overflow'>>,
  counter: TokenCounter,
): {
  readonly messages: readonly MessageLike[]
  readonly calls: readonly ToolCall[]
  readonly promptTokens: number
} {
  const read = messages.map((raw, seq) => {
    const message = parseMessage(raw, seq)
    return { raw, message, tokens: counter.message(message) }
  })
  const promptTokens = read.reduce((sum, { tokens }) => sum + tokens, counter.tools(tools))
  const callsIn = (kept: typeof read) => kept.flatMap(({ message }) => message.calls)
  if (promptTokens < window) return { messages, calls: callsIn(read), promptTokens }
  if (overflow === 'error')
    throw new ModelError(
      'context_too_long',
      `The prompt has ${promptTokens} tokens, and ${name} takes at most ${window - 1} in its window of ${window}: send less, or give it a larger window`,
      { status: 400, tokens: { prompt: promptTokens, window } },
    )
  let left = promptTokens
  const kept = read.filter(({ message, tokens }, seq) => {
    if (left < window || message.role === 'system' || seq === read.length - 1) return true
    left -= tokens
    return false
  })
  if (left < window)
    return { messages: kept.map(({ raw }) => raw), calls: callsIn(kept), promptTokens: left }
  const half = Math.floor(window / 2)
  const { role = 'user', text = '' } = read.at(-1)?.message ?? {}
  return {
    messages: [{ role, content: endOf(text, half, counter) }],
    calls: [],
    promptTokens: half,
  }
}

/** The longest end of a text with at most `most` tokens, by bisection. */
function endOf(text: string, most: number, counter: TokenCounter): string {
  let [from, to] = [0, text.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (counter.text(text.slice(middle)) <= most) to = middle
    else from = middle + 1
  }
  return text.slice(from)
}

function partsOf({ text, calls }: FullReply, ids: () => string, stop: readonly string[] = []) {
  const ends = stop.map(word => (word === '' ? -1 : text.indexOf(word))).filter(at => at >= 0)
  const end = ends.reduce((least, at) => Math.min(least, at), text.length)
  return [
    ...toPieces(text.slice(0, end)).map(word => ({ type: 'text-delta' as const, text: word })),
    ...calls.map(call => ({ type: 'tool-call' as const, id: ids(), ...call })),
  ]
}

/** Makes ids that are new among the visible ones and reproducible: `call_7` after `call_6`. */
function freshIds(calls: readonly ToolCall[]): () => string {
  const used = calls.map(({ id }) => Number(/^call_(\d+)$/.exec(id ?? '')?.[1] ?? 0))
  let last = used.reduce((most, number) => Math.max(most, number), 0)
  return () => `call_${++last}`
}

/** Turns invalid messages into `model_refused`, as any provider would. */
function refuseInvalid<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof InvalidMessageError)) throw error
    throw new ModelError('model_refused', error.message, { status: 400, cause: error })
  }
}
