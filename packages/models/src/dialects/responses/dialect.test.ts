import { growth, notLinear } from '@throughline/test-tools/growth'
import fc from 'fast-check'
import OpenAI from 'openai'
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
  startFor,
  startOf,
  streamOf,
} from '../adapters.fixture.ts'
import { responsesAdapter as adapter } from './index.ts'
import { endedResponse, toFunctionCall, toMessage, toReasoning } from './to-response.ts'

const ask = { model: 'm', input: 'Hello' }
const clientOf = (answer: typeof fetch) =>
  new OpenAI({ apiKey: 'none', baseURL: 'http://adapter/v1', fetch: answer, maxRetries: 0 })

async function read(text: string, sizes?: readonly number[]) {
  const client = clientOf(answering(text, { type: adapter.streamType, ...(sizes && { sizes }) }))
  const stream = client.responses.stream(ask)
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of stream) events.push(event as OpenAI.Responses.ResponseStreamEvent)
  return { events, response: await stream.finalResponse() }
}

const reply: SampleReply = {
  thinking: ['Let me ', 'see…'],
  text: odd,
  calls,
  usage: { promptTokens: 30, replyTokens: 12, cachedTokens: 20 },
}
const usage = {
  input_tokens: 30,
  input_tokens_details: { cached_tokens: 20, cache_write_tokens: 0 },
  output_tokens: 12,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 42,
}
const output = [
  { id: 'rs_abc_0', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Let me see…' }] },
  {
    id: 'msg_abc_1',
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: oddText, annotations: [], logprobs: [] }],
  },
  ...calls.map(({ id, name, arguments: json }, at) => ({
    id: `fc_abc_${at + 2}`,
    type: 'function_call',
    status: 'completed',
    call_id: id,
    name,
    arguments: json,
  })),
]

