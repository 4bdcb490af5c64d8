import { defaultPolicy, fit, spongebob } from '@throughline/core/context'
import { createCounter } from '@throughline/core/counters'
import { type MessageLike, readMessage } from '@throughline/core/messages'
import type { WaysColumn } from '@throughline/gallery/application'
import { countWords, reader } from '@throughline/models/reader'
import { ollamaCut } from '../../examples/ollama-proxy/ollama-cut.ts'

/** The tokens as the reader counts them: words, and four for each message. */
const framing = { name: 'reader', message: 4, call: 0, result: 0, tool: 0, tools: 0, prompt: 0 }
const count = createCounter({ id: 'reader', exact: true, text: countWords, framing })

const window = 4096
/** Kept free for the reply, as a server does. Ollama keeps nothing free. */
const reserve = 512

interface Left {
  readonly messages: readonly MessageLike[]
  readonly tokens: number
  /** Whether each message of the list is left, word for word or in a block that quotes it. */
  readonly isLeft: (at: number) => boolean
}

interface Way {
  readonly name: string
  readonly about: string
  readonly cut: (messages: readonly MessageLike[]) => Left
}

const ways: readonly Way[] = [
  {
    name: 'Ollama',
    about: 'drops the oldest until the rest fits, and tells nobody',
    cut(messages) {
      const { messages: left, tokens } = ollamaCut(messages, window, count)
      const set = new Set(left)
      return { messages: left, tokens, isLeft: at => set.has(messages[at]!) }
    },
  },
  {
    name: 'First kept',
    about: 'keeps the first message, says that turns were removed, and fills up with the newest',
    cut: messages => fitted(messages, spongebob()),
  },
  {
    name: 'Throughline',
    about: 'brings back what the question asks for',
    cut: messages => fitted(messages, defaultPolicy),
  },
]

export const wayNames = ways.map(({ name }) => name)

function fitted(messages: readonly MessageLike[], policy: typeof defaultPolicy): Left {
  const { messages: left, receipt } = fit(messages, {
    window,
    reserve,
    policy,
    count,
    overflow: 'keep',
  })
  const fates = receipt.entries.map(({ fate }) => fate)
  return { messages: left, tokens: receipt.tokens, isLeft: at => fates[at] !== 'omitted' }
}

type Sight = WaysColumn['sight']

/** Whether the words of an answer are in what is left, before the question itself. */
function sightIn({ messages }: Left, words: string | undefined): Sight {
  if (words === undefined) return 'unknown'
  const isThere = messages.slice(0, -1).some((one, at) => readMessage(one, at).text.includes(words))
  return isThere ? 'saw' : 'cut'
}

/** What each way leaves of a list that ends with a question, whether the answer is in it, and what the reader makes of it. */
export async function cutThreeWays(
  messages: readonly MessageLike[],
  words: string | undefined,
): Promise<readonly WaysColumn[]> {
  const columns: WaysColumn[] = []
  for (const { name, about, cut } of ways) {
    const left = cut(messages)
    columns.push({
      ...{ name, about, tokens: left.tokens, messages: messages.length },
      left: messages.filter((_, at) => left.isLeft(at)).length,
      strip: stripOf(messages.length, left),
      sight: sightIn(left, words),
      answer: await answerOf(left.messages),
    })
  }
  return columns
}

/** The same for a ready question, without the answers. */
export const sightsIn = (messages: readonly MessageLike[], words: string): readonly Sight[] =>
  ways.map(({ cut }) => sightIn(cut(messages), words))

const pieces = 64

function stripOf(length: number, { isLeft }: Left): number[] {
  return Array.from({ length: pieces }, (_, piece) => {
    const [from, to] = [piece, piece + 1].map(at => Math.floor((at * length) / pieces)) as [
      number,
      number,
    ]
    const own = Array.from({ length: to - from }, (_, at) => from + at)
    return own.length === 0 ? 0 : own.filter(isLeft).length / own.length
  })
}

async function answerOf(messages: readonly MessageLike[]): Promise<string> {
  let text = ''
  for await (const part of reader().stream({ messages }))
    if (part.type === 'text-delta') text += part.text
  return text
}
