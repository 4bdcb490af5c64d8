import { InvalidOptionError, type OptionNames, refuseUnknown, showValue } from '../log/error.ts'
import type { Message } from '../log/message.ts'
import { attempt } from '../log/values.ts'
import { type Framing, genericFraming } from './framing.ts'
import { rememberLong } from './remember-long.ts'

/** Options that every counter takes. */
export interface CounterOptions {
  /** The chat template of the model, see `framingFor`. Default: `generic`, which is safe for all. */
  readonly framing?: Framing
  /** Tokens of one image: providers resize images, so the size in bytes does not matter. Default 768. */
  readonly imageTokens?: number
}

export const counterNames: OptionNames<CounterOptions> = { framing: 1, imageTokens: 1 }

/** What a counter of your own is made of. */
export interface CreateCounterOptions extends CounterOptions {
  /** Names the way of counting texts; the framing's name is added to it. */
  readonly id: string
  /** Whether the counts are right, and not estimated: an estimate leaves a margin of 5 % of the window. */
  readonly exact: boolean
  /** The tokens of a text, 0 or more; a fraction is rounded up. */
  readonly text: (text: string) => number
}

/**
 * Makes a counter of messages from a counter of texts.
 *
 * @example
 * const counter = createCounter({ id: 'mine', exact: true, text: countMine, framing: framingFor('llama3.2:3b') })
 */
export function createCounter(options: CreateCounterOptions): TokenCounter {
  refuseUnknown(options, { id: 1, exact: 1, text: 1, ...counterNames })
  const { id, exact, text: count, framing = genericFraming, imageTokens = 768 } = options
  if (typeof id !== 'string' || id === '')
    throw new InvalidOptionError('id', `expected a name, such as "mine", got ${showValue(id)}`)
  if (typeof count !== 'function')
    throw new InvalidOptionError(
      'text',
      `expected a function that counts a text, got ${showValue(count)}`,
    )
  const fullId = counterId(id, framing, imageTokens)
  const whole = (tokens: number): number => wholeTokens(tokens, fullId)
  const text = rememberLong(value => (value === '' ? 0 : whole(count(wellFormed(value)))))

  return {
    id: fullId,
    exact,
    prompt: framing.prompt,
    text,
    message(message) {
      const { calls, results, media, thinking, unknown } = message
      const isTool = message.role === 'tool'
      const answers = isTool ? Math.max(1, results.length) : results.length
      // Each result of an AI SDK tool message is sent as a message of its own.
      const sent = isTool ? answers : 1
      let tokens = framing.message * sent + text(message.text) + text(thinking) + text(unknown)
      for (const call of calls) tokens += framing.call + text(call.name) + text(call.arguments)
      // The text of a tool message is the text of its results and is counted above: only their framing is added.
      tokens += framing.result * answers
      // A result inside an assistant message (AI SDK) is not part of the message's text.
      if (!isTool) for (const result of results) tokens += text(result.text)
      return whole(tokens + media * imageTokens)
    },
    tools(tools) {
      if (tools.length === 0) return 0
      return whole(
        tools.reduce<number>((sum, tool) => sum + framing.tool + text(toJson(tool)), framing.tools),
      )
    },
  }
}

function counterId(id: string, framing: Framing, imageTokens: number): string {
  const framed = framing.name === 'none' ? id : `${id}/${framing.name}`
  return imageTokens === 768 ? framed : `${framed}/image=${imageTokens}`
}

/** Encoders send U+FFFD for half of a surrogate pair, so U+FFFD is counted. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD')

/** Cycles and bigints count as text: the request itself will fail and say so. */
const toJson = (value: unknown) =>
  attempt(() => JSON.stringify(value) ?? '', undefined) ?? String(value)

/** Counts the tokens of messages. The same input must always give the same number: counts are remembered. */
export interface TokenCounter {
  /** Names this counter in receipts and remembered counts: counters that count differently need different ids. */
  readonly id: string
  /** False gives the window a margin of 5 %. */
  readonly exact: boolean
  /** The tokens of a text, without framing. */
  text(text: string): number
  /** The tokens of a message with its framing: role, text, thinking, tool calls, images. */
  message(message: Message): number
  /** The tokens of the tools' schemas. */
  tools(tools: readonly unknown[]): number
  /** The tokens of a prompt besides its messages: its beginning, and the opening of the reply. Default 0. */
  readonly prompt?: number
}

const checkedCounters = new WeakMap<TokenCounter, Required<TokenCounter>>()

/** The counter with every answer checked: a NaN or a negative number would break every comparison with the window. */
export function checkedCounter(counter: TokenCounter): Required<TokenCounter> {
  const before = checkedCounters.get(counter)
  if (before) return before
  const checked = mapCounter(counter, counter.id, tokens => wholeTokens(tokens, counter.id))
  checkedCounters.set(counter, checked).set(checked, checked)
  return checked
}

/** The counter with every answer changed. */
export function mapCounter(
  counter: TokenCounter,
  id: string,
  change: (tokens: number) => number,
): Required<TokenCounter> {
  return {
    id,
    exact: counter.exact,
    prompt: change(counter.prompt ?? 0),
    text: text => change(counter.text(text)),
    message: message => change(counter.message(message)),
    tools: tools => change(counter.tools(tools)),
  }
}

/** A count as a whole number. Fractions are allowed (a quarter of the characters, say) and rounded up. */
function wholeTokens(tokens: number, counter: string): number {
  if (typeof tokens === 'number' && tokens >= 0 && tokens <= Number.MAX_SAFE_INTEGER)
    return Math.ceil(tokens)
  throw new InvalidOptionError(
    'count',
    `the counter ${JSON.stringify(counter)} gave ${String(tokens)}: expected a number of tokens, 0 or more`,
  )
}
