import { growth, notLinear } from '@throughline/test-tools/growth'
import fc from 'fast-check'
import { type ChatRequest, type ChatResponse, Ollama } from 'ollama/browser'
import { describe, expect, it } from 'vitest'
import {
  answering,
  answeringJson,
  calls,
  cuts,
  deep,
  endOf,
  expectDamagedIsRefused,
  odd,
  oddText,
  refusalOf,
  type SampleReply,
  startOf,
  streamOf,
} from '../adapters.fixture.ts'
import { signOfLife } from '../reply-stream.ts'
import { ollamaAdapter as adapter } from './index.ts'
import { toAnswer } from './write-reply.ts'

const ask = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] }
const clientOf = (answer: typeof fetch) => new Ollama({ host: 'http://adapter', fetch: answer })

async function read(text: string, sizes?: readonly number[]) {
  const client = clientOf(answering(text, { type: adapter.streamType, ...(sizes && { sizes }) }))
  const lines: ChatResponse[] = []
  for await (const line of await client.chat({ ...ask, stream: true })) lines.push(line)
  return {
    lines,
    text: lines.map(line => line.message.content).join(''),
    thinking: lines.map(line => line.message.thinking ?? '').join(''),
    calls: lines.flatMap(line => line.message.tool_calls ?? []),
    last: lines.at(-1),
  }
}

const reply: SampleReply = {
  thinking: ['Let me ', 'see…'],
  text: odd,
  calls,
  usage: { promptTokens: 30, replyTokens: 12 },
  details: {
    total_duration: 5e9,
    eval_duration: 4e9,
    done_reason: 'stop',
    model: 'other',
    load_duration: 'x',
  },
}
const toolCalls = [
  { id: 'call_1', function: { index: 0, name: 'wind', arguments: { city: 'Kiel', days: 2 } } },
  { id: 'call_2', function: { index: 1, name: 'tide', arguments: {} } },
]
const created_at = '2026-08-01T00:00:00.000Z'
const last = {
  model: 'm',
  created_at,
  done: true,
  done_reason: 'stop',
  total_duration: 5e9,
  eval_duration: 4e9,
  prompt_eval_count: 30,
  eval_count: 12,
}

describe('a stream, read by the ollama library', () => {
  const text = streamOf(adapter, startOf(adapter, ask), reply)

  it('is what was written, wherever the network cuts it', async () => {
    await fc.assert(
      fc.asyncProperty(cuts, async sizes => {
        const got = await read(text, sizes)
        expect(got.text).toBe(oddText)
        expect(got.thinking).toBe('Let me see…')
        expect(got.calls).toEqual(toolCalls)
        expect(got.last).toEqual({ ...last, message: { role: 'assistant', content: '' } })
        expect(got.lines.filter(line => line.done)).toHaveLength(1)
      }),
      { seed: 21, numRuns: 25 },
    )
  })

  it('has no empty line, and none that Python would break', () => {
    expect(text.endsWith('}\n')).toBe(true)
    const lines = text.slice(0, -1).split(/\r\n|[\n\r\u0085\u2028\u2029]/)
    expect(lines.filter(line => line === '')).toEqual([])
    for (const line of lines) JSON.parse(line)
  })

  it('ends by the length', async () => {
    const got = await read(
      streamOf(adapter, startOf(adapter, ask), { text: ['a'], reason: 'length' }),
    )
    expect(got.last).toMatchObject({ done_reason: 'length', prompt_eval_count: 21, eval_count: 0 })
  })

  it('throws where it failed, after what came before', async () => {
    const stream = adapter.stream(startOf(adapter, ask))
    const text =
      stream.start() +
      stream.text('Hel') +
      stream.fail({ status: 502, code: 'model_stream_broken', message: 'The upstream broke off' })
    await expect(read(text)).rejects.toThrow('The upstream broke off')
    expect(text).not.toContain('"done":true')
  })

  it('carries log probabilities', async () => {
    const logprobs = [{ token: 'H', logprob: -0.5 }]
    const { lines } = await read(
      streamOf(adapter, startOf(adapter, ask), { text: ['H', 'i'], logprobs }),
    )
    expect(lines.map(line => line.logprobs)).toEqual([logprobs, undefined, undefined])
  })

  it('writes nothing for an empty delta, and nothing to keep a connection alive', () => {
    const stream = adapter.stream(startOf(adapter, ask))
    expect([
      stream.text(''),
      stream.thinking(''),
      stream.calls([]),
      signOfLife(adapter, stream),
    ]).toEqual(['', '', '', ''])
  })

  it('wraps arguments that are no object', async () => {
    const broken = [{ id: 'a', name: 'wind', arguments: '{"city":' }]
    const got = await read(streamOf(adapter, startOf(adapter, ask), { calls: broken }))
    expect(got.calls[0]!.function.arguments).toEqual({ arguments: '{"city":' })
  })
})

