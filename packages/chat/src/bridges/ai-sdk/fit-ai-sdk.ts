import { type Context, checkOptions, counterOf, type FitOptions } from '@throughline/core/context'
import type { TokenCounter } from '@throughline/core/counters'
import type { Fields } from '@throughline/core/fields'
import { type Message, type MessageLike, outputParts } from '@throughline/core/messages'
import { madeOnce } from '@throughline/core/values'
import { fitPrompt } from '../fit-prompt.ts'

/** `fit` for messages of the AI SDK, counted as its providers send them. */
export function fitAiSdk<M extends MessageLike>(
  messages: readonly M[],
  options: FitOptions,
): Context<M> {
  checkOptions(options)
  const count = countApart(counterOf(options))
  const context = fitPrompt(messages.map(weighResults), { ...options, count })
  return { ...context, messages: context.messages.map(unweighed) }
}

/** Counts each tool result as a message, as most providers are sent it. The AI SDK puts all results of a round into one. */
function countApart(count: TokenCounter): TokenCounter {
  return {
    ...count,
    id: `${count.id}/apart`,
    message(message) {
      const { role, results } = message
      const together = count.message(message)
      if (role !== 'tool' || results.length < 2) return together
      const apart = results.reduce((sum, _, at) => sum + count.message(only(message, at)), 0)
      return Math.max(together, apart)
    },
  }
}

/** A message with one of the results; its other parts go with the first. */
function only(message: Message, at: number): Message {
  const result = message.results[at]!
  const rest = at === 0 ? {} : { media: 0, unknown: '', thinking: '' }
  return { ...message, ...rest, text: result.text, results: [result] }
}

/** The type of the part that stands for the JSON around a result. Counted, never sent. */
const weight = 'throughline-weight'

const origin: unique symbol = Symbol('origin')

interface CountedMessage extends MessageLike {
  readonly [origin]?: MessageLike
}

/** Adds a part to results that are lists: most providers send those as JSON, whose brackets and escapes it weighs. */
export function weighResults<M extends MessageLike>(message: M): M {
  const { role, content } = message ?? {}
  const hasLists = role === 'tool' && Array.isArray(content) && content.some(outputParts)
  return hasLists ? (weigh(message) as M) : message
}

/** A message is weighed once, so that its count is remembered with the object. */
const weigh = madeOnce((message: MessageLike): CountedMessage => {
  const content = message.content as readonly unknown[]
  const lists = content.map(outputParts).filter(parts => parts !== undefined)
  const added = lists.map(parts => ({ type: weight, json: around(parts) }))
  return { ...message, content: [...content, ...added], [origin]: message }
})

/** The message before it was weighed, with its texts as they were cut since. */
export function unweighed<M extends MessageLike>(message: M): M {
  const { [origin]: source, ...rest } = message as M & CountedMessage
  if (source === undefined) return message
  if (weigh(source) === message) return source as M
  return {
    ...rest,
    content: (message.content as Fields[]).filter(part => part.type !== weight),
  } as M
}

/** What JSON adds to the texts. Bytes are left out: images are counted apart. */
function around(parts: readonly (Fields | null)[]): string {
  const empty = JSON.stringify(parts.map(part => ({ type: part?.type, text: '' })))
  const texts = parts.map(part => (typeof part?.text === 'string' ? part.text : ''))
  const escapes = texts.reduce(
    (sum, text) => sum + JSON.stringify(text).length - 2 - text.length,
    0,
  )
  return empty + '\\ '.repeat(escapes)
}
