import { fit, spongebob } from '@throughline/core/context'
import { createCounter } from '@throughline/core/counters'
import type { MessageLike } from '@throughline/core/messages'
import type { WaysDrawing } from '@throughline/gallery/application'

const talk: readonly MessageLike[] = [
  { role: 'user', content: "You're a test, Harry!" },
  { role: 'assistant', content: "I-I'm a what?" },
  { role: 'user', content: "A test. And a thumping good one at that, I'd wager." },
]

/** A word is a token, and nothing else costs any. */
const framing = { name: 'none', message: 0, call: 0, result: 0, tool: 0, tools: 0, prompt: 0 }
const words = (text: string) => text.split(/\s+/).filter(Boolean).length
const count = createCounter({ id: 'words', exact: true, text: words, framing })

const textsOf = (messages: readonly MessageLike[]) => messages.map(({ content }) => String(content))

/** Three messages in a window of one token, and of 64: what the first message kept makes of them. */
export const harrysCases = (): WaysDrawing['cases'] =>
  [
    {
      label: 'Harry in 1 token',
      about: 'Nothing fits: the first and the newest message stay, and a line says so.',
      window: 1,
    },
    {
      label: 'Harry in 64 tokens',
      about: 'All of it fits: nothing is changed, and no line is added.',
      window: 64,
    },
  ].map(({ label, about, window }) => {
    const { messages } = fit(talk, {
      window,
      reserve: 0,
      policy: spongebob(),
      count,
      overflow: 'keep',
    })
    return { label, about, before: textsOf(talk), after: textsOf(messages) }
  })
