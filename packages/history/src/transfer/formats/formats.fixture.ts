import * as agents from './agents.fixture.ts'

/** A small file in the form of each program, with names, times, models, calls, files and, where it has them, branches. */

const lines = (...values: readonly unknown[]): string =>
  values.map(value => JSON.stringify(value)).join('\n')

const at = (minute: number) => new Date(Date.UTC(2025, 4, 3, 10, minute)).toISOString()
const seconds = (minute: number) => Date.UTC(2025, 4, 3, 10, minute) / 1000

const gptNode = (
  id: string,
  parent: string | null,
  role: string,
  minute: number,
  rest: object = {},
) => ({
  id,
  parent,
  children: [],
  message: {
    id,
    author: { role, name: null, metadata: {} },
    create_time: seconds(minute) + 0.25,
    content: { content_type: 'text', parts: [`${id} says hello`] },
    status: 'finished_successfully',
    weight: 1,
    metadata: role === 'assistant' ? { model_slug: 'gpt-4o' } : {},
    recipient: 'all',
    ...rest,
  },
})

/** Two conversations; in the first, the question was edited and an answer was made twice. */
export const chatgptFile = JSON.stringify([
  {
    title: 'The boat',
    create_time: seconds(0),
    current_node: 'a3',
    conversation_id: '6b0f0d9c-0000-4000-8000-000000000001',
    mapping: {
      root: { id: 'root', message: null, parent: null, children: ['context'] },
      context: gptNode('context', 'root', 'user', 0, {
        create_time: null,
        content: {
          content_type: 'user_editable_context',
          user_profile: 'I sail.',
          user_instructions: 'Be brief.',
        },
      }),
      u1: gptNode('u1', 'context', 'user', 1, {
        metadata: { attachments: [{ id: 'f', name: 'boat plan.pdf' }] },
      }),
      a1: gptNode('a1', 'u1', 'assistant', 2),
      'a1-again': gptNode('a1-again', 'u1', 'assistant', 3),
      u2: gptNode('u2', 'a1-again', 'user', 4),
      think: gptNode('think', 'u2', 'assistant', 5, {
        content: { content_type: 'thoughts', thoughts: [{ summary: 's', content: 'A sum.' }] },
      }),
      call: gptNode('call', 'think', 'assistant', 5, {
        content: { content_type: 'code', language: 'python', text: 'print(6 * 7)' },
        recipient: 'python',
      }),
      result: {
        ...gptNode('result', 'call', 'tool', 6, {
          author: { role: 'tool', name: 'python', metadata: {} },
          content: { content_type: 'execution_output', text: '42' },
        }),
      },
      a2: gptNode('a2', 'result', 'assistant', 7),
      'u2-edited': gptNode('u2-edited', 'a1-again', 'user', 8),
      a3: gptNode('a3', 'u2-edited', 'assistant', 9, {
        content: {
          content_type: 'multimodal_text',
          parts: [
            'A picture.',
            { content_type: 'image_asset_pointer', asset_pointer: 'file-service://x' },
          ],
        },
      }),
    },
  },
  {
    title: 'Short',
    create_time: seconds(0),
    current_node: 'b',
    id: 'second',
    mapping: {
      r: { id: 'r', message: null, parent: null, children: ['a'] },
      a: gptNode('a', 'r', 'user', 1),
      b: gptNode('b', 'a', 'assistant', 2),
    },
  },
])

export const claudeFile = JSON.stringify([
  {
    uuid: 'c1a9a5f8-0000-4000-8000-000000000001',
    name: 'Calendar',
    created_at: at(0),
    account: { uuid: 'x' },
    chat_messages: [
      {
        uuid: 'm1',
        sender: 'human',
        text: 'What is on?',
        content: [{ type: 'text', text: 'What is on?' }],
        created_at: at(1),
        attachments: [{ file_name: 'notes.txt', extracted_content: 'Lunch at noon.' }],
        files: [{ file_name: 'photo.png' }],
        parent_message_uuid: '00000000-0000-4000-8000-000000000000',
      },
      {
        uuid: 'm2',
        sender: 'assistant',
        text: 'Lunch.',
        content: [
          { type: 'thinking', thinking: 'I should look.' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'toolu_1', name: 'list_events', input: { day: 'today' } },
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'text', text: 'Lunch at noon' }],
            is_error: false,
          },
          { type: 'text', text: 'Lunch at noon.' },
        ],
        created_at: at(2),
        attachments: [],
        files: [],
        parent_message_uuid: 'm1',
      },
      {
        uuid: 'm3',
        sender: 'human',
        text: 'And later?',
        content: [],
        created_at: at(3),
        parent_message_uuid: 'm2',
      },
      {
        uuid: 'm4',
        sender: 'assistant',
        text: 'Nothing.',
        content: [],
        created_at: at(4),
        parent_message_uuid: 'm3',
      },
      {
        uuid: 'm3b',
        sender: 'human',
        text: 'And tomorrow?',
        content: [],
        created_at: at(5),
        parent_message_uuid: 'm2',
      },
      {
        uuid: 'm4b',
        sender: 'assistant',
        text: 'A swim.',
        content: [],
        created_at: at(6),
        parent_message_uuid: 'm3b',
      },
    ],
  },
  { uuid: 'empty', name: '', created_at: at(0), chat_messages: [] },
])

