import { anthropicAnswer } from '@throughline/models/fixtures'
import {
  ollamaAnswer,
  openaiAnswer,
  sse,
  type UpstreamAnswer,
} from '@throughline/test-tools/scripted-upstream'
import {
  anthropicUpstream,
  ollamaUpstream,
  openaiUpstream,
} from '../../src/upstream/model-servers.ts'
import type { Upstream } from '../../src/upstream/upstream.ts'

type Fields = Readonly<Record<string, unknown>>

/** What the model says. */
export interface Reply {
  readonly text: string
  readonly thought: string
  readonly calls: readonly { readonly id: string; readonly at: number }[]
}

/** A form that clients and model servers speak, as its clients write it. */
export interface DirectForm {
  readonly path: string
  readonly list: 'messages' | 'input'
  upstream(url: string, window: number | undefined): Upstream
  /** The fields of every request, with the system prompt where it is a field, and with the window where clients name it. */
  fields(system: string, window: number | undefined): Fields
  /** What the list begins with. */
  head(system: string): readonly object[]
  user(text: string, hasImage: boolean): object
  /** A system message in the list; undefined where there is none in this form. */
  late(text: string): object | undefined
  said(reply: Reply): readonly object[]
  result(call: Reply['calls'][number], text: string): object
  tool(name: string): object
  answer(reply: Reply, isStreamed: boolean): UpstreamAnswer
}

const schema = { type: 'object', properties: { at: { type: 'number' } } }
const image = 'iVBORw0KGgo='
const json = (body: unknown): UpstreamAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json', 'x-odd': 'kept' },
  body: JSON.stringify(body, undefined, 1),
})

const chat: DirectForm = {
  path: '/v1/chat/completions',
  list: 'messages',
  upstream: (url, window) => openaiUpstream({ url, ...(window !== undefined && { window }) }),
  fields: () => ({ temperature: 0.5, max_completion_tokens: 300, seed: 7 }),
  head: system => [{ role: 'system', content: system }],
  user: (text, hasImage) => ({
    role: 'user',
    content: hasImage
      ? [
          { type: 'text', text },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } },
        ]
      : text,
  }),
  late: content => ({ role: 'system', content }),
  said: ({ text, thought, calls }) => [
    {
      role: 'assistant',
      content: calls.length > 0 && text === '' ? null : text,
      ...(thought !== '' && { reasoning_content: thought }),
      ...(calls.length > 0 && { tool_calls: calls.map(chatCall) }),
    },
  ],
  result: ({ id }, content) => ({ role: 'tool', tool_call_id: id, content }),
  tool: name => ({
    type: 'function',
    function: { name, description: `Does ${name}.`, parameters: schema },
  }),
  answer({ text, thought, calls }, isStreamed) {
    const finish = calls.length > 0 ? 'tool_calls' : 'stop'
    if (isStreamed)
      return openaiAnswer(
        [
          { role: 'assistant', content: '' },
          ...(thought === '' ? [] : [{ reasoning_content: thought }]),
          ...halves(text).map(content => ({ content, odd: null })),
          ...calls.map((call, index) => ({ tool_calls: [{ index, ...chatCall(call) }] })),
        ],
        { finish },
      )
    const message = { role: 'assistant', content: text, reasoning_content: thought, odd: [1] }
    const choice = {
      index: 0,
      finish_reason: finish,
      message: { ...message, tool_calls: calls.map(chatCall) },
    }
    return json({ id: 'whole', object: 'chat.completion', model: 'm', choices: [choice], odd: 'x' })
  },
}

const chatCall = ({ id, at }: Reply['calls'][number]) => ({
  ...{ id, type: 'function', function: { name: 'look', arguments: JSON.stringify({ at }) } },
})

const messages: DirectForm = {
  path: '/v1/messages',
  list: 'messages',
  upstream: (url, window) => anthropicUpstream({ url, ...(window !== undefined && { window }) }),
  fields: system => ({ max_tokens: 300, system: [{ type: 'text', text: system }] }),
  head: () => [],
  user: (text, hasImage) => ({
    role: 'user',
    content: [
      { type: 'text', text, citations: null },
      ...(hasImage
        ? [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } }]
        : []),
    ],
  }),
  late: () => undefined,
  said: reply => [{ role: 'assistant', content: blocksOf(reply) }],
  result: ({ id }, content) => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, content }],
  }),
  tool: name => ({ name, description: `Does ${name}.`, input_schema: schema }),
  answer(reply, isStreamed) {
    const stop = reply.calls.length > 0 ? 'tool_use' : 'end_turn'
    if (isStreamed) return anthropicAnswer(blocksOf(reply), { stop })
    const head = { id: 'msg_whole', type: 'message', role: 'assistant', model: 'm', odd: 1 }
    const usage = { input_tokens: 7, output_tokens: 3 }
    return json({
      ...head,
      content: blocksOf(reply),
      stop_reason: stop,
      stop_sequence: null,
      usage,
    })
  },
}

const blocksOf = ({ text, thought, calls }: Reply) => [
  ...(thought === '' ? [] : [{ type: 'thinking', thinking: thought, signature: 'c2lnbmVk' }]),
  ...(text === '' ? [] : [{ type: 'text', text }]),
  ...calls.map(({ id, at }) => ({ type: 'tool_use', id, name: 'look', input: { at } })),
]

