import type { MessageLike } from '@throughline/core/messages'
import { describe, expect, it } from 'vitest'
import { ModelError } from './model.ts'
import { rules } from './rules.ts'
import { failureOf, partsOf, textOf } from './upstream.fixture.ts'

const user = (content: string): MessageLike => ({ role: 'user', content })

describe('rules', () => {
  it('answer with a text, and count by words', async () => {
    const model = rules(({ messages }) => `I see ${messages.length} messages.`)
    const parts = await partsOf(model.stream({ messages: [user('Good morning, all.')] }))
    expect(textOf(parts)).toBe('I see 1 messages.')
    expect(parts.at(-1)).toEqual({
      type: 'end',
      reason: 'stop',
      usage: { promptTokens: 9, replyTokens: 5 },
    })
    expect(await model.window()).toBeUndefined()
    expect(await rules(() => '', { window: 512, name: 'mine' }).window()).toBe(512)
  })

  it('write word by word with a pause, and stop when they are cancelled', async () => {
    const model = rules(() => 'One two\n three ', { delayMs: 1 })
    const parts = await partsOf(model.stream({ messages: [user('x')] }))
    expect(parts.map(part => (part.type === 'text-delta' ? part.text : part.type))).toEqual([
      ...['One', ' two', '\n three', ' ', 'end'],
    ])
    const cancel = new AbortController()
    const stream = rules(() => 'a b', { delayMs: 3_600_000 }).stream({
      messages: [],
      signal: cancel.signal,
    })
    const first = stream[Symbol.asyncIterator]().next()
    cancel.abort(new Error('enough'))
    await expect(first).rejects.toThrow('enough')
  })

  it('call tools, and are told which there are', async () => {
    const model = rules(({ tools }) => ({
      text: 'Calling.',
      calls: [{ name: tools[0]!.name, arguments: { n: 1 } }, { name: 'other' }],
    }))
    const tools = [{ name: 'add', parameters: {} }]
    const parts = await partsOf(model.stream({ messages: [user('x')], tools }))
    const calls = parts.filter(part => part.type === 'tool-call')
    expect(calls).toMatchObject([
      { name: 'add', arguments: '{"n":1}' },
      { name: 'other', arguments: '{}' },
    ])
    expect(parts.at(-1)).toMatchObject({ reason: 'tool-calls' })
  })

  it('give every call an id of its own, the same in every run', async () => {
    const model = rules(() => ({ calls: [{ name: 'a' }, { name: 'a' }] }))
    const idsFor = async (...messages: readonly MessageLike[]) =>
      (await partsOf(model.stream({ messages }))).flatMap(part =>
        part.type === 'tool-call' ? [part.id] : [],
      )
    const first = await idsFor(user('Step 1.'))
    expect(await idsFor({ ...user('Step 1.'), time: 5 })).toEqual(first)
    const all = [
      first,
      await idsFor(user('Step 2.')),
      await idsFor(user('Step 1.'), user('again')),
    ].flat()
    expect(new Set(all).size).toBe(6)
  })

  it('fail as a model does: with its own error, or as refused', async () => {
    const busy = rules(() => {
      throw new ModelError('model_busy', 'Later.')
    })
    expect((await failureOf(busy.stream({ messages: [] }))).error.isRetryable).toBe(true)
    const bug = rules(() => {
      throw new TypeError('x is not a function')
    })
    const { error } = await failureOf(bug.stream({ messages: [] }))
    expect([error.code, error.isRetryable]).toEqual(['model_refused', false])
  })

  it('stop when they are told to', async () => {
    const reason = new Error('enough')
    const stream = rules(() => 'x').stream({ messages: [], signal: AbortSignal.abort(reason) })
    await expect(partsOf(stream)).rejects.toBe(reason)
  })
})