describe('a whole body, read by the ollama library', () => {
  const answer = (body: object, reply: SampleReply) =>
    clientOf(answeringJson(adapter.whole(startOf(adapter, body), endOf(reply)))).chat({
      ...ask,
      stream: false,
    })

  it('has everything', async () => {
    // The types of the library agree, but for its dates, which are texts, and durations, which may be absent.
    toAnswer(startOf(adapter, ask), endOf(reply)) satisfies Pick<
      ChatResponse,
      'model' | 'message' | 'done' | 'done_reason'
    >
    const logprobs = [{ token: 'H', logprob: -0.5 }]
    expect(await answer({ ...ask, stream: false }, { ...reply, logprobs })).toEqual({
      ...last,
      message: {
        role: 'assistant',
        content: oddText,
        thinking: 'Let me see…',
        tool_calls: toolCalls,
      },
      logprobs,
    })
  })

  it('says that a model was loaded or unloaded', async () => {
    const message = { role: 'assistant', content: '' }
    const loaded = { model: 'm', created_at, message, done: true, done_reason: 'load' }
    expect(await answer({ model: 'm', messages: [] }, {})).toEqual(loaded)
    expect(await answer({ model: 'm', keep_alive: 0 }, {})).toEqual({
      ...loaded,
      done_reason: 'unload',
    })
  })
})

describe('an error, read by the ollama library', () => {
  it.each([400, 401, 403, 404, 500, 502, 503])('%i', async status => {
    const fault = adapter.fault({ status, code: 'any', message: 'Because' }, 'req_1')
    const failure = clientOf(answeringJson(fault.body, fault.status)).chat({ ...ask, stream: true })
    await expect(failure).rejects.toMatchObject({ status_code: status, error: 'Because' })
  })

  it('has the words and the counts for a prompt that is too long', () => {
    const fault = { status: 413, code: 'context_too_long', message: 'Too long.' }
    const { status, body } = adapter.fault(
      { ...fault, tokens: { prompt: 900, window: 512 } },
      'req_1',
    )
    expect(status).toBe(400)
    expect(JSON.parse((body as { error: string }).error)).toMatchObject({
      error: { type: 'exceed_context_size_error', n_prompt_tokens: 900, n_ctx: 512 },
    })
    expect(adapter.fault(fault, 'req_1').body).toMatchObject({
      error: expect.stringContaining('the input length exceeds the context length'),
    })
  })
})

/** What the library sends for this request. */
async function sent(request: ChatRequest): Promise<unknown> {
  let body: unknown
  const client = clientOf(async (_, init) => {
    body = JSON.parse(String(init?.body))
    return Response.json({})
  })
  await client.chat({ ...request, stream: false })
  return body
}

