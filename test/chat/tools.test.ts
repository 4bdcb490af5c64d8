import { memoryStore } from 'throughline'
import { type ChatOptions, type ChatPart, createChat, defineTool, type Tool } from 'throughline/chat'
import { ollama, openaiCompatible } from 'throughline/models'
import { getContext } from 'throughline/request'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  ollamaAnswer,
  openaiAnswer,
  startUpstream,
  type Upstream,
  type UpstreamAnswer,
} from '../scripted-upstream.ts'
import { expectGoesOn, expectValid, newHistory, partsOf, statusesOf, warningsIn } from './help.ts'

let upstream: Upstream | undefined
afterEach(() => upstream?.close())

const anything = z.object({})
const calling = (...calls: readonly [name: string, input?: unknown][]) =>
  ollamaAnswer([
    {
      tool_calls: calls.map(([name, input = {}], at) => ({
        id: `c${at + 1}`,
        function: { name, arguments: input },
      })),
    },
  ])
const saying = (content: string) => ollamaAnswer([{ content }])

/** A chat whose model does as the script says, through the ollama client. */
async function scripted(
  answers: readonly UpstreamAnswer[],
  tools: readonly Tool[],
  options: Partial<ChatOptions> = {},
) {
  upstream = await startUpstream((_, at) => answers[at] ?? saying('Done.'))
  const history = options.history ?? newHistory()
  const model = ollama({ model: 'scripted', host: upstream.url, window: 4096 })
  const chat = createChat({ history, model, tools, ...options })
  return { chat, thread: history.thread('chat'), sent: () => upstream!.requests.map(request => request.body) }
}

const resultsIn = (parts: readonly ChatPart[]) =>
  parts.flatMap(part => (part.type === 'tool-result' ? [part.text] : []))

