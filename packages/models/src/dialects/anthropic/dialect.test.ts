import Anthropic from '@anthropic-ai/sdk'
import { errorsIn } from '@throughline/core/messages'
import { growth, notLinear } from '@throughline/test-tools/growth'
import fc from 'fast-check'
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
import { eachOllama } from '../ollama/write-request.ts'
import { eachOpenAi } from '../openai/write-request.ts'
import { messagesAdapter as adapter } from './index.ts'
import { toMessage, toTokenCount } from './write-reply.ts'

const ask = { model: 'm', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello' }] }
const clientOf = (answer: typeof fetch) =>
  new Anthropic({ apiKey: 'none', baseURL: 'http://adapter', fetch: answer, maxRetries: 0 })

async function read(text: string, sizes?: readonly number[]) {
  const stream = clientOf(
    answering(text, { type: adapter.streamType, ...(sizes && { sizes }) }),
  ).messages.stream(ask)
  return { message: await stream.finalMessage() }
}

const reply: SampleReply = {
  thinking: ['Let me ', 'see…'],
  text: odd,
  calls,
  usage: { promptTokens: 30, replyTokens: 12, cachedTokens: 20 },
}
const content = [
  { type: 'thinking', thinking: 'Let me see…', signature: 'dGhyb3VnaGxpbmU=' },
  { type: 'text', text: oddText },
  { type: 'tool_use', id: 'call_1', name: 'wind', input: { city: 'Kiel', days: 2 } },
  { type: 'tool_use', id: 'call_2', name: 'tide', input: {} },
]
const usage = {
  input_tokens: 10,
  output_tokens: 12,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 20,
}
const head = { id: 'msg_abc', type: 'message', role: 'assistant', model: 'm' }

describe('a stream, read by the Anthropic library', () => {
  it('is what was written, wherever the network cuts it', async () => {
    const text = streamOf(adapter, startOf(adapter, ask), reply)
    await fc.assert(
      fc.asyncProperty(cuts, async sizes => {
        const { message } = await read(text, sizes)
        expect(message).toMatchObject({
          ...head,
          content,
          stop_reason: 'tool_use',
          stop_sequence: null,
          usage,
        })
      }),
      { seed: 31, numRuns: 25 },
    )
  })

  it('opens and closes each block before the next', () => {
    const stream = adapter.stream(startOf(adapter, ask))
    const text = [
      stream.start(),
      stream.text('a'),
      stream.thinking('b'),
      stream.thinking('c'),
      stream.text('d'),
      stream.calls(calls),
      stream.end(endOf({ calls })),
    ].join('')
    const events = text.split('\n\n').flatMap(event => {
      const [name, data] = event.split('\n')
      if (!name || !data) return []
      const value = JSON.parse(data.slice('data: '.length))
      expect(name).toBe(`event: ${value.type}`)
      return [
        [value.type, value.index, value.content_block?.type ?? value.delta?.type].filter(
          one => one !== undefined,
        ),
      ]
    })
    expect(events.map(event => event.join(' '))).toEqual([
      'message_start',
      'content_block_start 0 text',
      'content_block_delta 0 text_delta',
      'content_block_stop 0',
      'content_block_start 1 thinking',
      'content_block_delta 1 thinking_delta',
      'content_block_delta 1 thinking_delta',
      'content_block_delta 1 signature_delta',
      'content_block_stop 1',
      'content_block_start 2 text',
      'content_block_delta 2 text_delta',
      'content_block_stop 2',
      'content_block_start 3 tool_use',
      'content_block_delta 3 input_json_delta',
      'content_block_stop 3',
      'content_block_start 4 tool_use',
      'content_block_delta 4 input_json_delta',
      'content_block_stop 4',
      'message_delta',
      'message_stop',
    ])
  })

  it.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['other', 'end_turn'],
  ] as const)('ends by %s', async (reason, stop_reason) => {
    const { message } = await read(
      streamOf(adapter, startOf(adapter, ask), { text: ['a'], reason }),
    )
    expect(message).toMatchObject({ stop_reason, usage: { input_tokens: 21, output_tokens: 0 } })
  })

  it('begins with our own count, and may be kept alive', () => {
    const text = streamOf(adapter, startOf(adapter, ask), { text: ['a'] })
    expect(text).toContain('event: ping\ndata: {"type":"ping"}\n\n')
    // The library goes on to change the message of the first event, so it is read from the text.
    const [, data] = text.split('\n')
    expect(JSON.parse(data!.slice('data: '.length))).toMatchObject({
      type: 'message_start',
      message: {
        ...head,
        content: [],
        stop_reason: null,
        usage: { input_tokens: 21, output_tokens: 0 },
      },
    })
  })

  it.each([
    [502, 'api_error'],
    [503, 'overloaded_error'],
  ])('throws where it failed with %i', async (status, type) => {
    const stream = adapter.stream(startOf(adapter, ask))
    const text =
      stream.start() +
      stream.text('Hel') +
      stream.fail({ status, code: 'any', message: 'The upstream broke off' })
    const error = await read(text).catch(failure => failure)
    expect(error).toBeInstanceOf(Anthropic.APIError)
    expect(error.error).toEqual({
      type: 'error',
      error: { type, message: 'The upstream broke off' },
    })
  })

  it('writes nothing for an empty delta', () => {
    const stream = adapter.stream(startOf(adapter, ask))
    expect([stream.text(''), stream.thinking(''), stream.calls([])]).toEqual(['', '', ''])
  })
})

