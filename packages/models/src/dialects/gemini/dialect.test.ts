import { type GenerateContentResponse, GoogleGenAI } from '@google/genai'
import { errorsIn } from '@throughline/core/messages'
import { growth, notLinear } from '@throughline/test-tools/growth'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  answering,
  answeringJson,
  calls,
  cuts,
  endOf,
  expectDamagedIsRefused,
  odd,
  oddText,
  refusalOf,
  type SampleReply,
  startOf,
  streamOf,
} from '../adapters.fixture.ts'
import { geminiAdapter as adapter, geminiDialect } from './index.ts'
import { toAnswer, toAnswers } from './write-reply.ts'

const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }]
const ask = { model: 'm', contents }
const thoughtful = { ...ask, generationConfig: { thinkingConfig: { includeThoughts: true } } }
const reply: SampleReply = {
  thinking: ['Let me ', 'see…'],
  text: odd,
  calls,
  usage: { promptTokens: 30, replyTokens: 12, cachedTokens: 20 },
}
const usageMetadata = {
  promptTokenCount: 30,
  candidatesTokenCount: 12,
  totalTokenCount: 42,
  cachedContentTokenCount: 20,
}

/** Google's library, whose requests are answered with this. */
function clientOf(answer: typeof fetch): GoogleGenAI {
  vi.stubGlobal('fetch', answer)
  onTestFinished(() => void vi.unstubAllGlobals())
  return new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: 'http://adapter' } })
}

async function read(text: string, sizes?: readonly number[]) {
  const client = clientOf(answering(text, { type: adapter.streamType, ...(sizes && { sizes }) }))
  const pieces: GenerateContentResponse[] = []
  for await (const piece of await client.models.generateContentStream(ask)) pieces.push(piece)
  const parts = pieces.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
  const textOf = (isThought: boolean) =>
    parts.filter(part => (part.thought ?? false) === isThought).map(part => part.text ?? '')
  return {
    text: textOf(false).join(''),
    thinking: textOf(true).join(''),
    calls: parts.flatMap(({ functionCall }) => functionCall ?? []),
    finish: pieces.flatMap(({ candidates }) => candidates?.[0]?.finishReason ?? []),
    usage: pieces.at(-1)?.usageMetadata,
  }
}

const functionCalls = calls.map(({ id, name, arguments: json }) => ({
  id,
  name,
  args: JSON.parse(json),
}))

describe('a stream, read by the library of Google', () => {
  it('is what was written, wherever the network cuts it', async () => {
    const text = streamOf(adapter, startOf(adapter, thoughtful), reply)
    await fc.assert(
      fc.asyncProperty(cuts, async sizes => {
        expect(await read(text, sizes)).toEqual({
          text: oddText,
          thinking: 'Let me see…',
          calls: functionCalls,
          finish: ['STOP'],
          usage: usageMetadata,
        })
      }),
      { seed: 11, numRuns: 25 },
    )
  })

  it('has thoughts only for those who ask, and our count where the upstream gave none', async () => {
    const { thinking, usage } = await read(
      streamOf(adapter, startOf(adapter, ask), { thinking: ['hm'], text: ['a'], reason: 'length' }),
    )
    expect([thinking, usage?.promptTokenCount]).toEqual(['', 21])
  })

  it('ends by its length', async () => {
    const text = streamOf(adapter, startOf(adapter, ask), { text: ['a'], reason: 'length' })
    expect((await read(text)).finish).toEqual(['MAX_TOKENS'])
  })

  it('throws where it failed', async () => {
    const stream = adapter.stream(startOf(adapter, ask))
    const fault = { status: 502, code: 'model_stream_broken', message: 'The upstream broke off' }
    const text = stream.start() + stream.text('Hel') + stream.fail(fault)
    await expect(read(text)).rejects.toThrow('The upstream broke off')
  })
})

describe('an answer that is not streamed', () => {
  it('is read by the library of Google', async () => {
    const body = toAnswer(startOf(adapter, thoughtful), endOf(reply))
    const answer = await clientOf(answeringJson(body)).models.generateContent(ask)
    expect([answer.text, answer.functionCalls, answer.usageMetadata]).toEqual([
      oddText,
      functionCalls,
      usageMetadata,
    ])
    expect(toAnswers(startOf(adapter, thoughtful), endOf(reply))).toEqual([body])
  })

  it('is an error of its kind, with the words by which clients know a prompt that is too long', async () => {
    const tokens = { prompt: 9000, window: 4096 }
    const fault = { status: 413, code: 'context_too_long', message: 'no', tokens }
    const { status, body } = adapter.fault(fault, 'id')
    const failure = clientOf(answeringJson(body, status)).models.generateContent(ask)
    await expect(failure).rejects.toMatchObject({ name: 'ApiError', status: 400 })
    expect(body).toEqual({
      error: {
        code: 400,
        message:
          'The input token count (9000) exceeds the maximum number of tokens allowed (4096).',
        status: 'INVALID_ARGUMENT',
      },
    })
  })
})

