import { refuseUnknown } from '@throughline/core/errors'
import { type Message, readMessage } from '@throughline/core/messages'
import { type Model, ModelError, type ModelRequest } from './model.ts'
import { countWords, promptCounter } from './reader/count-words.ts'
import { sleep } from './sleep.ts'
import { toPieces } from './to-pieces.ts'

/** What a rule sees of a request. */
export type RulesRequest = Required<Pick<ModelRequest, 'messages' | 'tools'>>

/** A text, or a text with tool calls. Arguments are an object here; default none. */
export type RulesAnswer =
  | string
  | {
      readonly text?: string
      readonly calls?: readonly { readonly name: string; readonly arguments?: object }[]
    }

/** Options of `rules`. */
export interface RulesOptions {
  /** The name in records of calls. Default `rules`. */
  readonly name?: string
  /** The window that contexts are fitted into. Default: unknown. Longer requests are not refused. */
  readonly window?: number
  /** The milliseconds before each word of a text, to try out streaming and cancelling. Default 0: the whole text at once. */
  readonly delayMs?: number
}

/**
 * Makes a model of a function, for roles that need no language model.
 *
 * @example
 * const buyer = rules(({ messages }) => ({ calls: [{ name: 'buy', arguments: { count: messages.length } }] }))
 */
export function rules(
  answer: (request: RulesRequest) => RulesAnswer | Promise<RulesAnswer>,
  options: RulesOptions = {},
): Model {
  refuseUnknown(options, { name: 1, window: 1, delayMs: 1 })
  const { name = 'rules', window, delayMs = 0 } = options
  const counter = promptCounter(countWords)
  return {
    name,
    window: async () => window,
    async *stream({ messages, tools = [], signal }: ModelRequest) {
      signal?.throwIfAborted()
      const result = await ask(name, () => answer({ messages, tools }))
      signal?.throwIfAborted()
      const { text = '', calls = [] } = typeof result === 'string' ? { text: result } : result
      for (const piece of delayMs > 0 ? toPieces(text) : [text]) {
        if (delayMs > 0) await sleep(delayMs, signal)
        if (piece !== '') yield { type: 'text-delta', text: piece }
      }
      const prompt = messages.map((message, seq) => readMessage(message, seq))
      const mark = calls.length > 0 ? markOf(prompt) : ''
      let replyTokens = countWords(text)
      for (const [at, call] of calls.entries()) {
        const json = JSON.stringify(call.arguments ?? {})
        replyTokens += countWords(`${call.name} ${json}`)
        yield { type: 'tool-call', id: `call_${mark}_${at + 1}`, name: call.name, arguments: json }
      }
      const promptTokens =
        prompt.reduce((sum, message) => sum + counter.message(message), 0) + counter.tools(tools)
      const reason = calls.length > 0 ? 'tool-calls' : 'stop'
      yield { type: 'end', reason, usage: { promptTokens, replyTokens } }
    },
  }
}

/** Calls a rule. A rule may throw a ModelError; any other error becomes one that is not retried. */
async function ask(
  name: string,
  answer: () => RulesAnswer | Promise<RulesAnswer>,
): Promise<RulesAnswer> {
  try {
    return await answer()
  } catch (error) {
    if (error instanceof ModelError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new ModelError('model_refused', `The rule of ${name} failed: ${why}`, { cause: error })
  }
}

/** A hash of the visible messages, for reproducible ids: the messages differ from those of the last call. FNV-1a, twice. */
function markOf(messages: readonly Message[]): string {
  let [a, b] = [0x811c9dc5, 0x01000193]
  for (const { role, text, calls } of messages) {
    const spelled = calls.map(({ id, name, arguments: json }) => `${id} ${name} ${json}`)
    const seen = [role, text, ...spelled].join('\n')
    for (let at = 0; at <= seen.length; at++) {
      const unit = at < seen.length ? seen.charCodeAt(at) : 0xffff
      a = Math.imul(a ^ unit, 0x01000193) >>> 0
      b = Math.imul(b ^ (unit + 0x9e37), 0x01000193) >>> 0
    }
  }
  return a.toString(36) + b.toString(36)
}
