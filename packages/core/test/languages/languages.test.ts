import { isLong } from '@throughline/test-tools/is-long'
import { describe, expect, it } from 'vitest'
import { fit } from '../../src/index.ts'
import { questionMarks, type Tongue, tongues } from './facts.ts'

/** Puts a name in the place of `N`, which begins no word. */
const named = (text: string, name: string) => text.replace(/N(?!\p{Ll})/u, name)

const minute = 60_000

/** A long chat that has 40 facts in its first third, and a question for each. */
function createChat({ names, kinds, talk }: Tongue) {
  const facts = kinds.flatMap(({ said, asked, values }) =>
    names.map((name, at) => ({
      said: named(said.replace(/V(?!\p{Ll})/u, values[at]!), name),
      asked: named(asked, name),
    })),
  )
  const turns = Array.from({ length: 240 }, (_, turn) => {
    const [said, answer] = talk[turn % talk.length]!
    // Every third of the first 120 turns says a fact; the others, and all that follow, are about something else.
    const fact = turn % 3 === 1 ? facts[(turn - 1) / 3] : undefined
    const text = fact?.said ?? named(said, names[turn % names.length]!)
    return { text, answer: fact ? talk[0]![1] : answer }
  })
  const chat = turns.flatMap(({ text, answer }, turn) => [
    { role: 'user', content: text, time: 2 * turn * minute },
    { role: 'assistant', content: answer, time: (2 * turn + 1) * minute },
  ])
  return { chat, facts }
}

/** The facts whose message stands in the context, word for word, when they are asked for in the same session. */
function findFacts(tongue: Tongue, toQuestion: (question: string) => string, step = 1) {
  const { chat, facts } = createChat(tongue)
  return facts
    .filter((_, at) => at % step === 0)
    .filter(({ said, asked }) => {
      const question = {
        role: 'user',
        content: toQuestion(asked),
        time: chat.at(-1)!.time + minute,
      }
      const { messages, receipt } = fit([...chat, question], { window: 1024 })
      expect(receipt.counts.omitted).toBeGreaterThan(chat.length / 2)
      return messages.some(({ content }) => content.includes(said))
    })
}

describe.each(Object.entries(tongues))('%s', (_name, tongue) => {
  it('finds facts that are asked for with a question mark', () => {
    expect(findFacts(tongue, question => question)).toHaveLength(40)
  })

  it('finds facts that are asked for without one', () => {
    const step = isLong ? 1 : 4
    const found = findFacts(tongue, question => question.replace(questionMarks, ''), step)
    expect(found).toHaveLength(40 / step)
  })

  it('brings nothing back for talk about something else', () => {
    const { chat } = createChat(tongue)
    const [said] = tongue.talk[0]!
    const { receipt } = fit(
      [...chat, { role: 'user', content: said, time: chat.at(-1)!.time + minute }],
      {
        window: 1024,
      },
    )
    expect(receipt.parts.recall).toBe(0)
  })
})

it('names a pair of characters as the reason, and not each of them too', () => {
  const { chat } = createChat(tongues.Chinese!)
  const question = { role: 'user', content: '王芳开的是什么车？', time: chat.at(-1)!.time + minute }
  const { receipt } = fit([...chat, question], { window: 1024 })
  const [car] = receipt.entries.filter(({ seq }) => chat[seq]?.content.startsWith('王芳现在开'))
  expect(car).toMatchObject({ fate: 'recalled', why: 'asked for: 王芳, 开, 车' })
})

it('knows the languages that it says it knows', () => {
  expect(Object.keys(tongues)).toHaveLength(8)
})
