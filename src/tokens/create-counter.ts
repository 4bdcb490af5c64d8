import { type TokenCounter, wholeTokens } from './counter.ts'
import { type Framing, genericFraming } from './framing.ts'

/** Options that every counter takes. */
export interface CounterOptions {
  /** The chat template of the model, see `framingFor`. Default: `generic`, which is safe for all. */
  readonly framing?: Framing
  /** Tokens of one image: providers resize images, so the size in bytes does not matter. Default 768. */
  readonly imageTokens?: number
}

export interface CreateCounterOptions extends CounterOptions {
  /** Names the way of counting texts; the framing's name is added to it. */
  readonly id: string
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
export function createCounter({
  id,
  exact,
  text: count,
  framing = genericFraming,
  imageTokens = 768,
}: CreateCounterOptions): TokenCounter {
  const own = counterId(id, framing, imageTokens)
  const whole = (tokens: number): number => wholeTokens(tokens, own)
  const text = (value: string): number => (value === '' ? 0 : whole(count(wellFormed(value))))

  return {
    id: own,
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
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD')
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    // Cycles and bigints: the request itself will fail and say so.
    return String(value)
  }
}