describe('a request', () => {
  it('of the ollama library is read: system, messages, tools, settings', async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } }
    const body = await sent({
      model: 'm',
      think: 'high',
      format: parameters,
      keep_alive: '10m',
      logprobs: true,
      top_logprobs: 3,
      options: {
        temperature: 0,
        num_predict: 50,
        seed: 3,
        stop: ['END'],
        top_k: 40,
        top_p: 0.5,
        repeat_penalty: 1.1,
        num_ctx: 8192,
        num_batch: 64,
        num_gpu: 1,
        main_gpu: 0,
        num_thread: 4,
        use_mmap: true,
      },
      tools: [{ type: 'function', function: { name: 'wind', description: 'Wind', parameters } }],
      messages: [
        { role: 'system', content: 'You sail.' },
        { role: 'user', content: 'look', images: ['iVBORw0KGgo='] },
        { role: 'assistant', content: '', thinking: 'hm', tool_calls: toolCalls },
        { role: 'tool', tool_name: 'wind', content: '4 Bft' },
        { role: 'system', content: 'Now in German.' },
      ],
    } as unknown as ChatRequest)
    expect(adapter.read({ ...(body as object), truncate: true, shift: true })).toEqual({
      window: 8192,
      origins: [1, 2, 3, 4].map(at => ({ first: at, last: at })),
      model: 'm',
      system: 'You sail.',
      messages: [
        { role: 'user', content: 'look', images: ['iVBORw0KGgo='] },
        {
          role: 'assistant',
          content: '',
          thinking: 'hm',
          tool_calls: toolCalls.map(({ id, function: { name, arguments: input } }) => ({
            id,
            function: { name, arguments: input },
          })),
        },
        { role: 'tool', tool_name: 'wind', content: '4 Bft' },
        { role: 'system', content: 'Now in German.' },
      ],
      tools: [{ name: 'wind', description: 'Wind', parameters }],
      settings: {
        temperature: 0,
        maxTokens: 50,
        seed: 3,
        stop: ['END'],
        format: parameters,
        thinking: 'high',
        provider: {
          top_k: 40,
          top_p: 0.5,
          repeat_penalty: 1.1,
          keep_alive: '10m',
          logprobs: true,
          top_logprobs: 3,
        },
      },
      stream: false,
      named: {},
      hints: {},
    })
  })

  it('is streamed unless it says otherwise', () => {
    expect(adapter.read(ask).stream).toBe(true)
    expect(adapter.read({ ...ask, stream: null }).stream).toBe(true)
    expect(adapter.read({ ...ask, stream: false }).stream).toBe(false)
  })

  it.each([
    [undefined, 'load'],
    [-1, 'load'],
    ['5m', 'load'],
    ['0h5m', 'load'],
    [0, 'unload'],
    ['0', 'unload'],
    ['0s', 'unload'],
    ['0ms', 'unload'],
  ])('without messages and with keep_alive %j is a %s', (keep_alive, load) => {
    expect(adapter.read({ model: 'm', messages: [], keep_alive }).hints).toEqual({ load })
    expect(adapter.read({ ...ask, keep_alive }).hints).toEqual({})
  })

  it.each([-1, -2, 0])('has no limit for num_predict %i', num_predict => {
    expect(adapter.read({ ...ask, options: { num_predict } }).settings.maxTokens).toBeUndefined()
  })

  it.each([
    ['a list', [], undefined],
    ['no model', { messages: [] }, 'model'],
    ['messages of another kind', { model: 'm', messages: {} }, 'messages'],
    [
      'a note',
      { ...ask, messages: [{ role: 'assistant_note', content: 'x' }] },
      'messages[0].role',
    ],
    ['parts', { ...ask, messages: [{ role: 'user', content: [] }] }, 'messages[0].content'],
    [
      'an image that is no text',
      { ...ask, messages: [{ role: 'user', images: [1] }] },
      'messages[0].images[0]',
    ],
    [
      'calls of a user',
      { ...ask, messages: [{ role: 'user', tool_calls: toolCalls }] },
      'messages[0].tool_calls',
    ],
    [
      'arguments that are too deep',
      {
        ...ask,
        messages: [
          {
            role: 'assistant',
            tool_calls: [{ function: { name: 'a', arguments: { x: deep() } } }],
          },
        ],
      },
      'messages[0].tool_calls[0].function.arguments',
    ],
    ['an option of another kind', { ...ask, options: { top_k: '40' } }, 'options.top_k'],
    ['options as a list', { ...ask, options: [] }, 'options'],
    ['a thought of another kind', { ...ask, think: 'hard' }, 'think'],
    ['a format of another kind', { ...ask, format: 'yaml' }, 'format'],
    ['a format that is too deep', { ...ask, format: { a: deep() } }, 'format'],
  ])('is refused for %s', (_, body, field) => {
    expect(refusalOf(adapter, body)).toMatchObject({ code: 'bad_request', field })
  })

  it('is read or refused, whatever stands in it, and its messages are readable', () => {
    const good = {
      ...ask,
      stream: true,
      think: true,
      keep_alive: 5,
      options: { temperature: 1, stop: ['a'], top_k: 4 },
      tools: [{ type: 'function', function: { name: 'a', parameters: { type: 'object' } } }],
      messages: [
        { role: 'system', content: 'a' },
        { role: 'user', content: 'a', images: ['AAAA'] },
        { role: 'assistant', content: '', thinking: 'a', tool_calls: toolCalls },
        { role: 'tool', tool_name: 'a', tool_call_id: 'call_1', content: 'a' },
      ],
    }
    expectDamagedIsRefused(adapter, good, 22)
  })

  it('is read in linear time', () => {
    const bodyOf = (size: number) => ({
      model: 'm',
      messages: Array.from({ length: size }, (_, at) => ({
        role: at % 2 ? 'assistant' : 'user',
        content: 'a',
      })),
    })
    expect(growth(bodyOf, adapter.read, { size: 4000 })).toBeLessThan(notLinear)
  })
})
