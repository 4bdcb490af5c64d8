import { ollamaAnswer } from '@throughline/test-tools/scripted-upstream'
import { describe, expect, it } from 'vitest'
import type { ModelRequest } from '../../model.ts'
import { failureOf, partsOf, upstreamWith } from '../../upstream.fixture.ts'
import { type OllamaOptions, ollama } from './ollama.ts'

const hello = [{ role: 'user', content: 'hello' }]

/** The body of the one request that asks the model. */
async function bodyOf(request: ModelRequest, options: Partial<OllamaOptions> = {}) {
  const upstream = await upstreamWith([ollamaAnswer([{ content: 'hi' }])])
  await partsOf(
    ollama({ model: 'm', window: 2048, host: upstream.url, ...options }).stream(request),
  )
  return upstream.requests[0]!.body as Record<string, unknown>
}

async function partsFrom(messages: Record<string, unknown>[], end?: Record<string, unknown>) {
  const upstream = await upstreamWith([ollamaAnswer(messages, end)])
  return partsOf(
    ollama({ model: 'm', window: 2048, host: upstream.url }).stream({ messages: hello }),
  )
}

describe('what comes back', () => {
  const details = { model: 'scripted', done_reason: 'stop', prompt_eval_count: 7, eval_count: 3 }

  it('is text as it arrives, and an end with what the server read and wrote', async () => {
    expect(await partsFrom([{ content: 'Hello' }, { content: ' there' }])).toEqual([
      { type: 'text-delta', text: 'Hello' },
      { type: 'text-delta', text: ' there' },
      { type: 'end', reason: 'stop', usage: { promptTokens: 7, replyTokens: 3 }, details },
    ])
  })

  it('is thinking apart from the text', async () => {
    const parts = await partsFrom([{ thinking: 'hm' }, { content: 'yes' }])
    expect(parts.slice(0, 2)).toEqual([
      { type: 'thinking-delta', text: 'hm' },
      { type: 'text-delta', text: 'yes' },
    ])
  })

  it('is tool calls with the server’s ids, or ids that are the same every time', async () => {
    const call = (name: string, id?: string) => ({
      id,
      function: { name, arguments: { city: 'Kiel' } },
    })
    const replies = [
      { tool_calls: [call('wind', 'abc'), call('wind')] },
      { tool_calls: [call('tide')] },
    ]
    const parts = await partsFrom(replies)
    expect(parts).toEqual([
      { type: 'tool-call', id: 'abc', name: 'wind', arguments: '{"city":"Kiel"}' },
      { type: 'tool-call', id: 'call_2', name: 'wind', arguments: '{"city":"Kiel"}' },
      { type: 'tool-call', id: 'call_3', name: 'tide', arguments: '{"city":"Kiel"}' },
      { type: 'end', reason: 'tool-calls', usage: { promptTokens: 7, replyTokens: 3 }, details },
    ])
    expect(await partsFrom(replies)).toEqual(parts)
  })

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['load', 'other'],
    [undefined, 'stop'],
  ])('ends by %s as %s', async (done_reason, reason) => {
    const parts = await partsFrom([{ content: 'a' }], { done_reason })
    const details = { model: 'scripted', ...(done_reason && { done_reason }) }
    expect(parts.at(-1)).toEqual({ type: 'end', reason, usage: {}, details })
  })

  it('is whole when the network cuts it anywhere, even inside a letter', async () => {
    const whole = Buffer.from(ollamaAnswer([{ content: 'Grüße 🌊' }]).chunks.join('')).toString(
      'latin1',
    )
    const server = await upstreamWith(() => ({ chunks: [whole] }))
    for (const size of [1, 2, 3, 7]) {
      // The bytes of the answer, in pieces of this size.
      const inPieces: typeof fetch = async (...given) => {
        const bytes = Buffer.from(await (await fetch(...given)).text(), 'latin1')
        const pieces = new ReadableStream({
          start(controller) {
            for (let at = 0; at < bytes.length; at += size)
              controller.enqueue(bytes.subarray(at, at + size))
            controller.close()
          },
        })
        return new Response(pieces)
      }
      const model = ollama({ model: 'm', window: 2048, host: server.url, fetch: inPieces })
      expect((await partsOf(model.stream({ messages: hello })))[0]).toEqual({
        type: 'text-delta',
        text: 'Grüße 🌊',
      })
    }
  })

  it('ignores empty lines, and whatever stands after the end', async () => {
    const { chunks } = ollamaAnswer([{ content: 'a' }])
    const upstream = await upstreamWith([
      { chunks: ['\n', ...chunks, '\n', 'rubbish\n', '{"error":"late"}\n'] },
    ])
    const model = ollama({ model: 'm', window: 2048, host: upstream.url })
    expect((await partsOf(model.stream({ messages: hello }))).map(part => part.type)).toEqual([
      'text-delta',
      'end',
    ])
  })
})

