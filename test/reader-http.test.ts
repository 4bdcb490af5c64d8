import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readerServer, type SeenRequest } from '../src/testing.ts'

/** The reader behind a real port, spoken to by the real clients. */
const seen: { readonly body: unknown; readonly request: SeenRequest }[] = []
const upstream = readerServer({
  models: ['reader', 'other:1b'],
  window: 256,
  onRequest: (body, request) => seen.push({ body, request }),
})
/** The same, so slow that it never ends by itself: for clients that leave. */
const slow = readerServer({
  delayMs: 3_600_000,
  onRequest: (body, request) => seen.push({ body, request }),
})
const servers = [upstream, slow].map(fetch =>
  createAdaptorServer({ fetch, overrideGlobalObjects: false }),
)
let urls: readonly string[] = []
let ollama: Ollama
let openai: OpenAI

beforeAll(async () => {
  for (const server of servers) await once(server.listen(0, '127.0.0.1'), 'listening')
  urls = servers.map(server => `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  ollama = new Ollama({ host: urls[0]! })
  openai = new OpenAI({ baseURL: `${urls[0]}/v1`, apiKey: 'none', maxRetries: 0 })
})
beforeEach(() => {
  seen.length = 0
})
afterAll(async () => {
  for (const server of servers) {
    const closed = once(server, 'close')
    server.close()
    if ('closeAllConnections' in server) server.closeAllConnections()
    await closed
  }
})

const model = 'reader'
const messages = [
  { role: 'user' as const, content: 'My locker code is 4471.' },
  { role: 'assistant' as const, content: 'Fine.' },
  { role: 'user' as const, content: 'What is my locker code?' },
]
const reply = 'You said: "My locker code is 4471."'
const tooLong = Array.from({ length: 60 }, (_, n) => ({
  role: 'user' as const,
  content: `The code of box ${n} is ${n + 100}. What is the code of box 0?`,
}))
const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'add',
      description: 'adds',
      parameters: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
    },
  },
]
const order = { role: 'user' as const, content: 'add({"a":1,"b":2}) and add({"a":3,"b":4})' }
const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('the ollama client', () => {
  it('chats', async () => {
    const response = await ollama.chat({ model, messages })
    expect(response.message).toEqual({ role: 'assistant', content: reply })
    expect(response).toMatchObject({
      model,
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 26,
      eval_count: 11,
    })
    expect(seen).toMatchObject([
      { body: { model, messages, stream: false }, request: { path: '/api/chat' } },
    ])
  })

  it('streams', async () => {
    const chunks = []
    for await (const chunk of await ollama.chat({ model, messages, stream: true }))
      chunks.push(chunk)
    expect(chunks.length).toBeGreaterThan(5)
    expect(chunks.map(({ message }) => message.content).join('')).toBe(reply)
    expect(chunks.filter(({ done }) => done)).toEqual([chunks.at(-1)])
    expect(chunks.at(-1)).toMatchObject({
      done_reason: 'stop',
      prompt_eval_count: 26,
      eval_count: 11,
    })
  })

  it('calls tools, and sends their results', async () => {
    const { message, done_reason } = await ollama.chat({ model, messages: [order], tools })
    expect(done_reason).toBe('stop')
    expect(message.tool_calls?.map(call => call.function)).toEqual([
      { index: 0, name: 'add', arguments: { a: 1, b: 2 } },
      { index: 1, name: 'add', arguments: { a: 3, b: 4 } },
    ])
    const results = ['3', '7'].map(content => ({ role: 'tool', tool_name: 'add', content }))
    const { message: last } = await ollama.chat({
      model,
      messages: [order, message, ...results],
      tools,
    })
    expect(last.content).toBe('add said: "3". add said: "7".')
    const streamed = []
    for await (const part of await ollama.chat({ model, messages: [order], tools, stream: true })) {
      streamed.push(...(part.message.tool_calls ?? []))
    }
    expect(streamed).toEqual(message.tool_calls)
  })

  it('is cut in silence when the prompt is too long, unless it forbids it', async () => {
    const cut = await ollama.chat({ model, messages: tooLong })
    expect(cut.prompt_eval_count).toBeLessThan(256)
    expect(cut.message.content).toBe('I found no sentence that answers that in what I was given.')
    const request = { model, messages: tooLong, truncate: false }
    expect(await failure(ollama.chat(request))).toMatchObject({
      status_code: 400,
      error: expect.stringMatching(
        /"type":"exceed_context_size_error","n_prompt_tokens":1200,"n_ctx":256\}/,
      ),
    })
    expect(await failure(ollama.chat({ ...request, stream: true }))).toMatchObject({
      status_code: 400,
    })
  })

  it('may ask for a smaller window, but not for a larger one', async () => {
    const limited = (num_ctx: number) =>
      failure(ollama.chat({ model, messages, options: { num_ctx }, truncate: false } as never))
    expect(await limited(26)).toMatchObject({ status_code: 400 })
    expect(await limited(64)).toBeUndefined()
    const request = { model, messages: tooLong, options: { num_ctx: 100_000 }, truncate: false }
    expect(await failure(ollama.chat(request))).toMatchObject({ status_code: 400 })
  })

  it('limits the reply', async () => {
    const response = await ollama.chat({ model, messages, options: { num_predict: 4 } })
    expect(response).toMatchObject({ done_reason: 'length', message: { content: 'You said:' } })
  })

  it('is told when a model is not there', async () => {
    const error = { status_code: 404, error: expect.stringContaining("model 'gone' not found") }
    expect(await failure(ollama.chat({ model: 'gone', messages }))).toMatchObject(error)
    expect(await failure(ollama.show({ model: 'gone' }))).toMatchObject(error)
  })

  it('loads, lists and looks', async () => {
    expect(await ollama.chat({ model, messages: [] })).toMatchObject({
      done: true,
      done_reason: 'load',
    })
    expect(await ollama.chat({ model, messages: [], keep_alive: 0 })).toMatchObject({
      done_reason: 'unload',
    })
    expect((await ollama.list()).models.map(({ name }) => name)).toEqual([
      'reader:latest',
      'other:1b',
    ])
    expect((await ollama.ps()).models[0]).toMatchObject({
      name: 'reader:latest',
      context_length: 256,
    })
    const shown = await ollama.show({ model: 'reader:latest' })
    expect(shown.model_info).toMatchObject({ 'reader.context_length': 256 })
    expect((await ollama.version()).version).toMatch(/^\d/)
  })

  it('generates', async () => {
    const asked = {
      model,
      system: 'The harbour closes at ten.',
      prompt: 'When does the harbour close?',
    }
    const expected = 'My instructions say: "The harbour closes at ten."'
    expect((await ollama.generate(asked)).response).toBe(expected)
    let text = ''
    for await (const part of await ollama.generate({ ...asked, stream: true }))
      text += part.response
    expect(text).toBe(expected)
    expect(await ollama.generate({ model, prompt: '' })).toMatchObject({ done_reason: 'load' })
  })

  it('that leaves stops the reader', async () => {
    const client = new Ollama({ host: urls[1]! })
    const stream = await client.chat({ model, messages, stream: true })
    const left = seen[0]!.request.signal
    expect(left.aborted).toBe(false)
    stream.abort()
    if (!left.aborted) await once(left, 'abort')
    expect(left.aborted).toBe(true)
  })
})

describe('the openai client', () => {
  it('chats', async () => {
    const { choices, usage } = await openai.chat.completions.create({ model, messages })
    expect(choices[0]).toMatchObject({
      message: { role: 'assistant', content: reply },
      finish_reason: 'stop',
    })
    expect(usage).toMatchObject({ prompt_tokens: 26, completion_tokens: 11, total_tokens: 37 })
  })

  it('streams, with usage when it asks for it', async () => {
    const chunksOf = async (options: object) => {
      const chunks: OpenAI.ChatCompletionChunk[] = []
      const body = { model, messages, stream: true as const, ...options }
      for await (const chunk of await openai.chat.completions.create(body)) chunks.push(chunk)
      return chunks
    }
    const plain = await chunksOf({})
    expect(plain.map(({ choices }) => choices[0]!.delta.content ?? '').join('')).toBe(reply)
    expect(plain.filter(({ choices }) => choices[0]!.delta.role !== undefined)).toEqual([plain[0]])
    expect(plain.at(-1)!.choices[0]!.finish_reason).toBe('stop')
    const counted = await chunksOf({ stream_options: { include_usage: true } })
    expect(counted.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 26, completion_tokens: 11 },
    })
  })

  it('calls tools, and sends their results', async () => {
    const { choices } = await openai.chat.completions.create({ model, messages: [order], tools })
    const { message, finish_reason } = choices[0]!
    expect(finish_reason).toBe('tool_calls')
    expect(message).toMatchObject({
      content: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } },
        { id: 'call_2', type: 'function', function: { name: 'add', arguments: '{"a":3,"b":4}' } },
      ],
    })
    const results = message.tool_calls!.map(({ id }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: id,
    }))
    const next = await openai.chat.completions.create({
      model,
      messages: [order, message, ...results],
      tools,
    })
    expect(next.choices[0]!.message.content).toBe('add said: "call_1". add said: "call_2".')
    const runner = openai.chat.completions.stream({ model, messages: [order], tools })
    expect((await runner.finalChatCompletion()).choices[0]!.message.tool_calls).toMatchObject(
      message.tool_calls!,
    )
  })

  it('is refused when the prompt is too long', async () => {
    for (const stream of [false, true]) {
      const error = await failure(
        openai.chat.completions.create({ model, messages: tooLong, stream }),
      )
      expect(error).toMatchObject({
        status: 400,
        code: 'context_length_exceeded',
        type: 'invalid_request_error',
      })
    }
  })

  it('is told when a model is not there', async () => {
    const error = await failure(openai.chat.completions.create({ model: 'gone', messages }))
    expect(error).toMatchObject({ status: 404, code: 'model_not_found' })
    expect((await openai.models.list()).data.map(({ id }) => id)).toEqual(['reader', 'other:1b'])
  })
})

describe('anyone', () => {
  it('finds it running, and nothing where nothing is', async () => {
    expect(await (await fetch(urls[0]!)).text()).toBe('Ollama is running')
    for (const path of ['/', '/api/tags']) {
      expect((await fetch(urls[0] + path, { method: 'HEAD' })).status).toBe(200)
    }
    expect((await fetch(`${urls[0]}/api/pull`, { method: 'POST', body: '{}' })).status).toBe(404)
  })

  it('is refused when the body cannot be read', async () => {
    for (const body of ['{', '[]', '{}', JSON.stringify({ model, messages: 'hello' })]) {
      const response = await fetch(`${urls[0]}/api/chat`, { method: 'POST', body })
      expect(response.status).toBe(400)
      expect(await response.json()).toEqual({ error: expect.any(String) })
    }
  })
})
