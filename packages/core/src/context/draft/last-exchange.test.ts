import { describe, expect, it } from 'vitest'
import { assistant, round, system, user } from '../../testing/builders.ts'
import { fit } from '../fit.ts'
import { plainPolicies } from '../policies/choose-policy.ts'
import { sliding } from '../policies/sliding.ts'

const options = { window: 4096, reserve: 512 }
const policies = Object.entries({ ...plainPolicies, sliding: sliding({ messages: 1 }) })

const chatter = Array.from({ length: 60 }, (_, n) => [
  user(`What do you think of island ${n}, with its harbour and its lighthouse?`),
  assistant(`Island ${n} is quiet in winter; the lighthouse was built in 18${10 + n}.`),
]).flat()

const functions = (count: number) =>
  Array.from(
    { length: count },
    (_, n) => `function f${n}(value) { return value * ${n} + ${n * 7} }`,
  ).join('\n')

describe.each(policies)('what was just said, with %s', (_, policy) => {
  const contextOf = (chat: readonly object[]) => fit(chat as never[], { ...options, policy })

  it('is sent whole: a program, and the wish to rename a function of it', () => {
    const [asked, program] = [
      user('Write a program with many functions.'),
      assistant(functions(130)),
    ]
    const { messages, receipt } = contextOf([
      ...chatter,
      asked,
      program,
      user('Rename f3 to g3, please.'),
    ])
    expect(messages).toContain(program)
    expect(messages).toContain(asked)
    expect(receipt.tokens).toBeGreaterThan(2000)
  })

  it('is sent whole: a long paste, and the question about it', () => {
    const paste = user(`Here are the minutes:\n${functions(75)}\nThe code of the door is 4711.`)
    const thanks = [
      assistant('Thank you, I have read them.'),
      user('What is the code of the door?'),
    ]
    expect(contextOf([...chatter, paste, ...thanks]).messages).toContain(paste)
  })

  it('is sent whole: user messages in a row, which no reply has answered yet', () => {
    const pictures = [1, 2, 3].map(n => user(`Picture ${n}: ${functions(20)}`))
    const { messages } = contextOf([...chatter, ...pictures, user('Which is the brightest?')])
    for (const picture of pictures) expect(messages).toContain(picture)
  })

  it('is whole where no reply has answered it yet, though the exchange before must be clipped for it', () => {
    const answer = assistant(functions(120))
    const paste = user(`Here are the minutes:\n${functions(120)}`)
    const chat = [...chatter, user('Go on.'), answer, paste, user('What do they say?')]
    const { messages, receipt } = contextOf(chat)
    expect(messages).toContain(paste)
    expect(receipt.entries[121]).toMatchObject({ fate: 'altered', rule: 'exchange' })
  })

  it('is not pushed out by dates in the conversation', () => {
    const dated = chatter.flatMap((message, at) =>
      at % 2 === 0
        ? [system(`[Session ${at}, ${at % 28} May 2025, the ${at}th of many days]`), message]
        : [message],
    )
    const exchange = [user('Tell me of the north.'), assistant(functions(90))]
    const { messages, receipt } = contextOf([...dated, ...exchange, user('Shorter, please.')])
    for (const message of exchange) expect(messages).toContain(message)
    expect(receipt.tokens).toBeLessThanOrEqual(receipt.capacity)
  })

  it('is sent with its beginning and its end where it does not fit, and the gap is named', () => {
    const long = `It begins here.\n${functions(400)}\nIt ends here.`
    const chat = [...chatter, user('All of it, please.'), assistant(long), user('Shorter, please.')]
    const { messages, receipt } = contextOf(chat)
    const sent = messages
      .map(({ content }) => String(content))
      .find(text => text.startsWith('It begins here.'))
    expect(sent).toContain('It ends here.')
    // No words of ours stand in the mouth of the assistant.
    expect(sent).toContain('\n[…]\n')
    expect(receipt.entries[121]).toMatchObject({ fate: 'altered', rule: 'exchange' })
    expect(receipt.tokens).toBeGreaterThan(0.6 * receipt.capacity)
  })

  it('goes before the rounds of the open turn, and only once', () => {
    const exchange = [user('Tell me of the north.'), assistant(functions(60))]
    const rounds = Array.from({ length: 12 }, (_, n) =>
      round('read', `File ${n}: ${functions(20)}`),
    ).flat()
    const sentWith = (size: number) =>
      contextOf([
        ...chatter,
        ...exchange,
        user('Now look into the files.'),
        ...rounds.slice(0, 2 * size),
      ]).messages.includes(exchange[1]! as never)
    const sent = Array.from({ length: 13 }, (_, size) => sentWith(size))
    expect(sent[0]).toBe(true)
    expect(sent.at(-1)).toBe(false)
    expect(sent.lastIndexOf(true)).toBeLessThan(sent.indexOf(false))
  })
})
