import { createHistory } from '@throughline/history'
import { type Model, reader } from '@throughline/models'
import { memoryStore, StoreError } from '@throughline/stores'
import {
  errorIn,
  expectGoesOn,
  expectValid,
  inChat,
  kindsOf,
  newHistory,
  partsOf,
  shownIn,
  statusesOf,
} from '@throughline/test-tools/chat-help'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createChat, defineTool } from '../src/index.ts'
import { experiment, experimentTools, hypothesis, steps, variants } from './experiment-tools.ts'

describe('a store that fails', () => {
  it.each(['end', 'append', 'saveCall'] as const)(
    'once, at %s, fails the turn and loses no tool result',
    async method => {
      const store = memoryStore()
      const history = createHistory({ store })
      const ran: string[] = []
      const look = defineTool({
        name: 'look',
        input: z.object({}),
        run: () => ran.push('look') && 'seen',
      })
      const chat = createChat({ history, model: reader(), tools: [look] })
      const whole = store[method].bind(store) as (...given: never[]) => Promise<never>
      let calls = 0
      const failing = async (...given: never[]) => {
        calls += 1
        if (calls === 1) throw new StoreError('store_io', 'The disk is away.')
        return whole(...given)
      }
      Object.assign(store, { [method]: failing })
      const reply = chat.send('call look with {}', inChat)
      const parts = await partsOf(reply)
      expect(kindsOf(parts).slice(-2)).toEqual(['error', 'end'])
      await expect(reply.result()).rejects.toMatchObject({ code: 'store_io' })
      const thread = history.thread('chat')
      const results = (await thread.messages()).filter(({ role }) => role === 'tool')
      expect(results).toHaveLength(ran.length)
      expect(await statusesOf(thread)).toEqual([shownIn(parts) === '' ? 'failed' : 'interrupted'])
      await expectGoesOn(text => chat.send(text, inChat), thread)
    },
  )

  it('when the turn begins is told as an error', async () => {
    const store = memoryStore()
    const begin = store.begin.bind(store)
    store.begin = () => Promise.reject(new StoreError('store_unavailable', 'Nobody is there.'))
    const history = createHistory({ store })
    const chat = createChat({ history, model: reader() })
    const parts = await partsOf(chat.send('Hello.', inChat))
    expect(kindsOf(parts)).toEqual(['error', 'end'])
    expect(errorIn(parts)?.code).toBe('store_unavailable')
    store.begin = begin
    await expectGoesOn(text => chat.send(text, inChat), history.thread('chat'))
  })
})

it('writes nothing more into a conversation that was deleted in the middle of a turn', async () => {
  const history = newHistory()
  const chat = createChat({ history, model: reader() })
  const parts = []
  for await (const part of chat.send('My code is 12.', inChat)) {
    parts.push(part)
    if (part.type === 'text-delta') await history.delete('chat')
  }
  expect(errorIn(parts)?.code).toBe('conversation_deleted')
  expect(kindsOf(parts).slice(-2)).toEqual(['error', 'end'])
  expect(await history.conversations()).toEqual([])
})

describe('a conversation of thousands of messages', () => {
  const filled = async (state: Parameters<typeof createChat>[0]['state']) => {
    const history = newHistory()
    const chat = createChat({
      history,
      model: reader(),
      tools: experimentTools(),
      ...(state ? { state } : {}),
    })
    await chat.send(steps[0]!, { ...inChat, projectId: 'p1' }).result()
    const seeds = Array.from({ length: 4200 }, (_, n) => ({
      role: n % 2 ? 'assistant' : 'user',
      content: `${n}`,
    }))
    await history.thread('chat').seed(...seeds)
    const { messages } = await chat.send(steps[1]!, { ...inChat, projectId: 'p1' }).result()
    return String(messages.find(({ role }) => role === 'tool')?.content)
  }

  it('still has the states that were named', async () => {
    expect(await filled([hypothesis, variants, experiment])).toContain('job A for A larger button')
  })

  it('says which one must be named', async () => {
    expect(await filled(undefined)).toMatch(/^Error: .*the state "hypothesis" must be declared/)
  })
})

describe('the system prompt', () => {
  it('is made fresh for each turn, put first, and not stored', async () => {
    const history = newHistory()
    const seen: unknown[] = []
    const model: Model = {
      ...reader(),
      stream: request => {
        seen.push(request.messages.filter(({ role }) => role === 'system'))
        return reader().stream(request)
      },
    }
    let hour = 8
    const chat = createChat({ history, model, system: async () => `It is ${hour++} o'clock.` })
    await chat.send('My code is 12.', inChat).result()
    await chat.send('What is my code?', inChat).result()
    expect(seen).toEqual([
      [{ role: 'system', content: "It is 8 o'clock." }],
      [{ role: 'system', content: "It is 9 o'clock." }],
    ])
    expect(JSON.stringify(await history.thread('chat').messages())).not.toContain("o'clock")
  })

  it('that cannot be made fails the turn', async () => {
    const history = newHistory()
    const chat = createChat({
      history,
      model: reader(),
      system: () => Promise.reject(new Error('no clock')),
    })
    await expect(chat.send('Hello.', inChat).result()).rejects.toThrow('no clock')
    expect(await history.thread('chat').turns()).toMatchObject([
      { status: 'failed', error: 'internal_error' },
    ])
    await expectValid(history.thread('chat'))
  })
})
