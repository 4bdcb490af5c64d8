import type { MessageLike } from '@throughline/core'
import { createHistory } from '@throughline/history'
import type { Model, ModelPart } from '@throughline/models'
import { memoryStore } from '@throughline/stores'
import { inChat } from '@throughline/test-tools/chat-help'
import { someStores } from '@throughline/test-tools/every-store'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type ChatOptions, createChat, defineTool } from '../src/index.ts'

const text = 'some words of a large file\n'.repeat(2_000)
const tools = [
  defineTool({ name: 'short', input: z.object({}), run: () => 'seen' }),
  defineTool({ name: 'long', input: z.object({}), run: () => text }),
]

/** A model that calls the tool that it is told, and then answers. Keeps the names of the tools that it was offered. */
function obedient() {
  const offered: (readonly string[])[] = []
  const model: Model = {
    name: 'obedient',
    window: async () => 4096,
    async *stream({ messages, tools = [] }): AsyncGenerator<ModelPart> {
      offered.push(tools.map(({ name }) => name))
      const { role, content } = messages.at(-1)!
      if (role === 'user' && /^(?:short|long)$/.test(String(content)))
        yield { type: 'tool-call', id: 'c1', name: String(content), arguments: '{}' }
      else yield { type: 'text-delta', text: 'Done.' }
      yield { type: 'end', reason: 'stop', usage: {} }
    },
  }
  return { model, offered }
}

const without = ['short', 'long']
const withIt = ['short', 'long', 'read_result']

describe.each(await someStores())('read_result, on %s,', (_, create) => {
  it('is offered once a result was clipped, and from then on, also after a restart', async () => {
    const store = create()
    const { model, offered } = obedient()
    const newChat = (options: Partial<ChatOptions> = {}) =>
      createChat({ history: createHistory({ store }), model, tools, ...options })
    const chat = newChat()
    for (const input of ['Hello.', 'short', 'long', 'Hello.']) await chat.send(input, inChat)
    expect(offered.splice(0)).toEqual([without, without, without, without, withIt, withIt])
    await newChat().send('Hello again.', inChat)
    // Where the clipped result is long out of the window too.
    const small = newChat({ window: 640, maxResultTokens: 64 })
    await small.send('Hello once more.', inChat)
    expect(offered.splice(0)).toEqual([withIt, withIt])
    const { branch } = await chat.edit('Hello?', { ...inChat, at: 1 })
    await chat.send('short', { ...inChat, branch: branch! })
    expect(offered.splice(0)).toEqual([without, without, without])
  })
})

it('read_result is offered after a restart from checkpoints', async () => {
  const store = memoryStore()
  const { model, offered } = obedient()
  const history = createHistory({ store })
  await createChat({ history, model, tools }).send('long', inChat)
  const many = Array.from({ length: 1_500 }, (_, at): MessageLike[] => [
    { role: 'user', content: `Question ${at}` },
    { role: 'assistant', content: `Answer ${at}` },
  ])
  await history.thread('chat').seed(...many.flat())
  const again = () =>
    createChat({ history: createHistory({ store }), model, tools }).send('Hello.', inChat)
  await again()
  let read = 0
  const { entries } = store
  store.entries = async function* (...given) {
    for await (const entry of entries(...given)) {
      read += 1
      yield entry
    }
  }
  offered.length = 0
  await again()
  expect(offered).toEqual([withIt])
  // Without the checkpoints it would be all of them.
  expect(read).toBeLessThan(2_500)
  expect(await history.check()).toEqual([])
})

it('read_result is offered to a list that a client sends, as its results say', async () => {
  const { model, offered } = obedient()
  const chat = createChat({ model, tools })
  let list: readonly MessageLike[] = []
  for (const content of ['short', 'long', 'Hello.']) {
    list = [...list, { role: 'user', content }]
    list = [...list, ...(await chat.respond(list)).messages]
  }
  expect(offered).toEqual([without, without, without, withIt, withIt])
})