export const openWebuiFile = JSON.stringify([
  {
    id: 'tool-chat',
    user_id: 'u1',
    title: 'Weather',
    created_at: seconds(0),
    chat: {
      title: 'Weather',
      models: ['llama3.1:8b'],
      history: {
        currentId: 'd',
        messages: {
          a: {
            ...{
              id: 'a',
              parentId: null,
              childrenIds: ['b'],
              role: 'user',
              content: 'Rain in Paris?',
              timestamp: seconds(1),
            },
            files: [{ type: 'file', file: { filename: 'map.pdf' } }],
          },
          b: {
            ...{
              id: 'b',
              parentId: 'a',
              childrenIds: ['c'],
              role: 'assistant',
              model: 'llama3.1:8b',
              timestamp: seconds(2),
            },
            content: 'ignored, because of its items',
            output: [
              { type: 'reasoning', summary: [{ type: 'summary_text', text: 'I ask.' }] },
              {
                type: 'function_call',
                call_id: 'call_1',
                name: 'get_weather',
                arguments: '{"city":"Paris"}',
              },
              {
                type: 'function_call_output',
                call_id: 'call_1',
                output: [{ type: 'input_text', text: '18C, rain' }],
              },
              {
                type: 'message',
                role: 'assistant',
                content: [{ type: 'output_text', text: 'It rains.' }],
              },
            ],
          },
          c: {
            id: 'c',
            parentId: 'b',
            childrenIds: ['d', 'e'],
            role: 'user',
            content: 'And Rome?',
            timestamp: seconds(3),
          },
          d: {
            ...{
              id: 'd',
              parentId: 'c',
              childrenIds: [],
              role: 'assistant',
              model: 'llama3.1:8b',
              timestamp: seconds(4),
            },
            content:
              '<details type="reasoning" done="true" duration="1">\n<summary>Thought</summary>\n> Rome is &lt;south&gt;.\n</details>\n' +
              '<details type="tool_calls" done="true" id="call_2" name="get_weather" arguments="&quot;{\\&quot;city\\&quot;:\\&quot;Rome\\&quot;}&quot;" result="&quot;sun&quot;">\n<summary>Tool Executed</summary>\n</details>\nSun.',
          },
          e: {
            id: 'e',
            parentId: 'c',
            childrenIds: [],
            role: 'assistant',
            model: 'qwen3:8b',
            content: 'Dry.',
            timestamp: seconds(5),
          },
        },
      },
    },
  },
])

const libre = (
  messageId: string,
  parentMessageId: string,
  isCreatedByUser: boolean,
  minute: number,
  rest: object = {},
) => ({
  ...{
    messageId,
    parentMessageId,
    isCreatedByUser,
    createdAt: at(minute),
    text: `${messageId} says hello`,
  },
  ...{
    sender: isCreatedByUser ? 'User' : 'Engineer',
    model: isCreatedByUser ? null : 'gpt-4-turbo',
  },
  ...rest,
})
const noParent = '00000000-0000-0000-0000-000000000000'

export const librechatFile = JSON.stringify({
  conversationId: '4a86c40e-0000-4454-b158-000000000001',
  title: 'A venv',
  endpoint: 'openAI',
  branches: true,
  recursive: false,
  messages: [
    libre('q1', noParent, true, 1, { files: [{ filename: 'trace.log', file_id: 'f' }] }),
    libre('r1', 'q1', false, 2, {
      text: '',
      content: [
        { type: 'think', think: 'Hm.' },
        { type: 'text', text: { value: 'I search.' } },
        {
          type: 'tool_call',
          tool_call: {
            id: 'c1',
            name: 'web_search',
            args: '{"query":"venv"}',
            output: 'python -m venv',
          },
        },
        { type: 'text', text: 'Make one first.' },
      ],
    }),
    libre('q2', 'r1', true, 3),
    libre('r2', 'q2', false, 4),
    libre('r2-again', 'q2', false, 5),
  ],
})

