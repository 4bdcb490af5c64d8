import * as zlib from 'node:zlib'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import Anthropic from '@anthropic-ai/sdk'
import { rules } from '@throughline/models/reader'
import { startServer } from '@throughline/test-tools/start-server'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'
import type { Upstream } from '../src/upstream/upstream.ts'

const chat = (text: string) =>
  JSON.stringify({ model: 'reader', messages: [{ role: 'user', content: text }] })

const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: (bytes: string) => Buffer }

describe('a packed body', () => {
  const send = (url: string, body: Buffer, encoding: string, path = '/v1/chat/completions') =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      body: new Uint8Array(body),
    })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('is read: %s', async (encoding, pack) => {
    const { url, history } = await startServer()
    const response = await send(url, pack(chat('The boat is called Seagull.')), encoding)
    expect(response.status).toBe(200)
    expect(await history.conversations()).toHaveLength(1)
  })

  it('with zstd is read, or refused in clear words where Node cannot', async () => {
    const { url } = await startServer()
    const packed = zstdCompressSync?.(chat('hi')) ?? Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
    const response = await send(url, packed, 'zstd')
    if (zstdCompressSync) return expect(response.status).toBe(200)
    expect(response.status).toBe(415)
    expect(await response.text()).toContain('22.15')
  })

  it('that unpacks to more than is allowed is refused', async () => {
    const { url } = await startServer({ maxBodyBytes: 100_000 })
    const bomb = gzipSync(chat('a'.repeat(50_000_000)))
    expect(bomb.length).toBeLessThan(100_000)
    expect((await send(url, bomb, 'gzip')).status).toBe(413)
  })

  it('that is not what it says is refused', async () => {
    const { url } = await startServer()
    expect((await send(url, Buffer.from(chat('hi')), 'gzip')).status).toBe(400)
    expect((await send(url, gzipSync(chat('hi')).subarray(0, 20), 'gzip')).status).toBe(400)
    expect((await send(url, Buffer.from(chat('hi')), 'compress')).status).toBe(415)
    expect((await send(url, Buffer.from('{}'), 'rot13', '/v1/conversations')).status).toBe(415)
  })
})

describe('a count of tokens', () => {
  it('is our own, or exact where the upstream counts', async () => {
    const own = await startServer()
    const exact = await startServer({ upstream: { ...readerUpstream(), count: async () => 4711 } })
    const messages = [{ role: 'user' as const, content: 'How many tokens may this be?' }]
    const count = (url: string) =>
      new Anthropic({ baseURL: url, apiKey: 'none' }).messages.countTokens({
        model: 'reader',
        messages,
      })
    const { input_tokens } = await count(own.url)
    expect(input_tokens).toBeGreaterThan(5)
    expect(input_tokens).toBeLessThan(100)
    expect(await count(exact.url)).toEqual({ input_tokens: 4711 })
    expect(await own.history.conversations()).toEqual([])
  })

  it('of a response counts what it goes on from', async () => {
    const { url } = await startServer()
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none' })
    const { id } = await client.responses.create({ model: 'reader', input: 'a word '.repeat(200) })
    const alone = await client.responses.inputTokens.count({ model: 'reader', input: 'and now?' })
    const after = await client.responses.inputTokens.count({
      model: 'reader',
      input: 'and now?',
      previous_response_id: id,
    })
    expect(alone).toMatchObject({ object: 'response.input_tokens' })
    expect(after.input_tokens - alone.input_tokens).toBeGreaterThan(200)
    expect((await client.responses.inputTokens.count()).input_tokens).toBeGreaterThanOrEqual(0)
  })
})

describe('a request without messages', () => {
  it('loads or unloads a model of Ollama’s, and is no part of a conversation', async () => {
    const { url, history } = await startServer()
    const client = new Ollama({ host: url })
    const load = await client.chat({ model: 'reader', messages: [] })
    expect(load).toMatchObject({ done: true, done_reason: 'load' })
    const unload = await client.chat({ model: 'reader', messages: [], keep_alive: 0 })
    expect(unload).toMatchObject({ done: true, done_reason: 'unload' })
    expect(await history.conversations()).toEqual([])
  })

  it('is answered where the upstream keeps its models as it likes', async () => {
    const upstream: Upstream = { ...readerUpstream(), kind: 'openai' }
    const { url } = await startServer({ upstream })
    const load = await new Ollama({ host: url }).chat({ model: 'm', messages: [] })
    expect(load).toMatchObject({ model: 'm', done: true, done_reason: 'load' })
  })

  it.each([
    ['/v1/chat/completions', { messages: [{ role: 'system', content: 'Be kind.' }] }],
    ['/v1/messages', { max_tokens: 10, system: 'Be kind.', messages: [] }],
    ['/v1/responses', { instructions: 'Be kind.', input: [] }],
    ['/api/chat', { messages: [{ role: 'system', content: 'Be kind.' }] }],
  ])('is refused at %s', async (path, body) => {
    const { url, history } = await startServer()
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      body: JSON.stringify({ model: 'reader', ...body }),
    })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('at least one message')
    expect(await history.conversations()).toEqual([])
  })
})

it('keeps whether a tool of Anthropic’s client failed', async () => {
  const upstream: Upstream = {
    ...readerUpstream(),
    model: () =>
      rules(
        ({ messages }) =>
          messages.at(-1)?.role === 'tool' ? 'I see.' : { calls: [{ name: 'look' }] },
        {
          window: 8192,
        },
      ),
  }
  const { url, history } = await startServer({ upstream })
  const client = new Anthropic({ baseURL: url, apiKey: 'none' })
  const tools = [{ name: 'look', input_schema: { type: 'object' as const } }]
  const messages: Anthropic.MessageParam[] = []
  for (const [content, isError] of [
    ['It is dark', true],
    ['Error: is what the sign says', false],
  ] as const) {
    messages.push({ role: 'user', content: 'Look!' })
    const { content: asked } = await client.messages.create({
      model: 'm',
      max_tokens: 99,
      messages,
      tools,
    })
    const { id } = asked.find(block => block.type === 'tool_use')!
    messages.push({ role: 'assistant', content: asked })
    messages.push({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content, is_error: isError }],
    })
    const { content: answer } = await client.messages.create({
      model: 'm',
      max_tokens: 99,
      messages,
      tools,
    })
    messages.push({ role: 'assistant', content: answer })
  }
  const [conversation] = await history.conversations()
  const entries = await history.thread(conversation!.conversation).entries()
  const results = entries.filter(({ message }) => message.role === 'tool')
  expect(results.map(({ isError }) => isError)).toEqual([true, false])
})