describe('a request', () => {
  const inAddress = (address: string) => adapter.inAddress!(new URL(address, 'http://here'))

  it('names its model and its streaming in the address', () => {
    expect([
      inAddress('/v1beta/models/gemma3:4b:generateContent'),
      inAddress('/v1beta/models/org/a%20b:streamGenerateContent?alt=sse'),
      inAddress('/v1beta/models/m:streamGenerateContent'),
    ]).toEqual([
      { model: 'gemma3:4b', stream: false },
      { model: 'org/a b', stream: true },
      { model: 'm', stream: false },
    ])
    expect(Object.keys(geminiDialect.adapters)).toHaveLength(2)
  })

  it('has the system prompt, files, calls with and without ids, and results', () => {
    const { system, messages, tools, settings, leftOut, origins } = adapter.read({
      model: 'm',
      system_instruction: { parts: [{ text: 'Be kind.' }, { text: 'Be short.' }] },
      contents: [
        {
          parts: [
            { text: 'What is this?' },
            { inline_data: { mime_type: 'image/png', data: 'iVBORw0KGgo=' } },
          ],
        },
        {
          role: 'model',
          parts: [
            { text: 'hm', thought: true, thoughtSignature: 'c2ln' },
            { text: 'I look.' },
            { functionCall: { name: 'look', args: { at: 'tree' } } },
            { functionCall: { id: 'b', name: 'tide' } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { name: 'look', response: { output: 'A tree.' } } },
            { functionResponse: { id: 'b', name: 'tide', response: { error: 'no sea' } } },
            { text: 'And?' },
          ],
        },
      ],
      tools: [
        {
          functionDeclarations: [
            {
              name: 'look',
              description: 'Looks.',
              parameters: {
                type: 'OBJECT',
                properties: { type: { type: 'STRING', enum: ['OBJECT'] } },
              },
            },
            { name: 'tide', parametersJsonSchema: { type: 'object' } },
          ],
        },
        { googleSearch: {} },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['look'] } },
      generationConfig: {
        temperature: 0.5,
        topP: 0.9,
        topK: 40,
        maxOutputTokens: 100,
        stopSequences: ['END'],
        seed: 7,
        responseSchema: { type: 'ARRAY', items: { type: 'STRING' } },
        thinkingConfig: { thinkingBudget: 0 },
      },
    })
    expect(system).toBe('Be kind.\n\nBe short.')
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image', image: 'iVBORw0KGgo=', mediaType: 'image/png' },
        ],
      },
      {
        role: 'assistant',
        content: 'I look.',
        thinking: 'hm',
        tool_calls: [
          { function: { name: 'look', arguments: { at: 'tree' } } },
          { id: 'b', function: { name: 'tide', arguments: {} } },
        ],
      },
      { role: 'tool', tool_name: 'look', content: 'A tree.' },
      { role: 'tool', tool_call_id: 'b', tool_name: 'tide', content: 'no sea' },
      { role: 'user', content: 'And?' },
    ])
    expect(messages.map(message => errorsIn(message)('', 0))).toEqual([
      false,
      false,
      false,
      true,
      false,
    ])
    expect(origins?.map(({ first, last }) => [first, last])).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
      [2, 2],
      [2, 2],
    ])
    expect(tools).toEqual([
      {
        name: 'look',
        description: 'Looks.',
        parameters: { type: 'object', properties: { type: { type: 'string', enum: ['OBJECT'] } } },
      },
      { name: 'tide', description: undefined, parameters: { type: 'object' } },
    ])
    expect(leftOut).toEqual(['googleSearch'])
    expect(settings).toEqual({
      temperature: 0.5,
      maxTokens: 100,
      seed: 7,
      stop: ['END'],
      format: { type: 'array', items: { type: 'string' } },
      thinking: false,
      provider: {
        top_p: 0.9,
        top_k: 40,
        tool_choice: { type: 'function', function: { name: 'look' } },
      },
    })
  })

  it.each([
    [{ ...ask, contents: 'Hello' }, 'contents'],
    [{ ...ask, contents: [{ role: 'robot', parts: [] }] }, 'contents[0].role'],
    [
      { ...ask, contents: [{ role: 'model', parts: [{ executableCode: {} }] }] },
      'contents[0].parts[0]',
    ],
    [
      { ...ask, contents: [{ parts: [{ functionResponse: {} }] }] },
      'contents[0].parts[0].functionResponse.name',
    ],
    [
      { ...ask, toolConfig: { functionCallingConfig: { mode: 'MAYBE' } } },
      'toolConfig.functionCallingConfig.mode',
    ],
  ])('is refused with the place of what is wrong', (body, field) => {
    expect(refusalOf(adapter, body)?.field).toBe(field)
  })

  it('is read or refused, whatever stands in it, and its messages are readable', () => {
    const good = {
      ...thoughtful,
      systemInstruction: { parts: [{ text: 'Be kind.' }] },
      contents: [
        ...contents,
        { role: 'model', parts: [{ functionCall: { id: 'a', name: 'look', args: {} } }] },
        { parts: [{ functionResponse: { id: 'a', name: 'look', response: { output: 'x' } } }] },
      ],
      tools: [
        {
          functionDeclarations: [{ name: 'look', parameters: { type: 'OBJECT', properties: {} } }],
        },
      ],
    }
    expectDamagedIsRefused(adapter, good, 12)
  })

  it('is read in linear time', () => {
    const bodyOf = (size: number) => ({
      ...ask,
      contents: Array.from({ length: size }, (_, at) => ({
        role: at % 2 === 0 ? 'user' : 'model',
        parts: Array.from({ length: 4 }, () => ({ text: `part ${at}` })),
      })),
    })
    expect(growth(bodyOf, adapter.read, { size: 2000 })).toBeLessThan(notLinear)
  })
})
