import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { ChatOllama } from '@langchain/ollama'
import { jsonSchema, streamText, tool } from 'ai'
import { expect, it } from 'vitest'
import { chatPair } from './chat-pair.ts'
import { ollamaPair } from './ollama-pair.ts'
import { type Pair, startPair } from './pair.ts'

/** How a framework streams a reply: every part that it gives to an application. */
const frameworks: readonly (readonly [string, Pair, (url: string) => AsyncIterable<unknown>])[] = [
  [
    'the AI SDK',
    chatPair,
    url =>
      streamText({
        model: createOpenAICompatible({ name: 'local', baseURL: `${url}/v1`, includeUsage: true })(
          'm',
        ),
        prompt: 'hi',
        tools: { look: tool({ inputSchema: jsonSchema({ type: 'object', properties: {} }) }) },
        includeRawChunks: true,
      }).fullStream,
  ],
  [
    'LangChain',
    ollamaPair,
    async function* (url) {
      yield* await new ChatOllama({ model: 'm', baseUrl: url, numCtx: 200_000 }).stream('hi')
    },
  ],
]

it.each(frameworks)('%s gets the same parts as without us', async (_, pair, stream) => {
  const { url, scripted } = await startPair(pair)
  const through = await partsOf(stream(url))
  expect(through.length).toBeGreaterThan(4)
  expect(through).toEqual(await partsOf(stream(scripted.url)))
})

/** The parts as data, but for what belongs to one request: headers, and what a framework draws or measures itself. */
async function partsOf(stream: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const parts: unknown[] = []
  for await (const part of stream) parts.push(JSON.parse(JSON.stringify(part, withoutOwn)))
  return parts
}

const own = new Set(['headers', 'messageId', 'stepId', 'callId', 'performance'])
const isDrawn = (value: unknown) =>
  typeof value === 'string' && /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(value)
const withoutOwn = (name: string, value: unknown) =>
  own.has(name) || isDrawn(value) ? undefined : value
