/** A small session in the form of each agent: a prompt, a thought, a call with its result, an answer; branches where it has them. */

const lines = (...values: readonly unknown[]): string =>
  values.map(value => JSON.stringify(value)).join('\n')

const at = (minute: number) => new Date(Date.UTC(2025, 4, 3, 10, minute)).toISOString()
const ms = (minute: number) => Date.UTC(2025, 4, 3, 10, minute)

const qwenLine = (uuid: string, parentUuid: string | null, minute: number, rest: object) => ({
  ...{ uuid, parentUuid, sessionId: 'q1', timestamp: at(minute), cwd: '/boat', version: '0.9.0' },
  ...rest,
})
const parts = (role: string, ...list: readonly object[]) => ({ message: { role, parts: list } })

/** The second prompt was taken back and asked in other words; a subagent has looked too. */
export const qwenCodeFile = lines(
  qwenLine('u1', null, 1, { type: 'user', ...parts('user', { text: 'Which files are here?' }) }),
  qwenLine('a1', 'u1', 2, {
    type: 'assistant',
    model: 'qwen3-coder',
    ...parts(
      'model',
      { text: 'I list them.', thought: true },
      { functionCall: { id: 'c1', name: 'ls', args: { path: '.' } } },
      { functionCall: { name: 'pwd', args: {} } },
    ),
  }),
  qwenLine('s1', 'a1', 2, {
    ...{ type: 'user', isSidechain: true, agentId: 'explore-1' },
    ...parts('user', { text: 'Look deeper.' }),
  }),
  qwenLine('r1', 'a1', 3, {
    type: 'tool_result',
    ...parts(
      'user',
      { functionResponse: { id: 'c1', name: 'ls', response: { output: 'mast.ts' } } },
      { functionResponse: { name: 'pwd', response: { error: 'no folder' } } },
    ),
  }),
  qwenLine('t1', 'r1', 3, {
    type: 'system',
    subtype: 'custom_title',
    systemPayload: { customTitle: 'Files' },
  }),
  qwenLine('a2', 't1', 4, {
    type: 'assistant',
    model: 'qwen3-coder',
    ...parts('model', { text: 'One: mast.ts.' }),
  }),
  qwenLine('u2', 'a2', 5, { type: 'user', ...parts('user', { text: 'Open it.' }) }),
  qwenLine('u3', 'a2', 6, {
    type: 'user',
    ...parts(
      'user',
      { text: 'Delete it.' },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
    ),
  }),
)

const piLine = (id: string, parentId: string | null, minute: number, message: object) => ({
  ...{ type: 'message', id, parentId, timestamp: at(minute), message },
})

export const piFile = lines(
  { type: 'session', version: 3, id: 'p1', timestamp: at(0), cwd: '/boat' },
  { type: 'model_change', id: 'm0', parentId: null, timestamp: at(0), modelId: 'kimi' },
  piLine('e1', 'm0', 1, { role: 'user', content: 'Which files are here?' }),
  piLine('e2', 'e1', 2, {
    ...{ role: 'assistant', model: 'kimi' },
    content: [
      { type: 'thinking', thinking: 'I list them.' },
      { type: 'toolCall', id: 'c1', name: 'ls', arguments: { path: '.' } },
    ],
  }),
  piLine('e3', 'e2', 3, {
    ...{
      role: 'toolResult',
      toolCallId: 'c1',
      isError: true,
      content: [{ type: 'text', text: 'no folder' }],
    },
  }),
  { type: 'session_info', id: 'n1', parentId: 'e3', timestamp: at(3), name: 'Files' },
  piLine('e4', 'n1', 4, {
    role: 'assistant',
    model: 'kimi',
    content: [{ type: 'text', text: 'None.' }],
  }),
  piLine('e5', 'e4', 5, {
    role: 'user',
    content: [{ type: 'text', text: 'And now?' }, { type: 'image' }],
  }),
  piLine('e6', 'e4', 6, { role: 'bashExecution', command: 'ls', output: 'mast.ts' }),
  piLine('e7', 'e6', 7, { role: 'user', content: 'What is new?' }),
)

/** The first version of pi has no ids of lines. */
export const oldPiFile = lines(
  { type: 'session', id: 'p0', timestamp: at(0), cwd: '/boat' },
  { type: 'message', timestamp: at(1), message: { role: 'user', content: 'Hello.' } },
  {
    type: 'message',
    timestamp: at(2),
    message: { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
  },
)

export const continueFile = JSON.stringify({
  ...{ sessionId: 'c-1', title: 'Files', workspaceDirectory: '/boat', dateCreated: String(at(1)) },
  history: [
    {
      message: { role: 'user', content: [{ type: 'text', text: 'Which files are here?' }] },
      contextItems: [{ name: 'notes.txt', description: '', content: 'Lunch at noon.', id: {} }],
    },
    { message: { role: 'thinking', content: 'I list them.' }, contextItems: [] },
    {
      message: {
        ...{ role: 'assistant', content: '' },
        toolCalls: [
          { id: 'k1', type: 'function', function: { name: 'ls', arguments: '{"path":"."}' } },
          { id: 'k2', type: 'function', function: { name: 'pwd', arguments: '{}' } },
        ],
      },
      contextItems: [],
      toolCallStates: [
        { toolCallId: 'k1', status: 'done', output: [{ name: 'ls', content: 'mast.ts' }] },
        { toolCallId: 'k2', status: 'errored', output: [{ name: 'pwd', content: 'no folder' }] },
      ],
    },
    { message: { role: 'tool', content: 'mast.ts', toolCallId: 'k1' }, contextItems: [] },
    { message: { role: 'assistant', content: 'One: mast.ts.' }, contextItems: [] },
  ],
})

export const opencodeFile = JSON.stringify({
  info: { id: 'ses_1', title: 'Files', time: { created: ms(0), updated: ms(5) } },
  messages: [
    {
      info: { id: 'msg_1', role: 'user', time: { created: ms(1) } },
      parts: [
        { type: 'text', text: 'Which files are here?' },
        { type: 'file', filename: 'plan.pdf', mime: 'application/pdf', url: 'data:,' },
      ],
    },
    {
      info: { id: 'msg_2', role: 'assistant', modelID: 'big-pickle', time: { created: ms(2) } },
      parts: [
        { type: 'step-start' },
        { type: 'reasoning', text: 'I list them.' },
        {
          type: 'tool',
          callID: 'c1',
          tool: 'ls',
          state: { status: 'completed', input: {}, output: 'mast.ts' },
        },
        {
          type: 'tool',
          callID: 'c2',
          tool: 'pwd',
          state: { status: 'error', input: {}, error: 'no folder' },
        },
        { type: 'text', text: 'One: mast.ts.' },
      ],
    },
  ],
})

export const clineFile = JSON.stringify([
  {
    role: 'user',
    ts: ms(1),
    content: [{ type: 'text', text: '<task>\nWhich files are here?\n</task>' }],
  },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I list them.' },
      { type: 'tool_use', id: 'c1', name: 'list_files', input: { path: '.' } },
    ],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'mast.ts' }] },
  { role: 'assistant', content: [{ type: 'text', text: 'One: mast.ts.' }] },
  { role: 'user', content: [{ type: 'text', text: 'Thanks.' }] },
])
