import { defineState } from '@throughline/core/state'
import { currentState, getContext, rememberState, requireState } from '@throughline/history/request'
import { openaiCompatible } from '@throughline/models'
import {
  expectGoesOn,
  expectValid,
  inChat,
  newHistory,
  partsOf,
  statusesOf,
} from '@throughline/test-tools/chat-help'
import {
  ollamaAnswer,
  openaiAnswer,
  startUpstream,
  type UpstreamAnswer,
} from '@throughline/test-tools/scripted-upstream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { type ChatOptions, createChat, defineTool, type Tool } from '../src/index.ts'
import { calling, resultsIn, scriptedChat } from './scripted-chat.ts'

const anything = z.object({})

const scripted = (
  answers: readonly UpstreamAnswer[],
  tools: readonly Tool[],
  options: Partial<ChatOptions> = {},
) => scriptedChat(answers, { tools, ...options })

describe('tools', () => {
  it('run side by side, and each result is told as soon as it is there', async () => {
    let [release, start] = [() => {}, () => {}]
    const isReleased = new Promise<void>(resolve => {
      release = resolve
    })
    const hasStarted = new Promise<void>(resolve => {
      start = resolve
    })
    const left = defineTool({
      name: 'left',
      input: anything,
      run: async () => {
        start()
        await isReleased
        return 'left'
      },
    })
    const right = defineTool({
      name: 'right',
      input: anything,
      run: () => hasStarted.then(() => 'right'),
    })
    const { chat, thread, sent } = await scripted([calling(['left'], ['right'])], [left, right])
    const results: string[] = []
    for await (const part of chat.send('Both.', inChat)) {
      if (part.type !== 'tool-result') continue
      results.push(part.text)
      // The first result is logged while the other tool still runs.
      expect((await thread.messages()).at(-1)?.content).toBe(part.text)
      release()
    }
    expect(results).toEqual(['right', 'left'])
    const [, second] = sent()
    const answers = second!.messages.filter(({ role }) => role === 'tool')
    // The model gets them in the order of the calls.
    expect(answers.map(({ tool_call_id: id, content }) => [id, content])).toEqual([
      ['c1', 'left'],
      ['c2', 'right'],
    ])
    await expectGoesOn(text => chat.send(text, inChat), thread)
  })

  describe('that run in order', () => {
    const draft = defineState({
      name: 'draft',
      tool: 'write',
      schema: z.object({ text: z.string() }),
    })
    const noted: string[] = []
    const write = (options: Partial<Tool> = {}) =>
      defineTool({
        name: 'write',
        input: anything,
        ...options,
        async run() {
          await new Promise(resolve => setImmediate(resolve))
          noted.push('written')
          rememberState(draft, { text: 'a letter' })
          return { text: 'a letter' }
        },
      })
    const send = (options: Partial<Tool> = {}) =>
      defineTool({
        name: 'send',
        input: anything,
        ...options,
        run() {
          noted.push('sent')
          return `sent: ${currentState(draft)?.text ?? 'nothing'}`
        },
      })
    const look = (options: Partial<Tool> = {}) =>
      defineTool({
        name: 'look',
        input: anything,
        ...options,
        run: () => noted.push('looked') && 'fine',
      })

    it.each<[string, readonly Tool[], Partial<ChatOptions>, readonly string[], string]>([
      [
        'no tool by default, where the chat names no state',
        [write(), send(), look()],
        { state: [] },
        ['sent', 'looked', 'written'],
        'sent: nothing',
      ],
      [
        'all by default, where the chat names a state',
        [write(), send(), look()],
        {},
        ['written', 'sent', 'looked'],
        'sent: a letter',
      ],
      [
        'all of a chat',
        [write(), send(), look()],
        { toolsInOrder: true },
        ['written', 'sent', 'looked'],
        'sent: a letter',
      ],
      [
        'a tool that waits for those before it',
        [write(), send({ inOrder: true }), look()],
        { toolsInOrder: false },
        ['written', 'sent', 'looked'],
        'sent: a letter',
      ],
      [
        'a tool that holds up those behind it',
        [write({ inOrder: true }), send(), look()],
        { toolsInOrder: false },
        ['written', 'sent', 'looked'],
        'sent: a letter',
      ],
      [
        'all but a tool that need not wait',
        [write({ inOrder: false }), send({ inOrder: false }), look()],
        { toolsInOrder: true },
        ['sent', 'written', 'looked'],
        'sent: nothing',
      ],
    ])('%s', async (_, tools, options, order, result) => {
      noted.length = 0
      const answers = [calling(['write'], ['send'], ['look'])]
      const { chat, thread, sent } = await scripted(answers, tools, { state: [draft], ...options })
      await partsOf(chat.send('Write and send it.', inChat))
      expect(noted).toEqual(order)
      const results = sent()[1]!.messages.filter(({ role }) => role === 'tool')
      expect(results.map(({ content }) => content)).toEqual(['{"text":"a letter"}', result, 'fine'])
      await expectGoesOn(text => chat.send(text, inChat), thread)
    })

    it('or else learn from the error that the tool before them is not done', async () => {
      const need = defineTool({
        name: 'need',
        input: anything,
        run: () => requireState(draft).text,
      })
      const answers = [calling(['write'], ['need'])]
      const beside = await scripted(answers, [write(), need], {
        state: [draft],
        toolsInOrder: false,
      })
      await partsOf(beside.chat.send('Write and send it.', inChat))
      expect(beside.sent()[1]!.messages.at(-1)!.content).toBe(
        'Error: No draft available. Please use the write tool first. It was called in the same message and is not done: call it first and wait for its result (with toolsInOrder, the tools of one message wait for each other).',
      )
      const inOrder = await scripted(answers, [write(), need], { state: [draft] })
      await partsOf(inOrder.chat.send('Write and send it.', inChat))
      expect(inOrder.sent()[1]!.messages.at(-1)!.content).toBe('a letter')
      // A tool that was called in an earlier turn is not being made.
      const alone = await scripted([calling(['need'])], [write(), need], { state: [draft] })
      await partsOf(alone.chat.send('Send it.', inChat))
      expect(alone.sent()[1]!.messages.at(-1)!.content).not.toContain('toolsInOrder')
    })

    it('do not begin once the turn is cancelled', async () => {
      noted.length = 0
      const controller = new AbortController()
      const stop = defineTool({
        name: 'stop',
        input: anything,
        run: () => {
          controller.abort()
          return new Promise(() => {})
        },
      })
      const { chat, thread } = await scripted([calling(['stop'], ['send'])], [stop, send()], {
        toolsInOrder: true,
      })
      await partsOf(chat.send('Go.', { ...inChat, signal: controller.signal }))
      expect(noted).toEqual([])
      expect(await statusesOf(thread)).toEqual(['cancelled'])
      await expectGoesOn(text => chat.send(text, inChat), thread)
    })
  })

  it('that hang are told to stop, and the model is told of it', async () => {
    let reason: unknown
    const hang = defineTool({
      name: 'hang',
      input: anything,
      timeoutMs: 100,
      run: (_, { signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            reason = signal.reason
          })
        }),
    })
    const { chat, thread } = await scripted([calling(['hang'])], [hang])
    const parts = await partsOf(chat.send('Go.', inChat))
    expect(resultsIn(parts)).toEqual(['Error: hang did not answer within 100 ms'])
    expect(reason).toBeInstanceOf(Error)
    expect(await statusesOf(thread)).toEqual(['completed'])
    await expectGoesOn(text => chat.send(text, inChat), thread)
  })

  it.each<[string, () => unknown, string]>([
    ['throws', () => Promise.reject(new Error('disk is full')), 'Error: disk is full'],
    [
      'throws no Error',
      () => {
        throw 'a text'
      },
      'Error: a text',
    ],
    [
      'throws what has no text',
      () => {
        throw Object.create(null)
      },
      'Error: it failed',
    ],
    [
      'throws an error of time',
      () => Promise.reject(new DOMException('too slow', 'TimeoutError')),
      'Error: too slow',
    ],
    ['returns nothing', () => undefined, ''],
    ['returns 0', () => 0, '0'],
    ['returns false', () => false, 'false'],
    ['returns null', () => null, 'null'],
    ['returns a text', () => 'as it is', 'as it is'],
    ['returns a value', async () => ({ a: [1] }), '{"a":[1]}'],
    ['returns a function', () => () => 1, ''],
    [
      'returns a circle',
      () => {
        const circle: Record<string, unknown> = {}
        circle.circle = circle
        return circle
      },
      'Error: odd gave a value that cannot be written as JSON',
    ],
    ['returns a bigint', () => 1n, 'Error: odd gave a value that cannot be written as JSON'],
  ])('one that %s has a result', async (_, run, expected) => {
    const { chat, thread } = await scripted(
      [calling(['odd'])],
      [defineTool({ name: 'odd', input: anything, run })],
    )
    const parts = await partsOf(chat.send('Go.', inChat))
    expect(resultsIn(parts)).toEqual([expected])
    expect(parts.some(part => part.type === 'tool-result' && part.isError)).toBe(
      expected.startsWith('Error: '),
    )
    expect((await thread.messages()).find(({ role }) => role === 'tool')?.content).toBe(expected)
    expect(await statusesOf(thread)).toEqual(['completed'])
    await expectGoesOn(text => chat.send(text, inChat), thread)
  })

  it('get what their schema gives, and never what it refuses', async () => {
    const got: unknown[] = []
    const add = defineTool({
      name: 'add',
      input: z.object({ a: z.coerce.number(), b: z.number().default(1) }),
      run: input => {
        got.push(input)
        return input.a + input.b
      },
    })
    const { chat, thread } = await scripted(
      [calling(['add', { a: '2' }], ['add', { a: 'x', b: 'y' }])],
      [add],
    )
    const results = resultsIn(await partsOf(chat.send('Go.', inChat)))
    expect(results.toSorted()[0]).toBe('3')
    expect(results.toSorted()[1]).toMatch(/^Error: the arguments of add do not fit: a: .*; b: /)
    expect(got).toEqual([{ a: 2, b: 1 }])
    await expectGoesOn(text => chat.send(text, inChat), thread)
  })

  it('are called with arguments that are no JSON, through the openai client', async () => {
    const delta = {
      index: 0,
      id: 'c1',
      type: 'function',
      function: { name: 'odd', arguments: '{"a": ' },
    }
    const upstream = await startUpstream([
      openaiAnswer([{ tool_calls: [delta] }], { finish: 'tool_calls' }),
      openaiAnswer([{ content: 'Sorry.' }]),
      openaiAnswer([{ content: 'Fine.' }]),
    ])
    onTestFinished(() => upstream.close())
    const history = newHistory()
    const model = openaiCompatible({
      baseURL: `${upstream.url}/v1`,
      model: 'scripted',
      window: 4096,
    })
    const odd = defineTool({ name: 'odd', input: anything, run: () => 'ran' })
    const chat = createChat({ history, model, tools: [odd] })
    const parts = await partsOf(chat.send('Go.', inChat))
    expect(resultsIn(parts)).toEqual(['Error: the arguments of odd are no JSON'])
    await expectGoesOn(text => chat.send(text, inChat), history.thread('chat'))
  })

  it('that do not exist are answered with those that do', async () => {
    const real = defineTool({ name: 'real', input: anything, run: () => 'ran' })
    const { chat, thread } = await scripted(
      [calling(['unreal'], ['write_note_to_self', { note: 'x' }])],
      [real],
    )
    const unreal = 'Error: there is no tool "unreal". There is: real.'
    expect(resultsIn(await partsOf(chat.send('Go.', inChat)))).toEqual([unreal])
    const results = (await thread.messages()).filter(({ role }) => role === 'tool')
    // The call that writes a note is answered, and nothing of it is shown.
    expect(results.map(({ content }) => content)).toEqual(['Noted.', unreal])
    expect(await thread.notes()).toEqual(['x'])
    await expectGoesOn(text => chat.send(text, inChat), thread)
  })

  it('are told apart when the server gives two calls one id', async () => {
    const tool_calls = ['a', 'b'].map(text => ({
      id: 'same',
      function: { name: 'say', arguments: { text } },
    }))
    const say = defineTool({
      name: 'say',
      input: z.object({ text: z.string() }),
      run: async ({ text }) => {
        if (text === 'a') await new Promise(resolve => setTimeout(resolve, 20))
        return text
      },
    })
    const { chat, thread, sent } = await scripted([ollamaAnswer([{ tool_calls }])], [say])
    await partsOf(chat.send('Go.', inChat))
    const [, second] = sent()
    const calls = second!.messages.flatMap(message => message.tool_calls ?? [])
    for (const { id, function: called } of calls)
      expect(second!.messages.find(message => message.tool_call_id === id)?.content).toBe(
        called.arguments.text,
      )
    await expectValid(thread)
  })

  it('run in the request context', async () => {
    const look = defineTool({
      name: 'look',
      input: anything,
      run: async () => {
        await new Promise(resolve => setTimeout(resolve, 1))
        const { conversation, projectId, data } = getContext()
        return `${conversation.length} ${conversation.at(-1)?.role} ${projectId} ${data}`
      },
    })
    const { chat } = await scripted([calling(['look']), calling(['look'])], [look])
    const parts = await partsOf(chat.send('Go.', { ...inChat, projectId: 'p1', data: 'own' }))
    expect(resultsIn(parts)).toEqual(['2 assistant p1 own', '4 assistant p1 own'])
  })
})

