import { ollamaUpstream } from '../../src/upstream/model-servers.ts'
import { invented, type Pair } from './pair.ts'

const schema = { type: 'object', properties: { at: { type: 'string' } } }

/** Every documented field of `/api/chat`, and every kind of message. */
const body = {
  model: 'llama-test',
  messages: [
    { role: 'system', content: 'You are a gardener.', odd: 1 },
    { role: 'user', content: 'What is there?', images: ['iVBORw0KGgo='] },
    {
      role: 'assistant',
      content: '',
      thinking: 'I should look.',
      tool_calls: [
        {
          id: 'call_1',
          type: 'function',
          function: { index: 0, name: 'look', arguments: { at: 'tree', deep: 1 } },
        },
      ],
    },
    { role: 'tool', tool_name: 'look', tool_call_id: 'call_1', content: 'A leaf.', odd: null },
    { role: 'user', content: 'And now?' },
  ],
  tools: [
    {
      type: 'function',
      function: { name: 'look', description: 'Looks.', parameters: schema, strict: true },
    },
  ],
  format: schema,
  think: 'high',
  keep_alive: '10m',
  options: {
    num_ctx: 200_000,
    num_keep: 5,
    seed: 42,
    num_predict: 100,
    top_k: 20,
    top_p: 0.9,
    min_p: 0,
    typical_p: 0.7,
    repeat_last_n: 33,
    temperature: 0.8,
    repeat_penalty: 1.2,
    presence_penalty: 1.5,
    frequency_penalty: 1,
    stop: ['\n', 'user:'],
    odd_option: { a: 1 },
  },
  truncate: false,
  shift: false,
  logprobs: false,
  top_logprobs: 0,
  _debug_render_only: false,
  ...invented,
}

const line = (value: object) =>
  `${JSON.stringify({ model: 'llama-test', created_at: '2026-08-22T10:00:00.123456789Z', ...value, odd: 1 })}\n`

export const ollamaPair: Pair = {
  name: 'Ollama → Ollama',
  path: '/api/chat',
  list: 'messages',
  body,
  upstream: (url, window) => ollamaUpstream({ url, window }),
  turn: (at, text) => [
    { role: 'user', content: `Question ${at}: ${text}`, odd: at },
    {
      role: 'assistant',
      content: '',
      thinking: `Thought ${at}`,
      tool_calls: [{ id: `call_${at}`, function: { name: 'look', arguments: { at } } }],
    },
    { role: 'tool', tool_name: 'look', tool_call_id: `call_${at}`, content: `Seen ${at}: ${text}` },
    { role: 'assistant', content: `Answer ${at}`, odd: at },
  ],
  question: text => ({ role: 'user', content: text, odd: true }),
  limit: { options: { num_ctx: 4096, num_predict: 600, odd_option: 1 } },
  stream: {
    chunks: [
      line({ message: { role: 'assistant', content: '', thinking: 'hm' }, done: false }),
      line({ message: { role: 'assistant', content: 'A tree ' }, done: false }),
      line({ message: { role: 'assistant', content: 'stands there.' }, done: false }),
      line({
        message: {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'call_9', function: { name: 'look', arguments: {} } }],
        },
        done: false,
      }),
      line({
        message: { role: 'assistant', content: '' },
        ...{
          done: true,
          done_reason: 'stop',
          total_duration: 7,
          prompt_eval_count: 7,
          eval_count: 3,
        },
      }),
    ],
    headers: { 'content-type': 'application/x-ndjson' },
  },
  whole: `{"model":"llama-test", "created_at":"2026-08-22T10:00:00Z","message":{"role":"assistant","content":"A tree."},"done":true,"done_reason":"stop","total_duration":7,"prompt_eval_count":7,"eval_count":3,"odd":1.0}`,
  said: { stream: 'A tree stands there.', whole: 'A tree.' },
}
