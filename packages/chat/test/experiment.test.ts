import { join } from 'node:path'
import type { MessageLike } from '@throughline/core'
import { createHistory, type History } from '@throughline/history'
import { memoryStore } from '@throughline/stores'
import { postgresStore } from '@throughline/stores/postgres'
import { sqliteStore } from '@throughline/stores/sqlite'
import {
  expectValid,
  inChat,
  newHistory,
  partsOf,
  serveReader,
  statusesOf,
} from '@throughline/test-tools/chat-help'
import { startPostgres, whyNoPostgres } from '@throughline/test-tools/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createChat } from '../src/index.ts'
import { experiment, experimentTools, outcome, steps, variants } from './experiment-tools.ts'
import { createExperimentProgram, type ExperimentProgram } from './start-program.ts'

let server: Awaited<ReturnType<typeof serveReader>>
let program: ExperimentProgram
beforeAll(async () => {
  server = await serveReader()
  program = await createExperimentProgram()
})
afterAll(async () => {
  program?.stop()
  await server?.close()
})

const tools = experimentTools()
const projectId = 'p1'
const chatOn = (history: History) => createChat({ history, model: server.ollama(), tools })
const lastResult = (messages: readonly MessageLike[]) =>
  String(messages.findLast(({ role }) => role === 'tool')?.content)

describe('the experiment flow', () => {
  it.each(['ollama', 'openai'] as const)(
    'goes from the hypothesis to the experiment, through %s',
    async client => {
      const history = newHistory()
      const model = client === 'ollama' ? server.ollama() : server.openai()
      const chat = createChat({ history, model, tools })
      for (const text of steps) await chat.send(text, { ...inChat, projectId }).result()
      const thread = history.thread('chat')
      expect(JSON.parse(lastResult(await thread.messages()))).toEqual(outcome)
      expect((await thread.state(experiment)).value).toMatchObject({
        experimentId: outcome.experimentId,
      })
      expect((await thread.state(variants)).value?.map(({ jobId }) => jobId)).toEqual(outcome.jobs)
      await expectValid(thread)
    },
  )

  it('ends the same in one turn, from what its tools remember', async () => {
    const history = newHistory()
    const chat = chatOn(history)
    const { rounds, messages } = await chat
      .send(steps.join('\n'), { ...inChat, projectId })
      .result()
    expect(rounds).toBe(5)
    expect(JSON.parse(lastResult(messages))).toEqual(outcome)
  })

  it('ends the same when the process is killed after every step', async () => {
    const path = join(program.folder, 'killed.db')
    let results: readonly string[] = []
    for (const text of steps)
      ({ results } = await program.runAndKill({ path, host: server.host, text }))
    expect(JSON.parse(results[0]!)).toEqual(outcome)
    const history = createHistory({ store: sqliteStore({ path }) })
    expect(await statusesOf(history.thread('chat'))).toEqual(Array(4).fill('completed'))
    await expectValid(history.thread('chat'))
    await history.close()
  })

  it('ends the same when the process is killed in the middle of a tool', async () => {
    const path = join(program.folder, 'hanging.db')
    const at = { path, host: server.host }
    const [first, second, ...rest] = steps
    await program.runAndKill({ ...at, text: first! })
    expect(await program.runAndKill({ ...at, text: second!, isHanging: true })).toMatchObject({
      kind: 'hanging',
    })
    await program.runAndKill({ ...at, text: second! })
    const history = createHistory({ store: sqliteStore({ path }) })
    for (const text of rest)
      await chatOn(history)
        .send(text, { ...inChat, projectId })
        .result()
    const thread = history.thread('chat')
    expect(await statusesOf(thread)).toEqual([
      'completed',
      'interrupted',
      ...Array(3).fill('completed'),
    ])
    const log = await thread.messages()
    expect(JSON.parse(lastResult(log))).toEqual(outcome)
    expect(JSON.stringify(log)).toContain('Error: interrupted')
    await expectValid(thread)
    await history.close()
  })

  it('ends the same on two instances that take turns', async () => {
    const store = memoryStore()
    const instances = [1, 2].map(() => createHistory({ store }))
    for (const [at, text] of steps.entries())
      await chatOn(instances[at % 2]!)
        .send(text, { ...inChat, projectId })
        .result()
    expect(JSON.parse(lastResult(await instances[0]!.thread('chat').messages()))).toEqual(outcome)
  })

  const why = process.env.THROUGHLINE_LONG ? whyNoPostgres() : 'only in the long run'
  if (why) console.info(`Skipped: two instances with one PostgreSQL, ${why}`)
  it.skipIf(why)('ends the same on two instances with one PostgreSQL', async () => {
    const postgres = await startPostgres()
    try {
      const instances = [1, 2].map(() =>
        createHistory({ store: postgresStore({ url: postgres.url }) }),
      )
      for (const [at, text] of steps.entries())
        await chatOn(instances[at % 2]!)
          .send(text, { ...inChat, projectId })
          .result()
      expect(JSON.parse(lastResult(await instances[1]!.thread('chat').messages()))).toEqual(outcome)
      for (const instance of instances) await instance.close()
    } finally {
      await postgres.stop()
    }
  })

  it('ends the same when the client carries the conversation, to a new instance each time', async () => {
    let carried = '[]'
    for (const text of steps) {
      const messages = [...(JSON.parse(carried) as MessageLike[]), { role: 'user', content: text }]
      const chat = createChat({ model: server.ollama(), tools })
      const result = await chat.respond(messages, { projectId }).result()
      expect(result).toMatchObject({ status: 'completed', rounds: 2 })
      expect(result.turn).toBeUndefined()
      carried = JSON.stringify([...messages, ...result.messages])
    }
    const messages = JSON.parse(carried) as MessageLike[]
    expect(JSON.parse(lastResult(messages))).toEqual(outcome)
    expect(messages.map(({ role }) => role)).toEqual(
      Array(4).fill(['user', 'assistant', 'tool', 'assistant']).flat(),
    )
  })

  it('finds what was made long before the window begins', async () => {
    const history = newHistory()
    const chat = createChat({ history, model: server.ollama(), tools, window: 2048 })
    for (const text of steps.slice(0, 2)) await chat.send(text, { ...inChat, projectId }).result()
    for (let day = 0; day < 40; day++)
      await chat
        .send(`On day ${day} the shop sold ${day * 13} lamps and the weather was fine.`, inChat)
        .result()
    const sent = JSON.stringify(server.bodies.at(-1))
    expect(sent).not.toContain('"jobId')
    for (const text of steps.slice(2)) await chat.send(text, { ...inChat, projectId }).result()
    expect(JSON.parse(lastResult(await history.thread('chat').messages()))).toEqual(outcome)
  })
})

