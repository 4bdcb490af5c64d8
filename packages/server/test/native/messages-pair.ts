import { anthropicEvents } from '@throughline/models/fixtures'
import { anthropicUpstream } from '../../src/upstream/model-servers.ts'
import { invented, type Pair } from './pair.ts'

/** Every documented field of `/v1/messages`, with every kind of block. */
const body = {
  model: 'claude-test',
  max_tokens: 32_000,
  system: [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1; cch=1f2e;' },
    { type: 'text', text: 'You are a gardener.', cache_control: { type: 'ephemeral', ttl: '1h' } },
  ],
  messages: [
    {
      role: 'user',
      content: [
        {
          type: 'text',
          text: 'What is in the file?',
          cache_control: { type: 'ephemeral' },
          odd: 1,
        },
        {
          type: 'image',
          source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
        },
        { type: 'image', source: { type: 'file', file_id: 'file_1' } },
        {
          type: 'document',
          source: { type: 'text', media_type: 'text/plain', data: 'A tree.' },
          title: 'Trees',
          context: 'A list.',
          citations: { enabled: true },
        },
        { type: 'container_upload', file_id: 'file_2' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'I should look.', signature: 'EqQBCkYIBRgCKkD=' },
        { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix' },
        { type: 'text', text: 'I look.', citations: null },
        {
          type: 'server_tool_use',
          id: 'srvtoolu_1',
          name: 'web_search',
          input: { query: 'trees' },
        },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'srvtoolu_1',
          content: [
            {
              type: 'web_search_result',
              url: 'https://a.example',
              title: 'A',
              encrypted_content: 'x',
            },
          ],
        },
        { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'tree', deep: 1.0 } },
        { type: 'tool_use', id: 'toolu_2', name: 'look', input: {}, caller: { type: 'direct' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: 'A leaf.', is_error: false },
        {
          type: 'tool_result',
          tool_use_id: 'toolu_2',
          is_error: true,
          content: [{ type: 'text', text: 'Too dark.' }],
          cache_control: { type: 'ephemeral' },
        },
        { type: 'text', text: 'And now?' },
      ],
    },
  ],
  tools: [
    {
      name: 'look',
      description: 'Looks.',
      input_schema: { type: 'object', properties: { at: { type: 'string' } } },
      strict: true,
      cache_control: { type: 'ephemeral' },
      eager_input_streaming: true,
      defer_loading: false,
      input_examples: [{ at: 'tree' }],
    },
    {
      type: 'web_search_20250305',
      name: 'web_search',
      max_uses: 5,
      allowed_domains: ['a.example'],
    },
    { type: 'bash_20250124', name: 'bash' },
  ],
  tool_choice: { type: 'auto', disable_parallel_tool_use: false },
  thinking: { type: 'enabled', budget_tokens: 16_000, display: 'summarized' },
  temperature: 1,
  top_p: 0.95,
  top_k: 40,
  stop_sequences: ['END'],
  metadata: { user_id: 'user_1' },
  service_tier: 'auto',
  container: 'container_1',
  context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
  mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'm', authorization_token: 't' }],
  output_config: { effort: 'high', format: { type: 'json_schema', schema: { type: 'object' } } },
  inference_geo: 'eu',
  speed: 'standard',
  cache_control: { type: 'ephemeral' },
  betas: ['x'],
  ...invented,
}

export const messagesPair: Pair = {
  name: 'Messages → Messages',
  path: '/v1/messages',
  list: 'messages',
  body,
  // Marks for the cache have tests of their own.
  upstream: (url, window) => anthropicUpstream({ url, window, cacheMarks: false }),
  turn: (at, text) => [
    {
      role: 'user',
      content: [{ type: 'text', text: `Question ${at}: ${text}`, cache_control: null, odd: at }],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: `Thought ${at}`, signature: `sig${at}` },
        { type: 'tool_use', id: `toolu_${at}`, name: 'look', input: { at } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: `toolu_${at}`, content: `Seen ${at}: ${text}` },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: `Answer ${at}`, citations: [] }] },
  ],
  question: text => ({ role: 'user', content: [{ type: 'text', text, odd: true }] }),
  limit: { max_tokens: 600 },
  stream: {
    chunks: [
      ...anthropicEvents([
        { type: 'thinking', thinking: 'hm', signature: 'c2lnbmVk' },
        { type: 'text', text: 'A tree stands there.' },
        { type: 'tool_use', id: 'toolu_9', name: 'look', input: { at: 'root' } },
      ]).slice(0, -2),
      'event: ping\ndata: {"type": "ping"}\n\n',
      'event: of_tomorrow\ndata: {"type":"of_tomorrow","odd":1.0}\n\n',
      'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null,"container":null},"usage":{"output_tokens":17,"odd":1}}\n\n',
      'event: message_stop\ndata: {"type":"message_stop","amazon-bedrock-invocationMetrics":{}}\n\n',
    ],
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'anthropic-ratelimit-requests-remaining': '7',
    },
  },
  whole: `{"id":"msg_1", "type":"message","role":"assistant","model":"claude-test","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"A tree.","citations":[]}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":7,"output_tokens":3,"service_tier":"standard"},"odd":1.0}`,
  said: { stream: 'A tree stands there.', whole: 'A tree.' },
}