const responses: DirectForm = {
  path: '/v1/responses',
  list: 'input',
  upstream: (url, window) =>
    openaiUpstream({ url, responses: 'native', ...(window !== undefined && { window }) }),
  fields: system => ({
    instructions: system,
    store: false,
    include: ['reasoning.encrypted_content'],
  }),
  head: () => [{ type: 'additional_tools', role: 'developer', tools: [responses.tool('later')] }],
  user: (text, hasImage) => ({
    type: 'message',
    role: 'user',
    content: [
      { type: 'input_text', text },
      ...(hasImage
        ? [{ type: 'input_image', image_url: `data:image/png;base64,${image}`, detail: 'low' }]
        : []),
    ],
  }),
  late: text => ({ type: 'message', role: 'developer', content: [{ type: 'input_text', text }] }),
  said: itemsOf,
  result: ({ id }, output) => ({ type: 'function_call_output', call_id: id, output }),
  tool: name => ({ type: 'function', name, description: `Does ${name}.`, parameters: schema }),
  answer(reply, isStreamed) {
    const output = itemsOf(reply)
    const usage = { input_tokens: 7, output_tokens: 3, total_tokens: 10 }
    const head = { id: 'resp_0a1b', object: 'response', created_at: 7, model: 'm', odd: 1 }
    const whole = { ...head, status: 'completed', output, usage }
    if (!isStreamed) return json(whole)
    let sequence_number = 0
    const event = (type: string, value: object) =>
      `event: ${type}\n${sse({ type, sequence_number: sequence_number++, ...value })}`
    return {
      chunks: [
        event('response.created', { response: { ...head, status: 'in_progress', output: [] } }),
        ...output.flatMap((item, output_index) => [
          event('response.output_item.added', { output_index, item }),
          ...textOf(item).map(delta =>
            event('response.output_text.delta', {
              item_id: 'msg_1',
              output_index,
              content_index: 0,
              delta,
            }),
          ),
          event('response.of_tomorrow', { odd: 1 }),
          event('response.output_item.done', { output_index, item }),
        ]),
        event('response.completed', { response: whole }),
      ],
      headers: { 'content-type': 'text/event-stream' },
    }
  },
}

function itemsOf({ text, thought, calls }: Reply) {
  const content = [{ type: 'output_text', text, annotations: [] }]
  return [
    ...(thought === ''
      ? []
      : [
          {
            type: 'reasoning',
            id: 'rs_1',
            summary: [{ type: 'summary_text', text: thought }],
            encrypted_content: 'gA=',
          },
        ]),
    ...(text === ''
      ? []
      : [{ type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content }]),
    ...calls.map(({ id, at }) => ({
      ...{
        type: 'function_call',
        id: `fc_${id}`,
        call_id: id,
        name: 'look',
        arguments: JSON.stringify({ at }),
      },
    })),
  ]
}

const textOf = (item: Fields) =>
  item.type === 'message'
    ? halves((item.content as readonly { readonly text: string }[])[0]!.text)
    : []

const ollama: DirectForm = {
  path: '/api/chat',
  list: 'messages',
  upstream: (url, window) => ollamaUpstream({ url, ...(window !== undefined && { window }) }),
  fields: (_, window) => ({
    options: {
      temperature: 0.5,
      num_predict: 300,
      num_gpu: 20,
      ...(window !== undefined && { num_ctx: window }),
    },
    keep_alive: '10m',
  }),
  head: chat.head,
  user: (content, hasImage) => ({ role: 'user', content, ...(hasImage && { images: [image] }) }),
  late: chat.late,
  said: ({ text, thought, calls }) => [
    {
      role: 'assistant',
      content: text,
      ...(thought !== '' && { thinking: thought }),
      ...(calls.length > 0 && { tool_calls: calls.map(ollamaCall) }),
    },
  ],
  result: ({ id }, content) => ({ role: 'tool', tool_name: 'look', tool_call_id: id, content }),
  tool: chat.tool,
  answer({ text, thought, calls }, isStreamed) {
    const rest = { ...(thought !== '' && { thinking: thought }) }
    const called = { ...(calls.length > 0 && { tool_calls: calls.map(ollamaCall) }) }
    if (isStreamed)
      return ollamaAnswer([
        ...(thought === '' ? [] : [rest]),
        ...halves(text).map(content => ({ content, odd: 1 })),
        ...(calls.length > 0 ? [called] : []),
      ])
    const message = { role: 'assistant', content: text, ...rest, ...called }
    return json({ model: 'm', message, done: true, done_reason: 'stop', eval_count: 3, odd: {} })
  },
}

const ollamaCall = ({ id, at }: Reply['calls'][number]) => ({
  ...{ id, function: { index: 0, name: 'look', arguments: { at } } },
})

/** A prompt without messages: nothing to file. */
const generate: DirectForm = {
  ...ollama,
  path: '/api/generate',
  answer({ text }, isStreamed) {
    const end = { model: 'm', done: true, done_reason: 'stop', context: [1, 2], odd: 1.5 }
    if (!isStreamed) return json({ ...end, response: text })
    const lines = [...halves(text).map(response => ({ model: 'm', response, done: false })), end]
    const headers = { 'content-type': 'application/x-ndjson' }
    return { chunks: lines.map(line => `${JSON.stringify(line)}\n`), headers }
  },
}

const halves = (text: string) =>
  text === ''
    ? []
    : [text.slice(0, Math.floor(text.length / 2)), text.slice(Math.floor(text.length / 2))]

export const directForms = { chat, responses, messages, ollama, generate } as const
export type DirectFormName = keyof typeof directForms