describe('a whole body, read by the Anthropic library', () => {
  it('has everything', async () => {
    // The types of the library agree.
    const { usage: counts, ...message } = toMessage(startOf(adapter, ask), endOf(reply))
    message satisfies Pick<
      Anthropic.Message,
      'id' | 'type' | 'role' | 'model' | 'stop_reason' | 'stop_sequence'
    >
    counts satisfies Partial<Anthropic.Usage>
    message.content satisfies Anthropic.ContentBlockParam[]
    const client = clientOf(answeringJson(adapter.whole(startOf(adapter, ask), endOf(reply))))
    expect(await client.messages.create(ask)).toMatchObject({
      ...head,
      content,
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage,
    })
  })

  it('may be a count', async () => {
    const client = clientOf(answeringJson(toTokenCount(17)))
    expect(await client.messages.countTokens({ model: 'm', messages: ask.messages })).toMatchObject(
      {
        input_tokens: 17,
      },
    )
  })
})

describe('an error, read by the Anthropic library', () => {
  it.each([
    [400, Anthropic.BadRequestError, 'invalid_request_error'],
    [401, Anthropic.AuthenticationError, 'authentication_error'],
    [403, Anthropic.PermissionDeniedError, 'permission_error'],
    [404, Anthropic.NotFoundError, 'not_found_error'],
    [413, Anthropic.APIError, 'request_too_large'],
    [429, Anthropic.RateLimitError, 'rate_limit_error'],
    [500, Anthropic.InternalServerError, 'api_error'],
    [503, Anthropic.InternalServerError, 'overloaded_error'],
  ])('%i', async (status, kind, type) => {
    const fault = adapter.fault({ status, code: 'any', message: 'Because' }, 'req_1')
    const client = clientOf(answeringJson(fault.body, fault.status))
    const error = await client.messages.create(ask).catch(failure => failure)
    expect(error).toBeInstanceOf(kind)
    expect(error).toMatchObject({
      status,
      error: { type: 'error', error: { type, message: 'Because' }, request_id: 'req_1' },
    })
  })

  it('has the words for a prompt that is too long', () => {
    const fault = { status: 413, code: 'context_too_long', message: 'Too long.' }
    expect(adapter.fault({ ...fault, tokens: { prompt: 900, window: 512 } }, 'req_1')).toEqual({
      status: 400,
      body: {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'prompt is too long: 900 tokens > 512 maximum',
        },
        request_id: 'req_1',
      },
    })
    expect(JSON.stringify(adapter.fault(fault, 'req_1').body)).toContain('prompt is too long')
  })
})

const png = 'iVBORw0KGgo='