describe('a tool without what it needs', () => {
  const missing = {
    hypothesis:
      'Error: No hypothesis available. Please generate hypotheses first using the generate_hypotheses tool.',
    variants:
      'Error: No variants available. Please generate variants first using the generate_variants tool.',
  }

  it.each([
    ['Now call generate_variants.', missing.hypothesis],
    ['Please call preview_experiment.', missing.variants],
    ['Yes, call create_experiment.', missing.hypothesis],
  ])('%s → tells the model what to do first', async (text, expected) => {
    const history = newHistory()
    const stored = await chatOn(history)
      .send(text, { ...inChat, projectId })
      .result()
    expect(lastResult(stored.messages)).toBe(expected)
    const chat = createChat({ model: server.ollama(), tools })
    const carried = await chat.respond([{ role: 'user', content: text }], { projectId }).result()
    expect(lastResult(carried.messages)).toBe(expected)
  })

  it('never gets what another conversation made, also at the same time', async () => {
    const history = newHistory()
    const chat = chatOn(history)
    const run = async (conversation: string) => {
      const url = `https://${conversation}.example`
      await chat
        .send(`call generate_hypotheses with {"url":"${url}"}`, { conversation, projectId })
        .result()
      const { messages } = await chat
        .send('Now call generate_variants.', { conversation, projectId })
        .result()
      return { url, made: lastResult(messages) }
    }
    for (const { url, made } of await Promise.all(['ada', 'ben', 'cleo'].map(run)))
      expect(made).toContain(url)
    const { messages } = await chat.send(steps[1]!, { conversation: 'dan', projectId }).result()
    expect(lastResult(messages)).toBe(missing.hypothesis)
  })

  it('never gets an id of another project from a history that a client sent', async () => {
    const call = {
      role: 'assistant',
      content: '',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'create_experiment', arguments: '{}' } },
      ],
    }
    const history = (owner: string) => [
      { role: 'user', content: 'Create it.' },
      call,
      {
        role: 'tool',
        tool_call_id: 'c1',
        content: JSON.stringify({ experimentId: 'exp 9', projectId: owner }),
      },
      { role: 'assistant', content: 'Created.' },
      { role: 'user', content: 'Please call show_status.' },
    ]
    const chat = createChat({ model: server.ollama(), tools })
    const own = await chat.respond(history('p1'), { projectId }).result()
    expect(lastResult(own.messages)).toBe('exp 9 is running')
    const foreign = await partsOf(chat.respond(history('p2'), { projectId }))
    expect(JSON.stringify(foreign.filter(({ type }) => type === 'tool-result'))).toContain(
      'nothing is running',
    )
  })
})