describe('a stream, read by the openai library', () => {
  it('is what was written, wherever the network cuts it', async () => {
    const text = streamOf(adapter, startOf(adapter, ask), reply)
    await fc.assert(
      fc.asyncProperty(cuts, async sizes => {
        const { events, response } = await read(text, sizes)
        expect(response).toMatchObject({ id: 'resp_abc', status: 'completed', output, usage })
        expect(response.output_text).toBe(oddText)
        expect(events.map(event => event.sequence_number)).toEqual([...events.keys()])
      }),
      { seed: 41, numRuns: 25 },
    )
  })

  it('has every event, and every item closed before the next', async () => {
    const stream = adapter.stream(startOf(adapter, ask))
    const text = [
      stream.start(),
      stream.thinking('a'),
      stream.text('b'),
      stream.text('c'),
      stream.thinking('d'),
      stream.calls(calls.slice(0, 1)),
      stream.end(endOf({ calls: calls.slice(0, 1) })),
    ].join('')
    const { events } = await read(text)
    const shown = events.map(event => {
      const index = 'output_index' in event ? ` ${event.output_index}` : ''
      return `${event.type.slice('response.'.length)}${index}`
    })
    const thought = (index: number) => [
      `output_item.added ${index}`,
      `reasoning_summary_part.added ${index}`,
      `reasoning_summary_text.delta ${index}`,
      `reasoning_summary_text.done ${index}`,
      `reasoning_summary_part.done ${index}`,
      `output_item.done ${index}`,
    ]
    expect(shown).toEqual([
      'created',
      'in_progress',
      ...thought(0),
      'output_item.added 1',
      'content_part.added 1',
      'output_text.delta 1',
      'output_text.delta 1',
      'output_text.done 1',
      'content_part.done 1',
      'output_item.done 1',
      ...thought(2),
      'output_item.added 3',
      'function_call_arguments.delta 3',
      'function_call_arguments.done 3',
      'output_item.done 3',
      'completed',
    ])
    const ids = (index: number) =>
      new Set(
        events.flatMap(event => {
          if (!('output_index' in event) || event.output_index !== index) return []
          return 'item_id' in event ? [event.item_id] : 'item' in event ? [event.item.id] : []
        }),
      )
    expect([0, 1, 2, 3].map(index => [...ids(index)])).toEqual([
      ['rs_abc_0'],
      ['msg_abc_1'],
      ['rs_abc_2'],
      ['fc_abc_3'],
    ])
    // The name of each event is its type.
    for (const [, name, type] of text.matchAll(/^event: (.*)\ndata: \{"type":"([^"]*)"/gm))
      expect(name).toBe(type)
  })

  it('is incomplete at its length, but not for Codex, which would ask again', async () => {
    const cut: SampleReply = { text: ['a'], reason: 'length' }
    const start = startOf(adapter, ask)
    const { events, response } = await read(streamOf(adapter, start, cut))
    expect(events.at(-1)!.type).toBe('response.incomplete')
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
    })
    const { request } = start
    const codex = startFor({ ...request, hints: { ...request.hints, isCodex: true } })
    const done = await read(streamOf(adapter, codex, cut))
    expect(done.events.at(-1)!.type).toBe('response.completed')
    expect(done.response).toMatchObject({ status: 'completed', incomplete_details: null })
  })

  it.each([
    [{ status: 400, code: 'context_too_long', message: 'Too long.' }, 'context_length_exceeded'],
    [{ status: 502, code: 'model_stream_broken', message: 'Broke off.' }, 'server_error'],
    [{ status: 400, code: 'model_refused', message: 'No.' }, 'invalid_prompt'],
    [{ status: 500, code: 'any', message: 'No.', isRetryable: false }, 'invalid_prompt'],
    [
      { status: 429, code: 'model_busy', message: 'Busy.', retryAfterMs: 2500 },
      'rate_limit_exceeded',
    ],
  ])('fails for %j', async (fault, code) => {
    const stream = adapter.stream(startOf(adapter, ask))
    const { events, response } = await read(
      stream.start() + stream.text('Hel') + stream.fail(fault),
    )
    expect(events.at(-1)!.type).toBe('response.failed')
    expect(response).toMatchObject({ status: 'failed', error: { code } })
    if (fault.status === 429) expect(response.error!.message).toBe('Busy. Please try again in 3s.')
  })

  it('keeps thoughts for clients that ask for them', async () => {
    const start = startOf(adapter, { ...ask, include: ['reasoning.encrypted_content'] })
    const { response } = await read(streamOf(adapter, start, { thinking: ['hm'], text: ['a'] }))
    const [thought] = response.output
    expect(thought).toMatchObject({ type: 'reasoning', encrypted_content: 'throughline:hm' })
    const back = adapter.read({ ...ask, input: [{ ...thought, summary: [] }] })
    expect(back.messages).toEqual([{ role: 'assistant', content: '', thinking: 'hm' }])
  })

  it('carries log probabilities', async () => {
    const logprobs = [{ token: 'H', logprob: -0.5 }]
    const { response } = await read(
      streamOf(adapter, startOf(adapter, ask), { text: ['H', 'i'], logprobs }),
    )
    expect(response.output).toMatchObject([
      { content: [{ logprobs: [{ token: 'H', logprob: -0.5, bytes: [72], top_logprobs: [] }] }] },
    ])
  })

  it('writes nothing for an empty delta', () => {
    const stream = adapter.stream(startOf(adapter, ask))
    expect([stream.text(''), stream.thinking(''), stream.calls([])]).toEqual(['', '', ''])
  })
})