describe('a request', () => {
  it('reads the names of the tools that a search has found, as models of other makes must be told them', () => {
    const found = ['wind', 'tide'].map(tool_name => ({ type: 'tool_reference', tool_name }))
    const { messages } = adapter.read({
      model: 'm',
      max_tokens: 9,
      messages: [
        { role: 'user', content: 'How is the wind?' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 't1', name: 'ToolSearch', input: {} }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: found }] },
      ],
    })
    expect(messages.at(-1)).toMatchObject({
      role: 'tool',
      content: 'Tool found: wind\nTool found: tide',
    })
  })

  it('of Claude Code is read: system, messages, tools, settings', () => {
    const input_schema = { type: 'object', properties: { city: { type: 'string' } } }
    const cache_control = { type: 'ephemeral' }
    const request = adapter.read({
      model: 'm',
      max_tokens: 32_000,
      temperature: 1,
      top_k: 5,
      top_p: 0.5,
      stream: true,
      stop_sequences: ['END'],
      metadata: { user_id: 'user_1_account__session_5' },
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high', format: { type: 'json_schema', schema: input_schema } },
      context_management: { edits: [] },
      system: [
        { type: 'text', text: 'x-anthropic-billing-header: cc_version=2; cch=1' },
        { type: 'text', text: 'You sail.', cache_control },
        { type: 'text', text: 'Be brief.' },
      ],
      tools: [
        { name: 'wind', description: 'Wind', input_schema, cache_control },
        { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
      ],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b', cache_control },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'x' },
            { type: 'redacted_thinking', data: 'zzz' },
            { type: 'text', text: 'Let me look.' },
            {
              type: 'tool_use',
              id: 't1',
              name: 'wind',
              input: { city: 'Kiel' },
              caller: { type: 'direct' },
            },
            { type: 'tool_use', id: 't2', name: 'tide', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: '4 Bft' },
            {
              type: 'tool_result',
              tool_use_id: 't2',
              is_error: true,
              content: [
                { type: 'text', text: 'no tide' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
              ],
            },
            { type: 'text', text: '<system-reminder>' },
            {
              type: 'document',
              title: 'A',
              source: { type: 'text', media_type: 'text/plain', data: 'sea' },
            },
          ],
        },
        { role: 'system', content: 'Now in German.' },
      ],
    })
    expect(request).toEqual({
      leftOut: ['web_search_20250305'],
      origins: [
        { first: 0, last: 0 },
        { first: 1, last: 1 },
        { first: 2, last: 2, blocks: [0] },
        { first: 2, last: 2, blocks: [1] },
        { first: 2, last: 2, blocks: [2, 3] },
        { first: 3, last: 3 },
      ],
      model: 'm',
      marksCache: true,
      system: 'You sail.\n\nBe brief.',
      messages: [
        { role: 'user', content: 'a\nb' },
        {
          role: 'assistant',
          content: 'Let me look.',
          thinking: 'hm',
          tool_calls: [
            { id: 't1', function: { name: 'wind', arguments: { city: 'Kiel' } } },
            { id: 't2', function: { name: 'tide', arguments: {} } },
          ],
        },
        { role: 'tool', tool_call_id: 't1', tool_name: 'wind', content: '4 Bft' },
        {
          role: 'tool',
          tool_call_id: 't2',
          tool_name: 'tide',
          content: [
            { type: 'text', text: 'no tide' },
            { type: 'image', image: png, mediaType: 'image/png' },
          ],
        },
        { role: 'user', content: '<system-reminder>\nA\nsea' },
        { role: 'system', content: 'Now in German.' },
      ],
      tools: [{ name: 'wind', description: 'Wind', parameters: input_schema }],
      settings: {
        temperature: 1,
        maxTokens: 32_000,
        stop: ['END'],
        format: input_schema,
        provider: { top_k: 5, top_p: 0.5, tool_choice: 'required', parallel_tool_calls: false },
      },
      stream: true,
      named: { user: 'user_1_account__session_5' },
      hints: {},
    })
    const failed = request.messages.map(message => errorsIn(message)('4 Bft', 0))
    expect(failed).toEqual([false, false, false, true, false, false])
    // Both upstreams take what was read.
    expect(eachOllama(request.messages).flat()[3]).toMatchObject({
      content: 'no tide',
      images: [png],
    })
    expect(eachOpenAi(request.messages).flat()[3]).toMatchObject({
      content: [
        { type: 'text' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      ],
    })
  })

  it('may have files', () => {
    const blocks = [
      { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
      {
        type: 'document',
        title: 'a.pdf',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
      },
      { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'inner' }] } },
      {
        type: 'search_result',
        title: 'T',
        source: 'https://a.example',
        content: [{ type: 'text', text: 'found' }],
      },
    ]
    const { messages } = adapter.read({ ...ask, messages: [{ role: 'user', content: blocks }] })
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', image: 'https://a.example/b.png' },
          { type: 'file', data: 'JVBERi0=', mediaType: 'application/pdf', filename: 'a.pdf' },
          ...['inner', 'T', 'https://a.example', 'found'].map(text => ({ type: 'text', text })),
        ],
      },
    ])
  })

  it.each([
    [{ type: 'auto' }, 'auto'],
    [{ type: 'none' }, 'none'],
    [
      { type: 'tool', name: 'wind' },
      { type: 'function', function: { name: 'wind' } },
    ],
  ])('chooses tools by %j', (tool_choice, expected) => {
    expect(adapter.read({ ...ask, tool_choice }).settings.provider).toEqual({
      tool_choice: expected,
    })
  })

  it.each([
    [{ type: 'enabled', budget_tokens: 2000 }, undefined],
    [{ type: 'disabled' }, false],
  ])('thinks as %j', (thinking, expected) => {
    expect(adapter.read({ ...ask, thinking }).settings.thinking).toBe(expected)
  })

  it('keeps a system prompt that is one text, and reads the body of a count', () => {
    const system = 'x-anthropic-billing-header: 1\nYou sail.'
    expect(adapter.read({ model: 'm', messages: [], system })).toMatchObject({
      system,
      messages: [],
    })
  })

  it.each([
    ['a list', [], undefined],
    ['no messages', { model: 'm' }, 'messages'],
    [
      'a role of another API',
      { ...ask, messages: [{ role: 'tool', content: 'a' }] },
      'messages[0].role',
    ],
    [
      'a note',
      { ...ask, messages: [{ role: 'assistant_note', content: 'a' }] },
      'messages[0].role',
    ],
    [
      'a number as content',
      { ...ask, messages: [{ role: 'user', content: 1 }] },
      'messages[0].content',
    ],
    [
      'a null block',
      { ...ask, messages: [{ role: 'user', content: [null] }] },
      'messages[0].content[0]',
    ],
    [
      'a text that is none',
      { ...ask, messages: [{ role: 'user', content: [{ type: 'text' }] }] },
      'messages[0].content[0].text',
    ],
    [
      'an uploaded image',
      {
        ...ask,
        messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file' } }] }],
      },
      'messages[0].content[0].source.type',
    ],
    [
      'a block of an unknown kind',
      { ...ask, messages: [{ role: 'user', content: [{ type: 'hologram' }] }] },
      'messages[0].content[0].type',
    ],
    [
      'what a tool of Anthropic has found',
      { ...ask, messages: [{ role: 'assistant', content: [{ type: 'web_search_tool_result' }] }] },
      'messages[0].content[0].type',
    ],
    [
      'a tool that is known by its name only',
      { ...ask, tools: [{ type: 'bash_20250124' }] },
      'tools[0].type',
    ],
    [
      'arguments that are too deep',
      {
        ...ask,
        messages: [
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 'a', name: 'a', input: { x: deep() } }],
          },
        ],
      },
      'messages[0].content[0].input',
    ],
    [
      'a result of nothing',
      { ...ask, messages: [{ role: 'user', content: [{ type: 'tool_result' }] }] },
      'messages[0].content[0].tool_use_id',
    ],
    ['a system of another kind', { ...ask, system: 5 }, 'system'],
    ['a tool without a name', { ...ask, tools: [{ input_schema: {} }] }, 'tools[0].name'],
    ['a choice of another kind', { ...ask, tool_choice: { type: 'some' } }, 'tool_choice.type'],
  ])('is refused for %s', (_, body, field) => {
    expect(refusalOf(adapter, body)).toMatchObject({ code: 'bad_request', field })
  })

  it('is read or refused, whatever stands in it, and its messages are readable', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }
    const good = {
      ...ask,
      system: [{ type: 'text', text: 'a' }],
      tools: [{ name: 'a', input_schema: { type: 'object' } }],
      metadata: { user_id: 'a' },
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'a' }, image] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'a' },
            { type: 'tool_use', id: 'a', name: 'a', input: { a: 1 } },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'a', is_error: false, content: [image] }],
        },
        { role: 'system', content: 'a' },
        {
          role: 'user',
          content: [
            {
              type: 'document',
              source: { type: 'content', content: [{ type: 'text', text: 'a' }] },
            },
          ],
        },
      ],
    }
    expectDamagedIsRefused(adapter, good, 32)
  })

  it('is read in linear time', () => {
    const bodyOf = (size: number) => ({
      model: 'm',
      messages: Array.from({ length: size }, (_, at) =>
        at % 2
          ? {
              role: 'assistant',
              content: [{ type: 'tool_use', id: `t${at}`, name: 'a', input: {} }],
            }
          : {
              role: 'user',
              content: [{ type: 'tool_result', tool_use_id: `t${at - 1}`, content: 'a' }],
            },
      ),
    })
    expect(growth(bodyOf, adapter.read, { size: 4000 })).toBeLessThan(notLinear)
  })
})
