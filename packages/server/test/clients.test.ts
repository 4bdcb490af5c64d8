import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import Anthropic from '@anthropic-ai/sdk'
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { ChatOllama } from '@langchain/ollama'
import { rules } from '@throughline/models/reader'
import { startServer } from '@throughline/test-tools/start-server'
import { type LanguageModel, type ModelMessage, streamText } from 'ai'
import { createOllama } from 'ai-sdk-ollama'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'
import type { Upstream } from '../src/upstream/upstream.ts'

/** A client that keeps the whole conversation, as its own library wants it, and reads every answer as a stream. */
type Client = (
  url: string,
  model: string,
) => (text: string, signal?: AbortSignal) => Promise<string>

const clients: Readonly<Record<string, Client>> = {
  openai(url, model) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 })
    const messages: OpenAI.ChatCompletionMessageParam[] = []
    return async (content, signal) => {
      messages.push({ role: 'user', content })
      const stream = await client.chat.completions.create(
        { model, messages, stream: true },
        { signal },
      )
      let text = ''
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? ''
      messages.push({ role: 'assistant', content: text })
      return text
    }
  },
  ollama(url, model) {
    const client = new Ollama({ host: url })
    const messages: { role: string; content: string }[] = []
    return async (content, signal) => {
      messages.push({ role: 'user', content })
      const stream = await client.chat({ model, messages, stream: true })
      signal?.addEventListener('abort', () => stream.abort())
      let text = ''
      for await (const part of stream) text += part.message.content
      messages.push({ role: 'assistant', content: text })
      return text
    }
  },
  anthropic(url, model) {
    const client = new Anthropic({ baseURL: url, apiKey: 'none', maxRetries: 0 })
    const messages: Anthropic.MessageParam[] = []
    return async (content, signal) => {
      messages.push({ role: 'user', content })
      const text = await client.messages
        .stream({ model, max_tokens: 300, messages }, { signal })
        .finalText()
      messages.push({ role: 'assistant', content: text })
      return text
    }
  },
  'AI SDK with openai-compatible': (url, model) =>
    aiSdk(createOpenAICompatible({ name: 'throughline', baseURL: `${url}/v1` })(model)),
  'AI SDK with an Ollama provider': (url, model) => aiSdk(createOllama({ baseURL: url })(model)),
  '@langchain/ollama'(url, model) {
    const chat = new ChatOllama({ baseUrl: url, model, maxRetries: 0 })
    const messages: BaseMessage[] = []
    return async (content, signal) => {
      messages.push(new HumanMessage(content))
      let text = ''
      for await (const part of await chat.stream(messages, signal ? { signal } : {}))
        text += part.text
      messages.push(new AIMessage(text))
      return text
    }
  },
}

function aiSdk(model: LanguageModel): ReturnType<Client> {
  const messages: ModelMessage[] = []
  return async (content, abortSignal) => {
    messages.push({ role: 'user', content })
    let failure: unknown
    const { textStream } = streamText({
      model,
      messages,
      maxRetries: 0,
      ...(abortSignal && { abortSignal }),
      onError({ error }) {
        failure = error
      },
    })
    let text = ''
    for await (const part of textStream) text += part
    if (failure) throw failure
    abortSignal?.throwIfAborted()
    messages.push({ role: 'assistant', content: text })
    return text
  }
}

/** More is said than the window holds. */
const { turns, window } = process.env.THROUGHLINE_LONG
  ? { turns: 60, window: 4096 }
  : { turns: 20, window: 1500 }
const filler = (turn: number) =>
  `Note ${turn}: we also talked about the weather, the garden, the neighbours and number ${turn}, at some length, as people do.`

describe.each(Object.entries(clients))('the client %s', (_, client) => {
  it('has one conversation over many turns, and the model still knows turn 1', async () => {
    const { url, history, served } = await startServer({ upstream: readerUpstream({ window }) })
    const say = client(url, 'reader')
    await say('The boat is called Seagull.')
    for (let turn = 2; turn <= turns; turn++) await say(filler(turn))
    expect(await say('What is the boat called?')).toContain('Seagull')
    const [conversation, ...others] = await history.conversations()
    expect(others).toEqual([])
    expect(conversation!.threads).toMatchObject([{ branch: 'main', head: 2 * turns + 2 }])
    expect(served.map(({ place }) => place?.kind)).toEqual(['new', ...Array(turns).fill('extends')])
  })

  it('is told what is wrong', async () => {
    const { url } = await startServer()
    await expect(client(url, 'no-such-model')('hello')).rejects.toThrow(
      /no-such-model|404|Not Found/,
    )
  })
})

/** The library goes on reading after an abort and keeps its connection, so nobody can know that its user has left. */
const staying: ReadonlySet<string> = new Set(['AI SDK with an Ollama provider'])

it.each(Object.entries(clients).filter(([name]) => !staying.has(name)))(
  '%s can leave in the middle, and go on',
  async (_, client) => {
    const left = new AbortController()
    const { url, history } = await startServer({ upstream: slow(() => left.abort()) })
    const say = client(url, 'm')
    // Some libraries throw then, others end the answer.
    await say('Tell me a long story.', left.signal).catch(() => undefined)
    const [conversation] = await history.conversations()
    const thread = history.thread(conversation!.conversation)
    await expect.poll(async () => (await thread.turns())[0]?.status).toBe('cancelled')
    expect(await say('And now?')).toContain('word 0')
  },
)

/** An upstream whose model never comes to the end of its first answer, and tells when it is in the middle of it. */
function slow(onMiddle: () => void): Upstream {
  const { stream: _, ...model } = rules(() => '', { window: 4096 })
  let asked = 0
  return {
    ...readerUpstream(),
    model: () => ({
      ...model,
      async *stream({ signal }) {
        const isFirst = ++asked === 1
        for (let word = 0; isFirst || word < 1; word++) {
          yield { type: 'text-delta', text: `word ${word} ` }
          if (word === 2) onMiddle()
          await new Promise(resolve => setTimeout(resolve, 100))
          signal?.throwIfAborted()
        }
        yield { type: 'end', reason: 'stop', usage: {} }
      },
    }),
  }
}