describe('what is sent', () => {
  it('always has the window, and never lets the server cut', async () => {
    expect(await bodyOf({ messages: hello })).toEqual({
      model: 'm',
      messages: hello,
      stream: true,
      truncate: false,
      shift: false,
      options: { num_ctx: 2048 },
    })
  })

  it('has the settings by Ollama’s names; those of the request win', async () => {
    const body = await bodyOf(
      {
        messages: hello,
        settings: {
          temperature: 0,
          maxTokens: 99,
          seed: 4,
          stop: ['END'],
          thinking: 'low',
          format: 'json',
        },
      },
      {
        settings: {
          temperature: 1,
          provider: { options: { top_k: 5 }, top_p: 0.5, logprobs: true },
        },
        keepAlive: '10m',
      },
    )
    expect(body).toMatchObject({
      think: 'low',
      format: 'json',
      keep_alive: '10m',
      logprobs: true,
      options: {
        temperature: 0,
        num_predict: 99,
        seed: 4,
        stop: ['END'],
        top_k: 5,
        top_p: 0.5,
        num_ctx: 2048,
      },
    })
  })

  it('has a schema for the reply, and thinking that is off', async () => {
    const schema = { type: 'object', properties: { on: { type: 'boolean' } } }
    const body = await bodyOf({ messages: hello, settings: { format: schema, thinking: false } })
    expect(body).toMatchObject({ format: schema, think: false })
  })

  it('has tools as functions', async () => {
    const tool = {
      name: 'wind',
      description: 'the wind',
      parameters: { type: 'object', properties: {} },
    }
    expect((await bodyOf({ messages: hello, tools: [tool] })).tools).toEqual([
      { type: 'function', function: tool },
    ])
    expect(await bodyOf({ messages: hello, tools: [] })).not.toHaveProperty('tools')
  })

  it('has the headers that were given', async () => {
    const upstream = await upstreamWith([ollamaAnswer([])])
    const headers = { authorization: 'Bearer abc' }
    await partsOf(
      ollama({ model: 'm', window: 2048, host: upstream.url, headers }).stream({ messages: hello }),
    )
    expect(upstream.requests[0]!.headers).toMatchObject(headers)
    expect(upstream.requests[0]!.path).toBe('/api/chat')
  })

  it('never has another window than the one of the model', async () => {
    const settings = { provider: { options: { num_ctx: 512 } } }
    await expect(bodyOf({ messages: hello, settings })).rejects.toMatchObject({
      code: 'model_refused',
      message: expect.stringContaining('"window"'),
    })
  })

  it('leaves what was passed in as it was', async () => {
    const messages = [{ role: 'user', content: 'look', images: [new Uint8Array([1, 2, 3])] }]
    const before = structuredClone(messages)
    await bodyOf({ messages })
    expect(messages).toEqual(before)
  })
})

it.each([
  [{ window: 0 }, 'window'],
  [{ window: 1.5 }, 'window'],
  [{ host: 'nowhere' }, 'host'],
  [{ host: 'http://me:secret@127.0.0.1' }, 'host'],
])('refuses options that make no sense: %j', (options, option) => {
  const make = () => ollama({ model: 'm', ...options })
  expect(make).toThrow(expect.objectContaining({ code: 'invalid_option', option }))
  expect(make).not.toThrow(/secret/)
})

it.each([
  [{ role: 'assistant_note', content: 'remember' }, 'is a note'],
  [{ role: 'robot', content: 'hi' }, 'unknown role'],
  [{ role: 'user', content: 'x', images: ['https://a.example/b.png'] }, 'fetch it'],
  [{ role: 'user', content: 'x', images: ['./photo.png'] }, 'read the file'],
  [{ role: 'user', content: [{ type: 'hologram' }] }, 'does not take'],
])('refuses a message that cannot be sent, without asking: %j', async (message, words) => {
  const upstream = await upstreamWith([ollamaAnswer([])])
  const model = ollama({ model: 'tiny', window: 2048, host: upstream.url })
  const { error } = await failureOf(model.stream({ messages: [message] }))
  expect(error).toMatchObject({ code: 'model_refused', isRetryable: false })
  expect(error.message).toContain('Message 0')
  expect(error.message).toContain(words)
  expect(upstream.requests).toEqual([])
})
