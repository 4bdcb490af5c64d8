import { openaiUpstream } from '../../src/upstream/model-servers.ts'
import { invented, type Pair } from './pair.ts'

const schema = { type: 'object', properties: { at: { type: 'string' } } }

/** Every documented field of `/v1/responses` that needs nothing stored, and many kinds of items. */
const body = {
  model: 'gpt-test',
  instructions: 'You are a gardener.',
  input: [
    {
      type: 'message',
      role: 'developer',
      content: [{ type: 'input_text', text: 'Be kind.' }],
      odd: 1,
    },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'What is there?' },
        { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' },
        { type: 'input_image', file_id: 'file-1', detail: 'auto' },
        { type: 'input_file', file_id: 'file-2' },
      ],
    },
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Look.' }],
      encrypted_content: 'gAAAA=',
    },
    {
      type: 'web_search_call',
      id: 'ws_1',
      status: 'completed',
      action: { type: 'search', query: 'trees' },
    },
    {
      type: 'message',
      id: 'msg_1',
      status: 'completed',
      role: 'assistant',
      phase: 'commentary',
      content: [
        {
          type: 'output_text',
          text: 'I look.',
          annotations: [{ type: 'url_citation' }],
          logprobs: [],
        },
      ],
    },
    {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'call_1',
      name: 'look',
      arguments: '{ "at": "tree" }',
      status: 'completed',
    },
    { type: 'custom_tool_call', id: 'ct_1', call_id: 'call_2', name: 'shout', input: 'ho' },
    {
      type: 'function_call_output',
      call_id: 'call_1',
      output: [{ type: 'input_text', text: 'A leaf.' }],
      status: null,
    },
    { type: 'custom_tool_call_output', call_id: 'call_2', output: 'ho ho' },
    { type: 'of_tomorrow', odd: { deep: [] } },
    { role: 'user', content: 'And now?' },
  ],
  include: ['reasoning.encrypted_content', 'web_search_call.action.sources'],
  tools: [
    { type: 'function', name: 'look', description: 'Looks.', parameters: schema, strict: true },
    { type: 'web_search', search_context_size: 'low', user_location: null },
    { type: 'custom', name: 'shout', format: { type: 'text' } },
    {
      type: 'namespace',
      name: 'mcp__files__',
      tools: [{ type: 'function', name: 'read', parameters: schema }],
    },
    {
      type: 'mcp',
      server_label: 'm',
      server_url: 'https://mcp.example',
      require_approval: 'never',
    },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  max_tool_calls: 7,
  max_output_tokens: 900,
  temperature: 1,
  top_p: 0.98,
  top_logprobs: 0,
  reasoning: { effort: 'high', summary: 'auto', context: 'auto' },
  text: {
    format: {
      type: 'json_schema',
      name: 'answer',
      description: 'An answer.',
      schema,
      strict: false,
    },
    verbosity: 'low',
  },
  service_tier: 'flex',
  store: false,
  metadata: { a: 'b' },
  user: 'ada',
  safety_identifier: 'ada',
  prompt_cache_key: 'key',
  prompt_cache_retention: '24h',
  truncation: 'disabled',
  background: false,
  stream_options: { include_obfuscation: false },
  context_management: [{ type: 'compaction', compact_threshold: 9 }],
  client_metadata: { odd: 'x' },
  ...invented,
}

let sequence = 0
const event = (type: string, value: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...value })}\n\n`

const reasoning = {
  id: 'rs_9',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'hm' }],
  encrypted_content: 'gBBBB=',
}
const text = { type: 'output_text', text: 'A tree stands there.', annotations: [], logprobs: [] }
const message = {
  id: 'msg_9',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [text],
}
const call = {
  id: 'fc_9',
  type: 'function_call',
  status: 'completed',
  call_id: 'call_9',
  name: 'look',
  arguments: '{"at":"root"}',
}
const response = (status: string, output: readonly object[]) => ({
  ...{
    id: 'resp_0a1b2c',
    object: 'response',
    created_at: 7,
    model: 'gpt-test-2026',
    status,
    output,
    odd: 1,
  },
  usage:
    status === 'completed'
      ? {
          input_tokens: 7,
          output_tokens: 3,
          total_tokens: 10,
          input_tokens_details: { cached_tokens: 2 },
        }
      : null,
})

export const responsesPair: Pair = {
  name: 'Responses → Responses',
  path: '/v1/responses',
  list: 'input',
  body,
  upstream: (url, window) => openaiUpstream({ url, window, responses: 'native' }),
  turn: (at, said) => [
    { role: 'user', content: [{ type: 'input_text', text: `Question ${at}: ${said}` }], odd: at },
    { type: 'reasoning', id: `rs_${at}`, summary: [], encrypted_content: `enc${at}` },
    { type: 'function_call', call_id: `call_${at}`, name: 'look', arguments: `{ "at": ${at} }` },
    { type: 'function_call_output', call_id: `call_${at}`, output: `Seen ${at}: ${said}` },
    {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: `Answer ${at}`, annotations: [] }],
    },
  ],
  question: said => ({ role: 'user', content: said, odd: true }),
  limit: { max_output_tokens: 600 },
  stream: {
    chunks: [
      event('response.created', { response: response('in_progress', []) }),
      event('response.output_item.added', { output_index: 0, item: { ...reasoning, summary: [] } }),
      event('response.reasoning_summary_part.added', {
        item_id: 'rs_9',
        output_index: 0,
        summary_index: 0,
      }),
      event('response.reasoning_summary_text.delta', {
        item_id: 'rs_9',
        output_index: 0,
        summary_index: 0,
        delta: 'hm',
      }),
      event('response.output_item.done', { output_index: 0, item: reasoning }),
      event('response.output_item.added', { output_index: 1, item: { ...message, content: [] } }),
      event('response.output_text.delta', {
        item_id: 'msg_9',
        output_index: 1,
        delta: 'A tree ',
        logprobs: [],
        obfuscation: 'xx',
      }),
      event('response.output_text.delta', {
        item_id: 'msg_9',
        output_index: 1,
        delta: 'stands there.',
        logprobs: [],
      }),
      event('response.of_tomorrow', { odd: 1 }),
      event('response.output_item.done', { output_index: 1, item: message }),
      event('response.output_item.added', { output_index: 2, item: { ...call, arguments: '' } }),
      event('response.function_call_arguments.delta', {
        item_id: 'fc_9',
        output_index: 2,
        delta: '{"at":"root"}',
      }),
      event('response.function_call_arguments.done', {
        item_id: 'fc_9',
        output_index: 2,
        arguments: '{"at":"root"}',
      }),
      event('response.output_item.done', { output_index: 2, item: call }),
      event('response.completed', { response: response('completed', [reasoning, message, call]) }),
    ],
    headers: { 'content-type': 'text/event-stream', 'openai-processing-ms': '7' },
  },
  whole: JSON.stringify(
    response('completed', [reasoning, { ...message, content: [{ ...text, text: 'A tree.' }] }]),
    undefined,
    1,
  ),
  said: { stream: 'A tree stands there.', whole: 'A tree.' },
}
