import Anthropic from '@anthropic-ai/sdk'
import { upstreamWith } from '@throughline/models/fixtures'
import { someStores } from '@throughline/test-tools/every-store'
import { ollamaAnswer, type UpstreamAnswer } from '@throughline/test-tools/scripted-upstream'
import { type StartedServer, startServer } from '@throughline/test-tools/start-server'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { ollamaUpstream } from '../src/upstream/model-servers.ts'

const question = { role: 'user', content: 'hello' } as const
const { chunks, headers } = ollamaAnswer([{ content: 'one ' }, { content: 'two' }])
const begun = chunks.slice(0, 2)

/** The ways in which a model server breaks in the middle of an answer. */
const breaks: readonly (readonly [string, UpstreamAnswer])[] = [
  ['just ends', { chunks: begun, headers }],
  ['is reset', { chunks: begun, headers, ending: 'reset' }],
  ['has an error line', { chunks: [...begun, '{"error":"out of memory"}\n'], headers }],
  ['has a line that is no JSON', { chunks: [...begun, '{"message":{"con\n', chunks[2]!], headers }],
]

/** Clients that read a stream to its end, each in its own way. */
const clients: Readonly<Record<string, (url: string) => Promise<string>>> = {
  async ollama(url) {
    let text = ''
    const messages = [{ ...question }]
    for await (const part of await new Ollama({ host: url }).chat({
      model: 'm',
      messages,
      stream: true,
    }))
      text += part.message.content
    return text
  },
  async openai(url) {
    let text = ''
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 })
    const stream = await client.chat.completions.create({
      model: 'm',
      messages: [question],
      stream: true,
    })
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? ''
    return text
  },
  async anthropic(url) {
    const client = new Anthropic({ baseURL: url, apiKey: 'none', maxRetries: 0 })
    return client.messages.stream({ model: 'm', max_tokens: 100, messages: [question] }).finalText()
  },
}

async function startWith(answer: UpstreamAnswer, options: Parameters<typeof startServer>[0] = {}) {
  const scripted = await upstreamWith(({ path }) =>
    path === '/api/chat' ? answer : { status: 200, body: { models: [] } },
  )
  const upstream = ollamaUpstream({ url: scripted.url, window: 4096 })
  return { scripted, server: await startServer({ upstream, retries: 0, ...options }) }
}

async function onlyThread({ history }: StartedServer) {
  const [conversation] = await history.conversations()
  return history.thread(conversation!.conversation)
}

describe.each(Object.keys(clients))('an answer that breaks off, for the client of %s', name => {
  it.each(breaks)('is no success where the stream %s', async (_, answer) => {
    const { server } = await startWith(answer)
    await expect(clients[name]!(server.url)).rejects.toThrow()
    const thread = await onlyThread(server)
    const [turn] = await thread.turns()
    expect(turn!.status).not.toBe('completed')
    expect(JSON.stringify(await thread.display())).toContain('one two')
  })
})

describe.each([
  [400, { error: 'the prompt is not understood' }, 400],
  [404, { error: 'model "m" not found' }, 404],
  [429, { error: 'too many' }, 429],
  [500, { error: 'runner has crashed' }, 500],
  [503, { error: 'server busy' }, 503],
] as const)('a model server that answers %i', (status, body, told) => {
  it('is told in the format of each client, with its status', async () => {
    const { server } = await startWith({ status, body })
    const openai = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', messages: [question] }),
    })
    expect(openai.status).toBe(told)
    expect(await openai.json()).toMatchObject({
      error: { message: expect.any(String), type: expect.any(String) },
    })
    const ollama = await fetch(`${server.url}/api/chat`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', messages: [question] }),
    })
    expect(ollama.status).toBe(told)
    expect(await ollama.json()).toEqual({ error: expect.any(String) })
    const anthropic = await fetch(`${server.url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', max_tokens: 10, messages: [question] }),
    })
    expect(await anthropic.json()).toMatchObject({
      type: 'error',
      error: { message: expect.any(String) },
    })
  })
})

describe.each(await someStores())('a client that leaves, on %s', (_, create) => {
  it('stops the model, and what had come is kept', async () => {
    const { scripted, server } = await startWith(
      { chunks: begun, headers, ending: 'stall' },
      { store: create() },
    )
    const left = new AbortController()
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', messages: [question], stream: true }),
      signal: left.signal,
    })
    const reader = response.body!.getReader()
    let text = ''
    while (!text.includes('two')) text += Buffer.from((await reader.read()).value!).toString()
    left.abort()
    const asked = scripted.requests.find(({ path }) => path === '/api/chat')!
    expect(await asked.ended).toBe('left')
    const thread = await onlyThread(server)
    await expect.poll(async () => (await thread.turns())[0]!.status).toBe('cancelled')
    expect(JSON.stringify(await thread.display())).toContain('one two')
    expect((await thread.calls())[0]).toMatchObject({ status: 'cancelled' })
  })
})

it('has the reply in the log before the client sees its end', async () => {
  const { server } = await startWith({ chunks, headers })
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages: [question], stream: true }),
  })
  let text = ''
  for await (const chunk of response.body!) {
    text += Buffer.from(chunk).toString()
    if (!text.includes('"finish_reason":"stop"')) continue
    const thread = await onlyThread(server)
    expect((await thread.turns())[0]!.status).toBe('completed')
    return
  }
  throw new Error('the stream had no end')
})
