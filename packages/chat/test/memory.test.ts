import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { sliding } from '@throughline/core'
import type { Model } from '@throughline/models'
import { aiSdk } from '@throughline/models/ai-sdk'
import {
  expectValid,
  inChat,
  newHistory,
  partsOf,
  serveReader,
  warningsIn,
} from '@throughline/test-tools/chat-help'
import { isLong } from '@throughline/test-tools/is-long'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createChat, defineTool } from '../src/index.ts'

let server: Awaited<ReturnType<typeof serveReader>>
beforeAll(async () => {
  server = await serveReader()
})
afterAll(() => server.close())

const [turns, middle] = isLong ? [300, 150] : [160, 60]

/** What was said in a turn, and how it is asked for much later. */
const facts = [
  { turn: 1, text: 'My locker code is 4471.', question: 'What is my locker code?', answer: '4471' },
  {
    turn: 7,
    text: 'The ferry to Anholt leaves from pier nine.',
    question: 'From which pier leaves the ferry to Anholt?',
    answer: 'pier nine',
  },
  {
    turn: middle,
    text: 'My sister Ada was born in Svendborg.',
    question: 'Where was my sister Ada born?',
    answer: 'Svendborg',
  },
]
const winds = ['north', 'east', 'south', 'west']
const chatter = (turn: number) =>
  `Today I counted ${turn * 3} gulls near the old mill, the wind came from the ${winds[turn % 4]}, and we had soup.`

it('still answers from the first turns and the middle after many in 4096 tokens, where the last messages alone do not', async () => {
  const history = newHistory()
  const model = server.ollama()
  const chat = createChat({ history, model, system: 'You help a family with its household.' })
  for (let turn = 1; turn <= turns; turn++) {
    const text = facts.find(fact => fact.turn === turn)?.text ?? chatter(turn)
    const parts = await partsOf(chat.send(text, inChat))
    expect(warningsIn(parts)).toEqual([])
    expect(parts.at(-1)).toMatchObject({ status: 'completed', turn })
  }
  const thread = history.thread('chat')
  const log = await thread.messages()
  expect(log).toHaveLength(2 * turns)
  const recent = createChat({ history, model, policy: sliding({ messages: 50 }) })
  for (const { turn, question, answer } of facts) {
    const { text } = await chat.send(question, inChat).result()
    expect(text, `turn ${turn}`).toContain(answer)
    // What most applications send instead: as many of the latest messages as fit.
    const last = [...log.slice(-80), { role: 'user', content: question }]
    expect(await ask(model, last), `turn ${turn}`).not.toContain(answer)
    // And as a policy: what is protected stays, so only the first message is still known.
    const branch = (await thread.fork({ at: 2 * turns })).key.branch
    const slid = (await recent.send(question, { ...inChat, branch }).result()).text
    if (turn === 1) expect(slid).toContain(answer)
    else expect(slid, `turn ${turn}`).not.toContain(answer)
  }
  await expectValid(thread)
})

async function ask(
  model: Model,
  messages: readonly { readonly role: string; readonly content?: unknown }[],
) {
  let text = ''
  for await (const part of model.stream({ messages }))
    if (part.type === 'text-delta') text += part.text
  return text
}

const readLog = (days: number[]) =>
  defineTool({
    name: 'read_log',
    description: 'Reads the log of one day.',
    input: z.object({ day: z.number() }),
    run: ({ day }) => {
      days.push(day)
      const line = `Day ${day}: pump ${day % 4} ran, pressure ${day * 7}, nobody called, the sea was calm.`
      return Array(6).fill(line).join('\n')
    },
  })

it('lets an agent with one user message make 60 rounds of tools in 4096 tokens', async () => {
  const history = newHistory()
  const days: number[] = []
  const before = server.bodies.length
  const chat = createChat({
    history,
    model: server.ollama(),
    tools: [readLog(days)],
    maxRounds: 100,
  })
  const parts = await partsOf(chat.send('repeat 60 times: call read_log with {"day": $i}', inChat))
  expect(parts.at(-1)).toMatchObject({ status: 'completed', rounds: 61 })
  expect(days).toEqual(Array.from({ length: 60 }, (_, at) => at + 1))
  const last = server.bodies.slice(before).at(-1)!
  // The beginning was cut, and the task is still there.
  expect(last.messages.filter(({ role }) => role === 'tool').length).toBeLessThan(50)
  expect(JSON.stringify(last.messages)).toContain('repeat 60 times')
  expect((await chat.send('My code is 12. What is my code?', inChat).result()).text).toContain('12')
  await expectValid(history.thread('chat'))
})

describe('each client', () => {
  const clients: readonly [string, () => Model][] = [
    ['ollama', () => server.ollama()],
    ['openai', () => server.openai()],
    [
      'the AI SDK',
      () => {
        const provider = createOpenAICompatible({
          name: 'local',
          baseURL: `${server.host}/v1`,
          includeUsage: true,
        })
        return aiSdk(provider('reader'), { window: 4096 })
      },
    ],
  ]

  it.each(clients)('%s remembers, calls tools and reports tokens', async (_, model) => {
    const history = newHistory()
    const days: number[] = []
    const chat = createChat({
      history,
      model: model(),
      tools: [readLog(days)],
      notes: true,
      system: 'You help.',
    })
    await chat.send('My locker code is 4471.', inChat).result()
    const worked = await chat
      .send('call read_log with {"day": 3} and read_log with {"day": 4}', inChat)
      .result()
    expect(days.toSorted()).toEqual([3, 4])
    expect(worked).toMatchObject({ rounds: 2, usage: { promptTokens: expect.any(Number) } })
    expect((await chat.send('What is my locker code?', inChat).result()).text).toContain('4471')
    const calls = await history.thread('chat').calls()
    expect(calls).toHaveLength(4)
    for (const { predicted, reported } of calls) expect(predicted).toBeGreaterThanOrEqual(reported!)
    expect(await history.thread('chat').notes()).toHaveLength(3)
    await expectValid(history.thread('chat'))
  })
})
