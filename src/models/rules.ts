import type { MessageLike } from '../log/message.ts'
import { readMessage } from '../log/parse-message.ts'
import type { Model, ModelRequest, ToolSpec } from './model.ts'
import { ModelError } from './model-error.ts'
import { countWords, promptCounter } from './reader/count-words.ts'

/** What a rule is told: what a model would be sent. */
export interface RulesRequest {
  readonly messages: readonly MessageLike[]
  readonly tools: readonly ToolSpec[]
}

/** What a rule answers: a text, or calls of tools, or both. */
export type RulesAnswer =
  | string
  | {
      readonly text?: string
      readonly calls?: readonly { readonly name: string; readonly arguments?: object }[]
    }

export interface RulesOptions {
  readonly name?: string
  /** The tokens that it takes. Default: it does not say. Nothing is refused: a rule has no limit. */
  readonly window?: number
}

/**
 * A model made of a function, for roles that need no language model: the same request always gives the same reply.
 *
 * @example
 * const buyer = rules(({ messages }) => ({ calls: [{ name: 'buy', arguments: { count: messages.length } }] }))
 */
export function rules(
  answer: (request: RulesRequest) => RulesAnswer | Promise<RulesAnswer>,
  { name = 'rules', window }: RulesOptions = {},
): Model {
  const counter = promptCounter(countWords)
  return {
    name,
    window: async () => window,
    async *stream({ messages, tools = [], signal }: ModelRequest) {
      signal?.throwIfAborted()
      const given = await ask(name, () => answer({ messages, tools }))
      signal?.throwIfAborted()
      const { text = '', calls = [] } = typeof given === 'string' ? { text: given } : given
      if (text !== '') yield { type: 'text-delta', text }
      const mark = calls.length > 0 ? markOf(messages) : ''
      let replyTokens = countWords(text)
      for (const [at, call] of calls.entries()) {
        const json = JSON.stringify(call.arguments ?? {})
        replyTokens += countWords(`${call.name} ${json}`)
        yield { type: 'tool-call', id: `call_${mark}_${at + 1}`, name: call.name, arguments: json }
      }
      const promptTokens =
        messages.reduce((sum, message, seq) => sum + counter.message(readMessage(message, seq)), 0) +
        counter.tools(tools)
      const reason = calls.length > 0 ? 'tool-calls' : 'stop'
      yield { type: 'end', reason, usage: { promptTokens, replyTokens } }
    },
  }
}

/** A rule may fail as a model does; any other error is one that asking again does not mend. */
async function ask(name: string, answer: () => RulesAnswer | Promise<RulesAnswer>): Promise<RulesAnswer> {
  try {
    return await answer()
  } catch (error) {
    if (error instanceof ModelError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new ModelError('model_refused', `The rule of ${name} failed: ${why}`, { cause: error })
  }
}

/**
 * Ids must be the same in every run and new in the conversation, of which not all may be in view: so they are made of
 * all that is in view, which has grown since the last call. Twice FNV-1a, from two starts.
 */
function markOf(messages: readonly MessageLike[]): string {
  let [a, b] = [0x811c9dc5, 0x01000193]
  for (const [seq, raw] of messages.entries()) {
    const { role, text, calls } = readMessage(raw, seq)
    const seen = [role, text, ...calls.map(({ id, name, arguments: json }) => `${id} ${name} ${json}`)].join(
      '\n',
    )
    for (let at = 0; at <= seen.length; at++) {
      const unit = at < seen.length ? seen.charCodeAt(at) : 0xffff
      a = Math.imul(a ^ unit, 0x01000193) >>> 0
      b = Math.imul(b ^ (unit + 0x9e37), 0x01000193) >>> 0
    }
  }
  return a.toString(36) + b.toString(36)
}