describe('tools', () => {
  it('run side by side: both have started before either ends', async () => {
    const started: string[] = []
    let bothStarted = () => {}
    const both = new Promise<void>(resolve => {
      bothStarted = resolve
    })
    const slow = (name: string, after: number) =>
      defineTool({
        name,
        input: anything,
        async run() {
          if (started.push(name) === 2) bothStarted()
          await both
          await new Promise(resolve => setTimeout(resolve, after))
          return name
        },
      })
    const { chat, thread, sent } = await scripted(
      [calling(['left'], ['right'])],
      [slow('left', 30), slow('right', 0)],
    )
    const parts = await partsOf(chat.send('Both.'))
    expect(resultsIn(parts).toSorted()).toEqual(['left', 'right'])
    // Whichever ended first: each result answers its own call.
    const [, second] = sent() as { messages: { role: string; tool_call_id?: string; content: string }[] }[]
    const results = second!.messages.filter(({ role }) => role === 'tool')
    expect(Object.fromEntries(results.map(one => [one.tool_call_id, one.content]))).toEqual({
      c1: 'left',
      c2: 'right',
    })
    await expectGoesOn(text => chat.send(text), thread)
  })

  it('that hang are told to stop, and the model is told of it', async () => {
    let reason: unknown
    const hang = defineTool({
      name: 'hang',
      input: anything,
      timeoutMs: 20,
      run: (_, { signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            reason = signal.reason
          })
        }),
    })
    const { chat, thread } = await scripted([calling(['hang'])], [hang])
    const parts = await partsOf(chat.send('Go.'))
    expect(resultsIn(parts)).toEqual(['Error: hang did not answer within 20 ms'])
    expect(reason).toBeInstanceOf(Error)
    expect(await statusesOf(thread)).toEqual(['completed'])
    await expectGoesOn(text => chat.send(text), thread)
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
    const parts = await partsOf(chat.send('Go.'))
    expect(resultsIn(parts)).toEqual([expected])
    expect(parts.some(part => part.type === 'tool-result' && part.isError)).toBe(
      expected.startsWith('Error: '),
    )
    expect((await thread.messages()).find(({ role }) => role === 'tool')?.content).toBe(expected)
    expect(await statusesOf(thread)).toEqual(['completed'])
    await expectGoesOn(text => chat.send(text), thread)
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
    const results = resultsIn(await partsOf(chat.send('Go.')))
    expect(results.toSorted()[0]).toBe('3')
    expect(results.toSorted()[1]).toMatch(/^Error: the arguments of add do not fit: a: .*; b: /)
    expect(got).toEqual([{ a: 2, b: 1 }])
    await expectGoesOn(text => chat.send(text), thread)
  })

  it('are called with arguments that are no JSON, through the openai client', async () => {
    const delta = { index: 0, id: 'c1', type: 'function', function: { name: 'odd', arguments: '{"a": ' } }
    upstream = await startUpstream([
      openaiAnswer([{ tool_calls: [delta] }], { finish: 'tool_calls' }),
      openaiAnswer([{ content: 'Sorry.' }]),
      openaiAnswer([{ content: 'Fine.' }]),
    ])
    const history = newHistory()
    const model = openaiCompatible({ baseURL: `${upstream.url}/v1`, model: 'scripted', window: 4096 })
    const odd = defineTool({ name: 'odd', input: anything, run: () => 'ran' })
    const chat = createChat({ history, model, tools: [odd] })
    const parts = await partsOf(chat.send('Go.'))
    expect(resultsIn(parts)).toEqual(['Error: the arguments of odd are no JSON'])
    await expectGoesOn(text => chat.send(text), history.thread('chat'))
  })

  it('that do not exist are answered with those that do', async () => {
    const real = defineTool({ name: 'real', input: anything, run: () => 'ran' })
    const { chat, thread } = await scripted(
      [calling(['unreal'], ['write_note_to_self', { note: 'x' }])],
      [real],
    )
    expect(resultsIn(await partsOf(chat.send('Go.')))).toEqual([
      'Error: there is no tool "unreal". There is: real, read_result.',
      'Error: there is no tool "write_note_to_self". There is: real, read_result.',
    ])
    expect(await thread.notes()).toEqual([])
    await expectGoesOn(text => chat.send(text), thread)
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
    await partsOf(chat.send('Go.'))
    const [, second] = sent() as {
      messages: {
        role: string
        tool_call_id?: string
        tool_calls?: { id: string; function: { arguments: { text: string } } }[]
        content: string
      }[]
    }[]
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
    const parts = await partsOf(chat.send('Go.', { projectId: 'p1', data: 'own' }))
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
    const result = await chat.send('Go.').result()
    expect(result).toMatchObject({ status: 'completed', rounds: 1, text: '' })
    expect(sent()).toHaveLength(1)
    expect((await thread.messages()).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool'])
    await expectGoesOn(text => chat.send(text), thread)
  })

  it('is one of at most so many', async () => {
    const { chat, thread, sent } = await scripted(Array(9).fill(calling(['look'])), [tool('look', false)], {
      maxRounds: 3,
    })
    const reply = chat.send('Go.')
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

describe('a result that is too long', () => {
  const megabytes = Array.from(
    { length: 110_000 },
    (_, line) => `line ${line}: some words of a large file\n`,
  ).join('')
  const readAll = defineTool({ name: 'read_all', input: anything, run: () => megabytes })

  it('is in the log whole, is shown by its beginning, and can be read on', async () => {
    expect(megabytes.length).toBeGreaterThan(4_000_000)
    let hint = ''
    const answers = (at: number) => {
      if (at === 0) return calling(['read_all'])
      const [, place, from] = /read_result\(\{"place": (\d+), "from": (\d+)\}\) reads on/.exec(hint) ?? []
      return at < 4
        ? calling(['read_result', { place: Number(place), from: Number(from) }])
        : saying('Enough.')
    }
    const seen: string[] = []
    upstream = await startUpstream((request, at) => {
      const { messages } = request.body as { messages: { role: string; content: string }[] }
      const last = messages.at(-1)!
      if (last.role === 'tool') {
        seen.push(last.content)
        hint = last.content
      }
      return answers(at)
    })
    const history = newHistory()
    const model = ollama({ model: 'scripted', host: upstream.url, window: 4096 })
    const chat = createChat({ history, model, tools: [readAll] })
    const parts = await partsOf(chat.send('Read it.'))
    expect(parts.find(part => part.type === 'tool-result')).toMatchObject({ text: megabytes })
    expect(warningsIn(parts)).toEqual(['result_clipped'])
    const log = await history.thread('chat').messages()
    expect(log.find(({ role }) => role === 'tool')?.content).toBe(megabytes)
    expect(seen).toHaveLength(4)
    const texts = seen.map(text => text.replace(/\n\[\d+ more characters\..*\]$/, ''))
    expect(texts[0]!.length).toBeGreaterThan(1000)
    // Without a gap and without a repetition.
    expect(megabytes.startsWith(texts.join(''))).toBe(true)
    for (const { receipt } of parts.filter(part => part.type === 'context'))
      expect(receipt.tokens).toBeLessThanOrEqual(receipt.capacity)
    expect((await chat.send('And now?').result()).status).toBe('completed')
  })

  it('is clipped in the same way when the client sends it back', async () => {
    upstream = await startUpstream([calling(['read_all']), saying('Read.'), saying('Yes.')])
    const model = ollama({ model: 'scripted', host: upstream.url, window: 4096 })
    const chat = createChat({ model, tools: [readAll] })
    const first = [{ role: 'user', content: 'Read it.' }]
    const { messages } = await chat.respond(first).result()
    expect(messages[1]?.content).toBe(megabytes)
    const next = JSON.parse(JSON.stringify([...first, ...messages, { role: 'user', content: 'Did you?' }]))
    await chat.respond(next).result()
    const [, second, third] = upstream.requests.map(
      ({ body }) => body as { messages: { role: string; content: string }[] },
    )
    const result = (body: typeof second) => body!.messages.find(({ role }) => role === 'tool')?.content
    expect(result(second)).toContain('read_result({"place": 3, "from": ')
    expect(result(third)).toBe(result(second))
  })

  it.each([0, 1, 2, 99, -1, 1.5, 'x'])('is not found at place %j, where there is none', async place => {
    const { chat } = await scripted([calling(['read_result', { place }])], [readAll])
    const [result] = resultsIn(await partsOf(chat.send('Go.')))
    expect(result).toMatch(
      /^Error: (there is no tool result at place|the arguments of read_result do not fit)/,
    )
  })

  it('for the store itself becomes an error that says so', async () => {
    const { chat, thread } = await scripted([calling(['read_all'])], [readAll], {
      history: newHistory({ store: memoryStore({ maxEntryBytes: 100_000 }) }),
    })
    const [result] = resultsIn(await partsOf(chat.send('Go.')))
    expect(result).toMatch(/^Error: .* the limit is 100000\.$/)
    expect(await statusesOf(thread)).toEqual(['completed'])
    await expectGoesOn(text => chat.send(text), thread)
  })
})