describe('a whole body, read by the openai library', () => {
  it('has the types of the library', () => {
    const start = startOf(adapter, ask)
    toReasoning(start, 0, 'a') satisfies OpenAI.Responses.ResponseReasoningItem
    toFunctionCall(start, 0, calls[0]!) satisfies OpenAI.Responses.ResponseFunctionToolCall
    toMessage(start, 0) satisfies OpenAI.Responses.ResponseOutputMessage
    const response = endedResponse(start, endOf({}), [])
    response satisfies Pick<
      OpenAI.Responses.Response,
      'id' | 'object' | 'created_at' | 'status' | 'usage'
    >
    // Every field that the type demands; `output_text` is added by the library.
    const demanded: Readonly<Record<Demanded, true>> = {
      ...{ id: true, created_at: true, error: true, incomplete_details: true, instructions: true },
      ...{ metadata: true, model: true, object: true, output: true, parallel_tool_calls: true },
      ...{ temperature: true, tool_choice: true, tools: true, top_p: true },
    }
    expect(Object.keys(response)).toEqual(expect.arrayContaining(Object.keys(demanded)))
  })

  it('has everything, and is the end of the stream', async () => {
    const start = startOf(adapter, ask)
    const body = adapter.whole(start, endOf(reply))
    const response = await clientOf(answeringJson(body)).responses.create(ask)
    expect(response).toMatchObject({ id: 'resp_abc', status: 'completed', output, usage })
    expect(response.output_text).toBe(oddText)
    const { events } = await read(streamOf(adapter, start, reply))
    expect((events.at(-1) as { response: unknown }).response).toEqual(body)
  })

  it('repeats the request', () => {
    const fields = {
      instructions: 'You sail.',
      metadata: { a: 'b' },
      previous_response_id: 'resp_old',
      store: false,
      temperature: 0.5,
      tools: [{ type: 'function', name: 'wind', parameters: {}, strict: true }],
      reasoning: { effort: 'low' },
      prompt_cache_key: 'k',
    }
    const body = adapter.whole(startOf(adapter, { ...ask, ...fields }), endOf({}))
    expect(body).toMatchObject({
      ...fields,
      object: 'response',
      created_at: Date.UTC(2026, 7, 1) / 1000,
      model: 'm',
      error: null,
      output: [],
      parallel_tool_calls: true,
      tool_choice: 'auto',
      top_p: null,
      text: { format: { type: 'text' } },
      reasoning: { effort: 'low', summary: null },
      truncation: 'disabled',
    })
    expect(
      adapter.whole(startOf(adapter, { ...ask, conversation: { id: 'c1' } }), endOf({})),
    ).toMatchObject({
      conversation: { id: 'c1' },
      previous_response_id: null,
    })
  })
})

it('words an error as chat completions do', async () => {
  const fault = adapter.fault(
    { status: 404, code: 'not_found', message: 'No such response' },
    'req_1',
  )
  const error = await clientOf(answeringJson(fault.body, fault.status))
    .responses.create(ask)
    .catch(failure => failure)
  expect(error).toBeInstanceOf(OpenAI.NotFoundError)
  expect(error).toMatchObject({ status: 404, code: 'not_found' })
})

type Response = OpenAI.Responses.Response
type Demanded = Exclude<
  { [K in keyof Response]-?: object extends Pick<Response, K> ? never : K }[keyof Response],
  'output_text'
>

const callItem = (call_id: string, name: string, more: object = {}) => ({
  type: 'function_call',
  call_id,
  name,
  arguments: '{}',
  ...more,
})
const outputItem = (call_id: string, output: unknown) => ({
  type: 'function_call_output',
  call_id,
  output,
})
const toolCall = (id: string, name: string) => ({
  id,
  type: 'function',
  function: { name, arguments: '{}' },
})