/** The same tree, with messages inside their parents. */
export const librechatTree = JSON.stringify({
  conversationId: '4a86c40e-0000-4454-b158-000000000002',
  title: 'Inside',
  recursive: true,
  messagesTree: [
    libre('q1', noParent, true, 1, {
      children: [
        libre('r1', 'q1', false, 2, {
          children: [
            libre('q2', 'r1', true, 3, {
              children: [libre('r2', 'q2', false, 4, { children: [] })],
            }),
          ],
        }),
      ],
    }),
  ],
})

const codeLine = (
  type: string,
  uuid: string,
  parentUuid: string | null,
  minute: number,
  message: unknown,
  rest: object = {},
) => ({
  ...{
    type,
    uuid,
    parentUuid,
    sessionId: 'a5e0c0de-0000-4000-8000-000000000001',
    timestamp: at(minute),
  },
  ...{ isSidechain: false, userType: 'external', cwd: '/work', version: '2.0.0', message, ...rest },
})
const spoke = (content: unknown, id = 'msg') => ({
  role: 'assistant',
  id,
  model: 'claude-opus-4',
  content,
})

/** Two parallel calls, a prompt that was taken back, and a subagent. */
export const claudeCodeFile = lines(
  { type: 'summary', summary: 'Fix the lamp', leafUuid: 'a4' },
  { type: 'file-history-snapshot', messageId: 'x', snapshot: {} },
  codeLine(
    'user',
    'meta',
    null,
    0,
    { role: 'user', content: 'Caveat: local commands' },
    { isMeta: true },
  ),
  codeLine('user', 'p1', 'meta', 1, { role: 'user', content: 'Read both files.' }),
  codeLine('assistant', 'a1', 'p1', 2, spoke([{ type: 'thinking', thinking: 'Both.' }], 'm1')),
  codeLine(
    'assistant',
    'a2',
    'a1',
    2,
    spoke([{ type: 'tool_use', id: 't1', name: 'Read', input: { path: 'a' } }], 'm1'),
  ),
  codeLine(
    'assistant',
    'a3',
    'a2',
    2,
    spoke([{ type: 'tool_use', id: 't2', name: 'Read', input: { path: 'b' } }], 'm1'),
  ),
  codeLine('user', 'r1', 'a2', 3, {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 't1', content: 'lamp a' }],
  }),
  codeLine('user', 'r2', 'a3', 3, {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 't2',
        content: [{ type: 'text', text: 'no such file' }],
        is_error: true,
      },
    ],
  }),
  codeLine(
    'user',
    's1',
    null,
    3,
    { role: 'user', content: 'Look for b.' },
    { isSidechain: true, agentId: '7f' },
  ),
  codeLine('assistant', 's2', 's1', 3, spoke([{ type: 'text', text: 'No b.' }], 'm9'), {
    isSidechain: true,
    agentId: '7f',
  }),
  codeLine('assistant', 'a4', 'r2', 4, spoke([{ type: 'text', text: 'Read one.' }], 'm2')),
  codeLine('user', 'p2', 'a4', 5, {
    role: 'user',
    content: [
      { type: 'text', text: 'Now paint it.' },
      { type: 'image', source: {} },
    ],
  }),
  codeLine('assistant', 'a5', 'p2', 6, spoke([{ type: 'text', text: 'Painted red.' }], 'm3')),
  codeLine('user', 'p3', 'a4', 7, { role: 'user', content: 'No: paint it blue.' }),
  codeLine('assistant', 'a6', 'p3', 8, spoke([{ type: 'text', text: 'Painted blue.' }], 'm4')),
)

const rollout = (type: string, minute: number, payload: object) => ({
  timestamp: at(minute),
  type,
  payload,
})
const item = (minute: number, payload: object) => rollout('response_item', minute, payload)
const codexText = (role: string, text: string) => ({
  ...{ type: 'message', role },
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
})

