import type { MessageLike } from '@throughline/core'
import { type Model, type ModelPart, reader } from '@throughline/models'
import { inChat, newHistory } from '@throughline/test-tools/chat-help'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { type ChatOptions, createChat, defineTool } from '../src/index.ts'

const look = defineTool({ name: 'look', input: z.object({}), run: () => 'seen' })

it.each<[string, unknown, string]>([
  ['nothing', undefined, 'model'],
  ['null', null, 'options'],
  ['{}', {}, 'model'],
  ['a factory instead of a model', { model: reader }, 'model'],
  ['the name of a model', { model: 'llama3.2' }, 'model'],
  ['tools as an object', { model: reader(), tools: {} }, 'tools'],
  ['tools by name', { model: reader(), tools: { look } }, 'tools'],
  ['no tools as null', { model: reader(), tools: null }, 'tools'],
  ['tools that are none', { model: reader(), tools: [undefined] }, 'tools'],
  ['tools that are no objects', { model: reader(), tools: ['look'] }, 'tools'],
  [
    'a schema instead of a tool',
    { model: reader(), tools: [{ name: 'look', parameters: {} }] },
    'tools',
  ],
  ['a store instead of a history', { model: reader(), history: {} }, 'history'],
  ['a number as text', { model: reader(), window: '4096' }, 'window'],
  ['notes as text', { model: reader(), notes: 'reply' }, 'notes'],
  ['notes by nothing that there is', { model: reader(), notes: { by: 'mail' } }, 'notes'],
  ['a system prompt that is none', { model: reader(), system: 7 }, 'system'],
  ['another word', { model: reader(), cancelledTurn: 'forget' }, 'cancelledTurn'],
])('createChat refuses %s, and says which option it is', (_, options, option) => {
  const problem = expect.objectContaining({ code: 'invalid_option', option })
  expect(() => createChat(options as ChatOptions)).toThrow(problem)
})

it('quotes what was given', () => {
  expect(() => createChat({ model: reader(), window: '4096' as never })).toThrow(/got "4096"/)
  expect(() => createChat({ model: reader(), tools: {} as never })).toThrow(
    /list.*defineTool.*got an object/,
  )
})

it.each<[string, unknown]>([
  ['undefined', undefined],
  ['null', null],
  ['a text', 'Hello?'],
  ['one message', { role: 'user', content: 'Hello?' }],
])('respond refuses %s before anything is asked', (_, messages) => {
  const chat = createChat({ model: reader() })
  expect(() => chat.respond(messages as readonly MessageLike[])).toThrow(
    expect.objectContaining({ code: 'invalid_option', option: 'messages' }),
  )
})

it('respond refuses a list with something else in it, and says where', () => {
  const chat = createChat({ model: reader() })
  const messages = [{ role: 'user', content: 'Hello?' }, null] as unknown as readonly MessageLike[]
  expect(() => chat.respond(messages)).toThrow(
    expect.objectContaining({ code: 'invalid_message', seq: 1 }),
  )
})

it.each<[string, unknown]>([
  ['null', null],
  ['undefined', undefined],
  ['a number', 7],
  ['a list', [{ role: 'user', content: 'Hello?' }]],
])('send refuses %s before anything is written', async (_, input) => {
  const history = newHistory()
  const chat = createChat({ model: reader(), history })
  expect(() => chat.send(input as string, inChat)).toThrow(
    expect.objectContaining({ code: 'invalid_option', option: 'input' }),
  )
  expect(await history.conversations()).toEqual([])
})

it('defineTool refuses what is no tool', () => {
  const input = z.object({})
  for (const [option, tool] of [
    ['name', undefined],
    ['name', { input, run: () => '' }],
    ['input', { name: 'look', run: () => '' }],
    ['run', { name: 'look', input }],
  ] as const)
    expect(() => defineTool(tool as never), option).toThrow(
      expect.objectContaining({ code: 'invalid_option', option }),
    )
})

/** The names of the warnings that Node gives meanwhile. */
async function warningsOf(work: () => Promise<void>): Promise<readonly string[]> {
  const warnings: string[] = []
  const note = (warning: Error) => void warnings.push(warning.name)
  process.on('warning', note)
  try {
    await work()
    await new Promise(resolve => setImmediate(resolve))
    return warnings
  } finally {
    process.off('warning', note)
  }
}

it('twenty turns share a signal without a warning', async () => {
  const { signal } = new AbortController()
  const chat = createChat({ model: reader(), history: newHistory() })
  const all = Array.from({ length: 20 }, (_, at) =>
    chat.send('Hello.', { conversation: `c${at}`, signal }),
  )
  const warnings = await warningsOf(async () => {
    for (const { status } of await Promise.all(all)) expect(status).toBe('completed')
  })
  expect(warnings).toEqual([])
})

it('thirty tools side by side listen to the signals without a warning', async () => {
  const all = Array.from({ length: 30 }, (_, at) => at)
  let isAsked = false
  const model: Model = {
    name: 'many',
    window: async () => 4096,
    async *stream(): AsyncGenerator<ModelPart> {
      if (!isAsked)
        for (const at of all)
          yield { type: 'tool-call', id: `c${at}`, name: 'wait', arguments: '{}' }
      else yield { type: 'text-delta', text: 'Done.' }
      isAsked = true
      yield { type: 'end', reason: 'stop', usage: {} }
    },
  }
  let running = 0
  let go = () => {}
  const allRun = new Promise<void>(resolve => {
    go = resolve
  })
  const wait = defineTool({
    name: 'wait',
    input: z.object({}),
    run: async (_, { signal }) => {
      signal.addEventListener('abort', () => undefined)
      running += 1
      if (running === all.length) go()
      await allRun
      return 'ok'
    },
  })
  const chat = createChat({ model, history: newHistory(), tools: [wait] })
  const { signal } = new AbortController()
  const warnings = await warningsOf(async () => {
    const { messages } = await chat.send('All at once.', { ...inChat, signal })
    expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(all.length)
  })
  expect(warnings).toEqual([])
})
