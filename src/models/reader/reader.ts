import { InvalidMessageError, InvalidOptionError } from '../../log/error.ts'
import type { MessageLike } from '../../log/message.ts'
import { parseMessage } from '../../log/parse-message.ts'
import type { Model, ModelPart } from '../model.ts'
import { ModelError } from '../model-error.ts'
import { type Answer, answer, type ReaderAnswer } from './answer.ts'
import { countWords, promptCounter } from './count-words.ts'
import { takeWindow } from './take-window.ts'
import { type Wait, waitFor } from './wait-for.ts'

export interface ReaderOptions {
  readonly name?: string
  /** The tokens that it takes, prompt and reply together. It is a hard limit. Default 4096. */
  readonly window?: number
  /** How the tokens of a text are counted. Default: a word or a sign is a token, see `countWords`. */
  readonly count?: (text: string) => number
  /** A prompt that is too long: refused, or cut in silence as Ollama does. Default `'error'`. */
  readonly overflow?: 'error' | 'cut'
  /** Answers of your own, for what it cannot do: the first that gives a text is taken. */
  readonly answers?: readonly ReaderAnswer[]
  /** How long it waits between two parts of a reply, so that cancelling can be seen. Default 0. */
  readonly delayMs?: number
  readonly wait?: Wait
}

/**
 * The built-in model: no server, no weights, always the same answer. It quotes the sentence of its context that fits
 * the question best, or says that it sees none; so it shows what a context holds.
 *
 * @example
 * for await (const part of reader().stream({ messages })) if (part.type === 'text-delta') write(part.text)
 */
export function reader({
  name = 'reader',
  window = 4096,
  count = countWords,
  overflow = 'error',
  answers = [],
  delayMs = 0,
  wait = waitFor,
}: ReaderOptions = {}): Model {
  if (!Number.isInteger(window) || window < 1) {
    throw new InvalidOptionError('window', 'must be a whole number of tokens, 1 or more')
  }
  const counter = promptCounter(count)
  return {
    name,
    window: async () => window,
    async *stream({ messages, tools = [], settings = {}, signal }) {
      signal?.throwIfAborted()
      const { reply, promptTokens, ids } = refuseInvalid(() => {
        const taken = takeWindow(messages, tools, { name, window, counter, overflow })
        const reply = answer(taken.messages, tools, settings, answers)
        return { reply, promptTokens: taken.promptTokens, ids: freshIds(taken.messages) }
      })
      // A server that cuts also makes room while it writes: there only the request limits the reply.
      const left = overflow === 'cut' ? Number.POSITIVE_INFINITY : window - promptTokens
      const room = Math.min(settings.maxTokens ?? left, left)
      let written = ''
      let replyTokens = 0
      let isWhole = true
      let isFirst = true
      for (const part of partsOf(reply, ids, settings.stop)) {
        const text = part.type === 'text-delta' ? part.text : `${part.name} ${part.arguments}`
        const tokens = counter.text(written + text)
        isWhole = tokens <= room
        if (!isWhole) break
        if (!isFirst && delayMs > 0) await wait(delayMs, signal)
        signal?.throwIfAborted()
        yield part
        ;[written, replyTokens, isFirst] = [written + text, tokens, false]
      }
      signal?.throwIfAborted()
      const reason = !isWhole ? 'length' : reply.calls.length > 0 ? 'tool-calls' : 'stop'
      yield { type: 'end', reason, usage: { promptTokens, replyTokens } }
    },
  }
}

type ContentPart = Extract<ModelPart, { type: 'text-delta' | 'tool-call' }>

/** The text word by word, then the calls, each whole. */
function partsOf({ text, calls }: Answer, ids: () => string, stop: readonly string[] = []): ContentPart[] {
  const ends = stop.map(word => (word === '' ? -1 : text.indexOf(word))).filter(at => at >= 0)
  const words = text.slice(0, Math.min(text.length, ...ends)).match(/\s*\S+|\s+$/g) ?? []
  return [
    ...words.map(word => ({ type: 'text-delta' as const, text: word })),
    ...calls.map(call => ({ type: 'tool-call' as const, id: ids(), ...call })),
  ]
}

/** `call_7` after `call_6`: an id is new among all that are in view, and the same in every run. */
function freshIds(messages: readonly MessageLike[]): () => string {
  const used = messages
    .flatMap((raw, seq) => parseMessage(raw, seq).calls)
    .map(({ id }) => Number(/^call_(\d+)$/.exec(id ?? '')?.[1] ?? 0))
  let last = used.reduce((most, number) => Math.max(most, number), 0)
  return () => `call_${++last}`
}

/** What is no message at all would be refused by any provider. */
function refuseInvalid<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof InvalidMessageError)) throw error
    throw new ModelError('model_refused', error.message, { status: 400, cause: error })
  }
}