export const codexFile = lines(
  rollout('session_meta', 0, {
    id: '019a2d7a-0000-7000-8000-000000000001',
    timestamp: at(0),
    cwd: '/work',
    cli_version: '0.65.0',
  }),
  item(0, codexText('user', '<environment_context>\n<cwd>/work</cwd>\n</environment_context>')),
  item(1, codexText('user', 'Which files are here?')),
  rollout('event_msg', 1, { type: 'user_message', message: 'Which files are here?' }),
  rollout('turn_context', 1, { cwd: '/work', model: 'gpt-5-codex' }),
  item(2, {
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'I list them.' }],
    encrypted_content: 'x',
  }),
  item(2, { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'c1' }),
  item(3, { type: 'function_call_output', call_id: 'c1', output: 'lamp.ts' }),
  item(3, {
    type: 'custom_tool_call',
    name: 'apply_patch',
    input: '*** Begin Patch',
    call_id: 'c2',
  }),
  item(4, {
    type: 'custom_tool_call_output',
    call_id: 'c2',
    output: [{ type: 'input_text', text: 'Done' }],
  }),
  item(5, codexText('assistant', 'Only lamp.ts.')),
  rollout('event_msg', 5, { type: 'token_count', info: null }),
  item(6, codexText('user', 'Thanks.')),
  item(7, codexText('assistant', 'Welcome.')),
)

const mes = (name: string, text: string, minute: number, rest: object = {}) => ({
  ...{ name, is_user: false, is_system: false, send_date: at(minute), mes: text, extra: {} },
  ...rest,
})

export const sillyTavernFile = lines(
  {
    user_name: 'Ada',
    character_name: 'Heron',
    create_date: '2025-5-3@10h00m00s',
    chat_metadata: { integrity: 'a1b2c3d4-0000-4000-8000-000000000001' },
  },
  mes('Heron', 'The heron looks up.', 0, {
    swipes: ['The heron looks up.', 'It sleeps.'],
    swipe_id: 0,
  }),
  mes('Ada', 'Any fish today?', 1, {
    is_user: true,
    send_date: 'May 3, 2025 10:01am',
    extra: { file: { name: 'pond.txt', size: 3 } },
  }),
  mes('Heron', '', 2, {
    is_system: true,
    extra: {
      tool_invocations: [
        {
          id: 'c1',
          displayName: 'Look',
          name: 'look',
          parameters: '{"at":"pond"}',
          result: 'two carps',
        },
      ],
    },
  }),
  mes('Heron', 'Two carps.', 3, {
    send_date: '2025-05-03 @10h 03m 00s 250ms',
    extra: { model: 'mythomax', reasoning: 'Count them.' },
  }),
  mes('Ada', 'Good.', 4, { is_user: true }),
  mes('Heron', 'It nods.', 5, { extra: { model: 'mythomax' } }),
)

const call = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } }
export const messages = [
  { role: 'system', content: 'Be brief.', time: at(0) },
  {
    role: 'user',
    name: 'ada',
    content: [
      { type: 'text', text: 'One and two?' },
      { type: 'file', file: { filename: 'sum.csv', file_data: 'data:text/csv;base64,MSwy' } },
    ],
    time: at(1),
  },
  { role: 'assistant', content: null, tool_calls: [call], model: 'gpt-4o', time: at(2) },
  { role: 'tool', tool_call_id: 'c1', content: '3', time: at(2) },
  { role: 'assistant', content: 'Three.', model: 'gpt-4o', time: at(3) },
  { role: 'user', content: 'And four?', time: at(4) },
  { role: 'assistant', content: 'Seven.', model: 'gpt-4o', time: at(5) },
]

/** A list alone, as lines, many lists, and lists with a name. */
export const messagesFile = JSON.stringify(messages)
export const messageLines = lines(...messages)
export const manyMessages = JSON.stringify([
  messages,
  messages.slice(0, 2).concat(messages.slice(5)),
])
export const namedMessages = lines(
  { id: 'sums', title: 'Sums', messages },
  { id: 'more', messages: messages.slice(1) },
)

/** One file for each program. */
export const files: Readonly<Record<string, string>> = {
  ChatGPT: chatgptFile,
  Claude: claudeFile,
  'Open WebUI': openWebuiFile,
  LibreChat: librechatFile,
  'Claude Code': claudeCodeFile,
  Codex: codexFile,
  'Qwen Code': agents.qwenCodeFile,
  pi: agents.piFile,
  Continue: agents.continueFile,
  opencode: agents.opencodeFile,
  Cline: agents.clineFile,
  SillyTavern: sillyTavernFile,
  messages: namedMessages,
}
