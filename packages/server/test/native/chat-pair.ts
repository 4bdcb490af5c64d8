import { openaiUpstream } from '../../src/upstream/model-servers.ts'
import { invented, type Pair } from './pair.ts'

const schema = { type: 'object', properties: { at: { type: 'string' } } }

/** Every documented field of `/v1/chat/completions`, those of servers that speak it too, and every kind of message. */
const body = {
  model: 'gpt-test',
  messages: [
    {
      role: 'developer',
      content: [{ type: 'text', text: 'You are a gardener.', odd: 1 }],
      name: 'boss',
    },
    {
      role: 'user',
      name: 'ada',
      content: [
        { type: 'text', text: 'What is there?', cache_control: { type: 'ephemeral' } },
        {
          type: 'image_url',
          image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' },
        },
        { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
        { type: 'file', file: { file_id: 'file-1' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      refusal: null,
      audio: { id: 'audio_1' },
      annotations: [],
      reasoning_content: 'I should look.',
      reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }],
      tool_calls: [
        {
          id: 'call_1',
          type: 'function',
          function: { name: 'look', arguments: '{ "at": "tree" }' },
          index: 0,
        },
        { id: 'call_2', type: 'custom', custom: { name: 'shout', input: 'ho' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'A leaf.' }] },
    { role: 'tool', tool_call_id: 'call_2', content: 'ho ho' },
    { role: 'user', content: 'And now?' },
  ],
  tools: [
    {
      type: 'function',
      function: { name: 'look', description: 'Looks.', parameters: schema, strict: true },
    },
    { type: 'custom', custom: { name: 'shout', format: { type: 'text' } } },
  ],
  tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } },
  parallel_tool_calls: false,
  functions: [{ name: 'look', parameters: schema }],
  function_call: 'auto',
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'answer', description: 'An answer.', schema, strict: false },
  },
  audio: { voice: 'alloy', format: 'wav' },
  modalities: ['text'],
  prediction: { type: 'content', content: 'A tree.' },
  web_search_options: { search_context_size: 'low' },
  max_completion_tokens: 900,
  max_tokens: 900,
  n: 1,
  temperature: 0.7,
  top_p: 0.9,
  frequency_penalty: 0.1,
  presence_penalty: -0.1,
  logit_bias: { '50256': -100 },
  logprobs: false,
  top_logprobs: 0,
  seed: 7,
  stop: 'END',
  reasoning_effort: 'high',
  verbosity: 'low',
  service_tier: 'flex',
  store: true,
  metadata: { a: 'b' },
  user: 'ada',
  safety_identifier: 'ada',
  prompt_cache_key: 'key',
  prompt_cache_retention: '24h',
  stream_options: { include_obfuscation: false },
  // Of vLLM, llama.cpp and others.
  guided_json: schema,
  chat_template_kwargs: { enable_thinking: false },
  cache_salt: 'salt',
  id_slot: 2,
  min_p: 0.05,
  ...invented,
}

const chunk = (choices: readonly object[], more: object = {}) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 7, model: 'gpt-test', service_tier: 'flex', system_fingerprint: 'fp', choices, ...more, obfuscation: 'xx' })}\n\n`

const delta = (value: object, finish_reason: string | null = null) => [
  { index: 0, delta: value, logprobs: null, finish_reason },
]

export const chatPair: Pair = {
  name: 'chat → chat',
  path: '/v1/chat/completions',
  list: 'messages',
  body,
  upstream: (url, window) => openaiUpstream({ url, window }),
  turn: (at, text) => [
    { role: 'user', content: `Question ${at}: ${text}`, odd: at },
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        {
          id: `call_${at}`,
          type: 'function',
          function: { name: 'look', arguments: `{ "at": ${at} }` },
          odd: at,
        },
      ],
    },
    { role: 'tool', tool_call_id: `call_${at}`, content: `Seen ${at}: ${text}`, odd: at },
    { role: 'assistant', content: `Answer ${at}`, refusal: null, annotations: [] },
  ],
  question: text => ({ role: 'user', content: [{ type: 'text', text, odd: true }] }),
  limit: { max_completion_tokens: 600, max_tokens: 600 },
  stream: {
    chunks: [
      chunk(delta({ role: 'assistant', content: '', refusal: null })),
      chunk(delta({ reasoning_content: 'hm' })),
      chunk(delta({ content: 'A tree ' })),
      chunk(delta({ content: 'stands there.', odd: 1 })),
      chunk(
        delta({
          tool_calls: [
            { index: 0, id: 'call_9', type: 'function', function: { name: 'look', arguments: '' } },
          ],
        }),
      ),
      chunk(delta({ tool_calls: [{ index: 0, function: { arguments: '{"at":"root"}' } }] })),
      chunk(delta({}, 'tool_calls')),
      chunk([], { usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10, odd: 1 } }),
      'data: [DONE]\n\n',
    ],
    headers: { 'content-type': 'text/event-stream', 'openai-processing-ms': '7' },
  },
  whole: `{"id":"chatcmpl-1", "object":"chat.completion","created":7,"model":"gpt-test","choices":[{"index":0,"message":{"role":"assistant","content":"A tree.","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10},"service_tier":"flex","odd":1.0}`,
  said: { stream: 'A tree stands there.', whole: 'A tree.' },
}