describe('a request', () => {
  it('of Codex is read: system, items, tools, settings', () => {
    const parameters = { type: 'object', properties: { command: { type: 'array' } } }
    const request = adapter.read({
      model: 'm',
      instructions: 'You are Codex.',
      store: false,
      stream: true,
      tool_choice: 'auto',
      parallel_tool_calls: false,
      reasoning: { effort: 'medium', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'k',
      text: {
        verbosity: 'low',
        format: { type: 'json_schema', name: 'x', schema: parameters, strict: true },
      },
      client_metadata: { 'x-codex-turn-metadata': '{}' },
      tools: [
        { type: 'function', name: 'shell', description: 'Runs', strict: false, parameters },
        { type: 'web_search', external_web_access: true },
        { type: 'custom', name: 'apply_patch', format: { type: 'grammar' } },
        {
          type: 'namespace',
          name: 'mcp__files__',
          tools: [{ type: 'function', name: 'read', parameters }],
        },
        {
          type: 'namespace',
          name: 'sea',
          tools: [{ type: 'function', name: 'tide', parameters }],
        },
      ],
      input: [
        {
          type: 'message',
          role: 'developer',
          content: [{ type: 'input_text', text: '<permissions>' }],
        },
        {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_text', text: '<environment_context>' }],
        },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'look' },
            { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'high' },
          ],
        },
        {
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'hm' }],
          encrypted_content: 'gAAAA',
        },
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Let me look.' }],
        },
        callItem('c1', 'shell'),
        callItem('c2', 'read', { namespace: 'mcp__files__' }),
        callItem('c3', 'tide', { namespace: 'sea' }),
        outputItem('c1', 'file.txt'),
        outputItem('c2', [
          { type: 'input_text', text: 'seen' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
        ]),
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: {} },
        { type: 'custom_tool_call', call_id: 'c4', name: 'apply_patch', input: '*** Begin' },
        { type: 'custom_tool_call_output', call_id: 'c4', output: 'ok' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Really.' }] },
        { type: 'message', role: 'developer', content: 'Now in German.' },
        { role: 'user', content: 'Go on' },
      ],
    })
    const { hints, ...rest } = request
    expect(rest).toEqual({
      origins: [
        [1, 1],
        [2, 2],
        [3, 7],
        [8, 8],
        [9, 9],
        [10, 11],
        [12, 12],
        [13, 13],
        [14, 14],
        [15, 15],
        [16, 16],
      ].map(([first, last]) => ({ first, last })),
      model: 'm',
      system: 'You are Codex.\n\n<permissions>',
      messages: [
        { role: 'user', content: '<environment_context>' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'high' } },
          ],
        },
        {
          role: 'assistant',
          content: 'Let me look.',
          thinking: 'hm',
          tool_calls: [
            toolCall('c1', 'shell'),
            toolCall('c2', 'mcp__files__read'),
            toolCall('c3', 'sea__tide'),
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'file.txt' },
        {
          role: 'tool',
          tool_call_id: 'c2',
          content: [
            { type: 'text', text: 'seen' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
        {
          role: 'assistant',
          content: '',
          tool_calls: [
            {
              id: 'c4',
              type: 'function',
              function: { name: 'apply_patch', arguments: '{"input":"*** Begin"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'c4', content: 'ok' },
        { role: 'assistant', content: 'Done.' },
        { role: 'assistant', content: 'Really.' },
        { role: 'system', content: 'Now in German.' },
        { role: 'user', content: 'Go on' },
      ],
      tools: [
        { name: 'shell', description: 'Runs', parameters },
        {
          name: 'apply_patch',
          parameters: {
            type: 'object',
            properties: {
              input: { type: 'string', description: 'The whole text that the tool takes.' },
            },
            required: ['input'],
          },
        },
        { name: 'mcp__files__read', parameters },
        { name: 'sea__tide', parameters },
      ],
      leftOut: ['web_search', 'web_search_call'],
      settings: {
        format: parameters,
        thinking: 'medium',
        provider: { tool_choice: 'auto', parallel_tool_calls: false, verbosity: 'low' },
      },
      stream: true,
      named: { isStored: false },
    })
    expect(hints).toMatchObject({ isThoughtKept: true, echo: { prompt_cache_key: 'k' } })
    // A call of a tool in a namespace goes back under its own name.
    const called = [{ id: 'c9', name: 'sea__tide', arguments: '{}' }]
    expect(adapter.whole(startFor(request), endOf({ calls: called }))).toMatchObject({
      output: [{ type: 'function_call', namespace: 'sea', name: 'tide', call_id: 'c9' }],
    })
  })

  it('goes on from an earlier response or a conversation', () => {
    expect(adapter.read({ ...ask, previous_response_id: 'resp_old' }).named).toEqual({
      previous: 'old',
      isStored: true,
    })
    expect(adapter.read({ ...ask, conversation: 'conv_1' }).named).toEqual({
      conversation: 'conv_1',
      isStored: true,
    })
    expect(adapter.read({ ...ask, conversation: { id: 'conv_1' } }).named).toMatchObject({
      conversation: 'conv_1',
    })
  })

  it('names earlier replies by their items', () => {
    const { messages, named } = adapter.read({
      ...ask,
      input: [
        { role: 'user', content: 'a' },
        { type: 'item_reference', id: 'rs_one_0' },
        { type: 'item_reference', id: 'msg_one_1' },
        callItem('c1', 'wind', { id: 'fc_one_2' }),
        outputItem('c1', 'x'),
        { id: 'msg_0a1b2c' },
        { type: 'item_reference', id: 'msg_0a1b2c' },
        { type: 'item_reference', id: 'msg_two_0' },
        { role: 'user', content: 'b' },
      ],
    })
    expect(messages).toEqual([
      { role: 'user', content: 'a' },
      { role: 'tool', tool_call_id: 'c1', content: 'x' },
      { role: 'user', content: 'b' },
    ])
    expect(named.references).toEqual([
      { at: 1, reply: 'one' },
      { at: 2, reply: 'two' },
    ])
  })

  it('puts what belongs to one reply into one message', () => {
    const input = [
      { role: 'user', content: 'a' },
      callItem('c1', 'wind'),
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] },
      { role: 'assistant', content: 'One moment.' },
      callItem('c2', 'tide'),
      outputItem('c1', 'x'),
      outputItem('c2', 'y'),
    ]
    expect(adapter.read({ ...ask, input }).messages).toEqual([
      { role: 'user', content: 'a' },
      {
        role: 'assistant',
        content: 'One moment.',
        thinking: 'hm',
        tool_calls: [toolCall('c1', 'wind'), toolCall('c2', 'tide')],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'x' },
      { role: 'tool', tool_call_id: 'c2', content: 'y' },
    ])
  })

  it('reads its own output back as the message that was written', async () => {
    const { response } = await read(streamOf(adapter, startOf(adapter, ask), reply))
    const ids = response.output.map(({ id, ...item }) => item)
    expect(adapter.read({ ...ask, input: ids }).messages).toEqual([
      {
        role: 'assistant',
        content: oddText,
        thinking: 'Let me see…',
        tool_calls: calls.map(({ id, name, arguments: json }) => ({
          id,
          type: 'function',
          function: { name, arguments: json },
        })),
      },
    ])
  })

  it.each([
    [
      { type: 'function', name: 'wind' },
      { type: 'function', function: { name: 'wind' } },
    ],
    [{ type: 'allowed_tools', mode: 'required', tools: [] }, 'required'],
    [{ type: 'web_search' }, undefined],
  ])('chooses tools by %j', (tool_choice, expected) => {
    expect(adapter.read({ ...ask, tool_choice }).settings.provider?.tool_choice).toEqual(expected)
  })

  it('may ask for log probabilities', () => {
    const { provider } = adapter.read({ ...ask, top_logprobs: 2 }).settings
    expect(provider).toEqual({ logprobs: true, top_logprobs: 2 })
    const include = ['message.output_text.logprobs']
    expect(adapter.read({ ...ask, include }).settings.provider).toEqual({
      logprobs: true,
      top_logprobs: 0,
    })
  })

  it('may have files', () => {
    const content = [
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
      { type: 'input_file', file_url: 'https://a.example/b.pdf' },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    ]
    expect(adapter.read({ ...ask, input: [{ role: 'user', content }] }).messages).toEqual([
      {
        role: 'user',
        content: [
          {
            type: 'file',
            file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
          },
          { type: 'file', data: 'https://a.example/b.pdf', mediaType: '' },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
        ],
      },
    ])
  })

  it.each([
    ['a list', [], undefined],
    ['no input', { model: 'm' }, 'input'],
    ['no model', { input: 'a' }, 'model'],
    [
      'an item of an unknown kind',
      { ...ask, input: [{ type: 'hologram', of: deep() }] },
      'input[0].type',
    ],
    [
      'a compaction of another server',
      { ...ask, input: [{ type: 'compaction' }] },
      'input[0].type',
    ],
    [
      'a part of an unknown kind',
      { ...ask, input: [{ role: 'user', content: [{ type: 'hologram' }] }] },
      'input[0].content[0].type',
    ],
    ['a tool of an unknown kind', { ...ask, tools: [{ type: 'hologram' }] }, 'tools[0].type'],
    [
      'an added tool of an unknown kind',
      { ...ask, input: [{ type: 'additional_tools', tools: [{ type: 'hologram' }] }] },
      'input[0].tools[0].type',
    ],
    ['a null item', { ...ask, input: [null] }, 'input[0]'],
    ['a note', { ...ask, input: [{ role: 'assistant_note', content: 'a' }] }, 'input[0].role'],
    ['a number as content', { ...ask, input: [{ role: 'user', content: 1 }] }, 'input[0].content'],
    [
      'a call without an id',
      { ...ask, input: [{ type: 'function_call', name: 'a', arguments: '' }] },
      'input[0].call_id',
    ],
    [
      'arguments of another kind',
      { ...ask, input: [callItem('a', 'a', { arguments: {} })] },
      'input[0].arguments',
    ],
    ['an output of another kind', { ...ask, input: [outputItem('a', 5)] }, 'input[0].output'],
    [
      'an uploaded file',
      { ...ask, input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] },
      'input[0].content[0]',
    ],
    [
      'two places',
      { ...ask, previous_response_id: 'a', conversation: 'b' },
      'previous_response_id',
    ],
    ['work in the background', { ...ask, background: true }, 'background'],
    ['a prompt that is kept elsewhere', { ...ask, prompt: { id: 'p' } }, 'prompt'],
    ['metadata that are too deep', { ...ask, metadata: { a: deep() } }, 'metadata'],
    ['tools that are too deep', { ...ask, tools: [{ type: 'web_search', a: deep() }] }, 'tools'],
    ['a store of another kind', { ...ask, store: 'no' }, 'store'],
  ])('is refused for %s', (_, body, field) => {
    expect(refusalOf(adapter, body)).toMatchObject({ code: 'bad_request', field })
  })

  it('is read or refused, whatever stands in it, and its messages are readable', () => {
    const good = {
      ...ask,
      instructions: 'a',
      include: ['reasoning.encrypted_content'],
      tools: [
        { type: 'function', name: 'a', parameters: { type: 'object' } },
        { type: 'namespace', name: 'a', tools: [{ type: 'function', name: 'b' }] },
      ],
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'a' },
            { type: 'input_image', image_url: 'x' },
          ],
        },
        {
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'a' }],
          encrypted_content: 'throughline:a',
        },
        { role: 'assistant', content: 'a' },
        callItem('c1', 'a', { id: 'fc_x_1', namespace: 'a' }),
        outputItem('c1', [{ type: 'input_text', text: 'a' }]),
        { type: 'item_reference', id: 'msg_y_1' },
      ],
    }
    expectDamagedIsRefused(adapter, good, 42)
  })

  it('is read in linear time', () => {
    const bodyOf = (size: number) => ({
      model: 'm',
      input: Array.from({ length: size }, (_, at) =>
        at % 2 ? outputItem(`c${at - 1}`, 'a') : callItem(`c${at}`, 'a', { id: `fc_${at}_1` }),
      ),
    })
    expect(growth(bodyOf, adapter.read, { size: 4000 })).toBeLessThan(notLinear)
    const calls = (size: number) => ({
      model: 'm',
      input: Array.from({ length: size }, (_, at) => callItem(`c${at}`, 'a')),
    })
    expect(growth(calls, adapter.read, { size: 4000 })).toBeLessThan(notLinear)
  })
})