describe('a round', () => {
  const tool = (name: string, endsTurn: boolean) =>
    defineTool({ name, input: anything, endsTurn, run: () => `${name} ran` })

  it('ends the turn when one of its tools does', async () => {
    const { chat, thread, sent } = await scripted(
      [calling(['look'], ['act'])],
      [tool('look', false), tool('act', true)],
    )
    const result = await chat.send('Go.', inChat).result()
    expect(result).toMatchObject({ status: 'completed', rounds: 1, text: '' })
    expect(sent()).toHaveLength(1)
    expect((await thread.messages()).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
    ])
    await expectGoesOn(text => chat.send(text, inChat), thread)
  })

  it('is one of at most so many', async () => {
    const { chat, thread, sent } = await scripted(
      Array(9).fill(calling(['look'])),
      [tool('look', false)],
      {
        maxRounds: 3,
      },
    )
    const reply = chat.send('Go.', inChat)
    const parts = await partsOf(reply)
    expect(parts.at(-1)).toMatchObject({ status: 'failed', rounds: 3 })
    await expect(reply.result()).rejects.toMatchObject({ code: 'too_many_rounds' })
    expect(sent()).toHaveLength(3)
    expect(await thread.turns()).toMatchObject([{ status: 'failed', error: 'too_many_rounds' }])
    // What had already happened is kept.
    expect((await thread.messages()).filter(({ role }) => role === 'tool')).toHaveLength(3)
    await expectValid(thread)
  })
})
