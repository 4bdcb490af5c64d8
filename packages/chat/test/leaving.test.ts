import { getEventListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { type Model, reader } from '@throughline/models'
import {
  expectGoesOn,
  inChat,
  newHistory,
  partsOf,
  statusesOf,
} from '@throughline/test-tools/chat-help'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type ChatPart, createChat, defineTool } from '../src/index.ts'

/** A model that says one word and then waits for its signal. */
function silentModel() {
  let onAbort = () => {}
  const aborted = new Promise<void>(resolve => {
    onAbort = resolve
  })
  const model: Model = {
    name: 'silent',
    window: async () => 4096,
    async *stream({ signal }) {
      signal?.addEventListener('abort', () => onAbort())
      yield { type: 'text-delta', text: 'One moment' }
      await new Promise(() => {})
    },
  }
  return { model, aborted }
}

async function untilSilence() {
  const history = newHistory()
  const { model, aborted } = silentModel()
  const reply = createChat({ history, model }).send('Hello?', inChat)
  const iterator = reply[Symbol.asyncIterator]()
  for (;;) {
    const { value } = await iterator.next()
    if ((value as ChatPart).type === 'text-delta') break
  }
  return { history, thread: history.thread('chat'), aborted, reply, iterator }
}

describe('a reader that leaves', () => {
  it.each(['return', 'throw'] as const)(
    'by %s while it waits for a part cancels the turn, and the model is told',
    async how => {
      const { history, thread, aborted, reply, iterator } = await untilSilence()
      const pending = iterator.next()
      const left = iterator[how]!(new Error('mine')).catch(() => undefined)
      await aborted
      expect((await pending).value).toMatchObject({ type: 'end', status: 'cancelled' })
      await left
      expect(await reply.result()).toMatchObject({ status: 'cancelled', text: 'One moment' })
      expect(await statusesOf(thread)).toEqual(['cancelled'])
      const next = createChat({ history, model: reader() })
      await expectGoesOn(text => next.send(text, inChat), thread)
    },
  )

  it('as a web stream does it cancels the turn', async () => {
    const history = newHistory()
    const { model, aborted } = silentModel()
    const reply = createChat({ history, model }).send('Hello?', inChat)
    const iterator = reply[Symbol.asyncIterator]()
    const stream = new ReadableStream<ChatPart>({
      async pull(controller) {
        const { done, value } = await iterator.next()
        if (!done) controller.enqueue(value)
      },
      cancel: async () => void (await iterator.return?.()),
    })
    const body = stream.getReader()
    for (;;) if ((await body.read()).value?.type === 'text-delta') break
    // The stream has asked for the next part by then.
    await setImmediate()
    await body.cancel()
    await aborted
    expect((await reply.result()).status).toBe('cancelled')
    expect(await statusesOf(history.thread('chat'))).toEqual(['cancelled'])
  })

  it('before the first part has a result too, and nothing was written', async () => {
    const history = newHistory()
    const reply = createChat({ history, model: reader() }).send('Hello?', inChat)
    await reply[Symbol.asyncIterator]().return?.()
    expect(await reply.result()).toEqual({
      status: 'cancelled',
      rounds: 0,
      usage: {},
      text: '',
      messages: [],
    })
    expect(await partsOf(reply)).toEqual([])
    expect(await history.thread('chat').messages()).toEqual([])
  })
})

describe('a signal that outlives the turns', () => {
  const tools = [defineTool({ name: 'count', input: z.object({}), run: () => 1 })]
  it('has nothing left at it when they are over', async () => {
    const app = new AbortController()
    // `AbortSignal.any` cannot be undone: it must not get a signal that lives on.
    const any = AbortSignal.any
    const given: AbortSignal[] = []
    AbortSignal.any = signals => {
      given.push(...signals)
      return any.call(AbortSignal, signals)
    }
    try {
      const chat = createChat({ history: newHistory(), model: reader(), tools })
      for (let n = 0; n < 3; n++)
        await chat.send('call count with {}', { ...inChat, signal: app.signal }).result()
      for await (const _ of chat.send('Hello?', { ...inChat, signal: app.signal })) break
    } finally {
      AbortSignal.any = any
    }
    expect(given).not.toContain(app.signal)
    expect(getEventListeners(app.signal, 'abort')).toEqual([])
  })
})

it('a system prompt that never comes is given up, by the signal or in time', async () => {
  const history = newHistory()
  const never = createChat({
    history,
    model: reader(),
    system: () => new Promise(() => {}),
    stallMs: 60_000,
  })
  const stop = new AbortController()
  const reply = never.send('Hello?', { ...inChat, signal: stop.signal })
  void setImmediate().then(() => stop.abort())
  expect((await reply.result()).status).toBe('cancelled')
  const late = createChat({
    history,
    model: reader(),
    system: () => new Promise(() => {}),
    stallMs: 20,
  })
  await expect(late.send('Hello?', inChat).result()).rejects.toMatchObject({
    code: 'system_stalled',
  })
  const thread = history.thread('chat')
  expect(await statusesOf(thread)).toEqual(['cancelled', 'failed'])
  const next = createChat({ history, model: reader(), system: async () => 'Be brief.' })
  await expectGoesOn(text => next.send(text, inChat), thread)
})

it('a project without a name is refused before anything is asked or written', async () => {
  const history = newHistory()
  const chat = createChat({ history, model: reader() })
  const problem = expect.objectContaining({ code: 'invalid_option' })
  expect(() => chat.send('Hello?', { ...inChat, projectId: '' })).toThrow(problem)
  expect(() => chat.respond([{ role: 'user', content: 'Hello?' }], { projectId: '' })).toThrow(
    problem,
  )
  expect(await history.thread('chat').messages()).toEqual([])
})
