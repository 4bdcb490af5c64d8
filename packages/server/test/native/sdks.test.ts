import Anthropic from '@anthropic-ai/sdk'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { chatPair } from './chat-pair.ts'
import { messagesPair } from './messages-pair.ts'
import { ollamaPair } from './ollama-pair.ts'
import { type Pair, startPair } from './pair.ts'
import { responsesPair } from './responses-pair.ts'

type Events = AsyncIterable<unknown>

async function listOf(events: Events | Promise<Events>): Promise<readonly unknown[]> {
  const all: unknown[] = []
  for await (const event of await events) all.push(event)
  return all
}

/** How each client library asks for a stream, and for a whole reply. */
const libraries: readonly (readonly [
  Pair,
  (url: string) => Events | Promise<Events>,
  (url: string) => Promise<unknown>,
])[] = [
  [
    messagesPair,
    url =>
      new Anthropic({ baseURL: url, apiKey: 'k' }).messages.create({
        model: 'm',
        max_tokens: 99,
        stream: true,
        messages: [{ role: 'user', content: 'hi' }],
      }),
    url =>
      new Anthropic({ baseURL: url, apiKey: 'k' }).messages.create({
        model: 'm',
        max_tokens: 99,
        messages: [{ role: 'user', content: 'hi' }],
      }),
  ],
  [
    chatPair,
    url =>
      new OpenAI({ baseURL: `${url}/v1`, apiKey: 'k' }).chat.completions.create({
        model: 'm',
        stream: true,
        messages: [{ role: 'user', content: 'hi' }],
      }),
    url =>
      new OpenAI({ baseURL: `${url}/v1`, apiKey: 'k' }).chat.completions.create({
        model: 'm',
        messages: [{ role: 'user', content: 'hi' }],
      }),
  ],
  [
    ollamaPair,
    url =>
      new Ollama({ host: url }).chat({
        model: 'm',
        stream: true,
        messages: [{ role: 'user', content: 'hi' }],
      }),
    url =>
      new Ollama({ host: url }).chat({
        model: 'm',
        stream: false,
        messages: [{ role: 'user', content: 'hi' }],
      }),
  ],
  [
    responsesPair,
    url =>
      new OpenAI({ baseURL: `${url}/v1`, apiKey: 'k' }).responses.create({
        model: 'm',
        stream: true,
        store: false,
        input: 'hi',
      }),
    url =>
      new OpenAI({ baseURL: `${url}/v1`, apiKey: 'k' }).responses.create({
        model: 'm',
        store: false,
        input: 'hi',
      }),
  ],
]

it.each(libraries.map(([pair, ...asks]) => [pair.name, pair, ...asks] as const))(
  '%s: a client library gets the same events, and the same body, as without us',
  async (_, pair, stream, whole) => {
    const { url, scripted } = await startPair(pair)
    const through = await listOf(stream(url))
    expect(through.length).toBeGreaterThan(3)
    expect(through).toEqual(await listOf(stream(scripted.url)))
    const body = { status: 200, body: JSON.parse(pair.whole) }
    const other = await startPair(pair, body)
    const got = JSON.parse(JSON.stringify(await whole(other.url)))
    expect(got).toEqual(JSON.parse(JSON.stringify(await whole(other.scripted.url))))
  },
)
