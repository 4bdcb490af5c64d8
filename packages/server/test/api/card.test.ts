import { apiClient } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { readerUpstream } from '../../src/upstream/reader-upstream.ts'

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })

describe.each(await someStores())('why an answer forgot, in %s', (_, create) => {
  async function start({
    question = 'What is the code of the gateway?',
    answer = 'I do not know.',
    fact = 'The gateway is a Zyxel 7, and its code is TEAL-42.',
    more = [] as readonly { role: string; content: string }[],
  } = {}) {
    const server = await startServer({ store: create(), upstream: readerUpstream(), window: 1024 })
    const thread = server.history.thread('trip')
    await thread.seedTurns([
      user('Hello, I am Ada.'),
      assistant('Hello!'),
      user(fact),
      assistant('I keep it in mind.'),
      ...more,
      ...Array.from({ length: 30 }, (_, n) => [
        user(`Day ${n}: ${'wind and water. '.repeat(8)}`),
        assistant(`Noted ${n}.`),
      ]).flat(),
      user(question),
      assistant(answer),
    ])
    const api = apiClient(server.url)
    const usual = 'window=1024&reserve=100&policy=sliding-20'
    const at = 65 + more.length
    const ask = async (query: string) => (await api.get(`/conversations/trip/${query}`)).body
    const card = async (query = '') => (await ask(`card?${usual}&at=${at}${query}`)).card
    return { api, ask, at, card, thread, usual }
  }

  it('names the message, the turn in which it left, and what really would have sent it', async () => {
    const { ask, at, card, usual } = await start()
    const made = await card()
    expect(made).toMatchObject({
      kind: 'cut',
      told: { seq: 3, role: 'user', turn: 2 },
      asked: { turn: 33, question: 'What is the code of the gateway?', answer: 'I do not know.' },
    })
    expect(made.told.marks.map(([from, to]: number[]) => made.told.text.slice(from, to))).toEqual([
      'gateway',
      'code',
    ])
    // Said in turn 2, and kept until the turn before it left.
    expect(made.sent.from).toBe(2)
    expect(made.left).toBe(made.sent.to + 1)
    const fateIn = async (turn: number) => {
      const lines = await ask(`entries/3/life?${usual}`)
      return lines.runs.find(
        ({ from, to }: { from: { turn: number }; to: { turn: number } }) =>
          from.turn <= turn && turn <= to.turn,
      ).fate
    }
    expect(await fateIn(made.sent.to)).toBe('kept')
    expect(await fateIn(made.left)).toBe('omitted')
    const { window = 1024, windowPolicy, policy } = made.cures
    const cure = `window=${window}&reserve=100&policy=${windowPolicy ?? policy ?? 'sliding-20'}`
    const { stretches } = await ask(`context?${cure}&at=${at}`)
    expect(
      stretches.find(({ first, last }: Record<string, number>) => first! <= 3 && last! >= 3).fate,
    ).not.toBe('omitted')
    expect(made.cures.pin).toBeGreaterThan(5)
  })

  it('draws nothing where the answer has it, where nothing was asked for, or where several have it', async () => {
    const right = await start({ answer: 'It is TEAL-42.' })
    expect(await right.card()).toBeUndefined()
    const other = await start({ question: 'Thank you, and good night!' })
    expect(await other.card()).toBeUndefined()
    const several = await start({
      more: [user('The code of the gateway hangs on the door.'), assistant('Good.')],
    })
    expect(await several.card()).toBeUndefined()
    // Named, it is drawn.
    expect(await several.card('&entry=5')).toMatchObject({ told: { seq: 5 } })
  })

  it('draws what is named by words or by place, if it was not sent', async () => {
    const { card, thread } = await start({ question: 'And now?' })
    expect(await card()).toBeUndefined()
    expect(await card('&text=the%20Zyxel')).toMatchObject({ told: { seq: 3 } })
    expect(await card('&entry=3')).toMatchObject({ kind: 'cut', shared: [] })
    expect(await card('&entry=64')).toBeUndefined()
    expect(await card('&entry=9999')).toBeUndefined()
    await thread.hide(3)
    expect(await card('&entry=3&hands=now')).toBeUndefined()
  })

  it('says that nothing matched where old messages are brought back, and this one was not', async () => {
    const { ask } = await start({ question: 'Well, and how did it end?' })
    const { card: brought } = await ask(
      'card?window=1024&reserve=100&policy=balanced&at=65&entry=3',
    )
    expect(brought).toMatchObject({ kind: 'unmatched', told: { seq: 3 } })
  })
})
