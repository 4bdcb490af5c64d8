/** A part of a user's message. Files are base64. */
export type Part =
  | { readonly text: string }
  | { readonly image: string }
  | { readonly file: string }

export interface Call {
  readonly id: string
  readonly name: string
  /** JSON text. */
  readonly input: string
}

/** A message as a client keeps it, whatever adapter it speaks. */
export type Said =
  | { readonly role: 'user'; readonly parts: readonly Part[] }
  | {
      readonly role: 'assistant'
      readonly text: string
      readonly thinking: string
      readonly calls: readonly Call[]
    }
  | { readonly role: 'tool'; readonly id: string; readonly name: string; readonly text: string }

export type Reply = Extract<Said, { role: 'assistant' }>

/** How a client of one adapter writes its list and reads the reply. */
export interface ClientAdapter {
  readonly path: string
  body(list: readonly Said[], system: string): object
  reply(body: never): Reply
}

const schema = { type: 'object', properties: {} }
const png = (data: string) => `data:image/png;base64,${data}`
const pdf = (data: string) => `data:application/pdf;base64,${data}`
const textsOf = (parts: readonly Part[]) =>
  parts.flatMap(part => ('text' in part ? [part.text] : []))

const openai: ClientAdapter = {
  path: '/v1/chat/completions',
  body: (list, system) => ({
    model: 'm',
    tools: [{ type: 'function', function: { name: 'look', parameters: schema } }],
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...list.map(said => {
        if (said.role === 'tool') return { role: 'tool', tool_call_id: said.id, content: said.text }
        if (said.role === 'user') return { role: 'user', content: openaiContent(said.parts) }
        const calls = said.calls.map(({ id, name, input }) => ({
          ...{ id, type: 'function', function: { name, arguments: input } },
        }))
        return {
          ...{ role: 'assistant', content: said.text },
          ...(said.thinking !== '' && { reasoning_content: said.thinking }),
          ...(calls.length > 0 && { tool_calls: calls }),
        }
      }),
    ],
  }),
  reply({ choices: [{ message }] }: { choices: [{ message: OpenAiReply }] }) {
    const calls = message.tool_calls ?? []
    return {
      ...{
        role: 'assistant',
        text: message.content ?? '',
        thinking: message.reasoning_content ?? '',
      },
      calls: calls.map(({ id, function: { name, arguments: input } }) => ({ id, name, input })),
    }
  },
}

interface OpenAiReply {
  readonly content: string | null
  readonly reasoning_content?: string
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[]
}

function openaiContent(parts: readonly Part[]) {
  if (parts.length === 1 && 'text' in parts[0]!) return parts[0].text
  return parts.map(part => {
    if ('text' in part) return { type: 'text', text: part.text }
    if ('image' in part) return { type: 'image_url', image_url: { url: png(part.image) } }
    return { type: 'file', file: { filename: 'a.pdf', file_data: pdf(part.file) } }
  })
}

const ollama: ClientAdapter = {
  path: '/api/chat',
  body: (list, system) => ({
    ...{ model: 'm', stream: false },
    tools: [{ type: 'function', function: { name: 'look', parameters: schema } }],
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...list.map(said => {
        if (said.role === 'tool') return { role: 'tool', tool_name: said.name, content: said.text }
        if (said.role === 'user') {
          const images = said.parts.flatMap(part => ('image' in part ? [part.image] : []))
          return {
            ...{ role: 'user', content: textsOf(said.parts).join('\n') },
            ...(images.length > 0 && { images }),
          }
        }
        const calls = said.calls.map(({ name, input }) => ({
          function: { name, arguments: JSON.parse(input) as unknown },
        }))
        return {
          ...{ role: 'assistant', content: said.text },
          ...(said.thinking !== '' && { thinking: said.thinking }),
          ...(calls.length > 0 && { tool_calls: calls }),
        }
      }),
    ],
  }),
  reply({ message }: { message: OllamaReply }) {
    const calls = message.tool_calls ?? []
    return {
      ...{ role: 'assistant', text: message.content, thinking: message.thinking ?? '' },
      calls: calls.map(({ function: { name, arguments: input } }, at) => ({
        ...{ id: `call ${at}`, name, input: JSON.stringify(input) },
      })),
    }
  },
}

interface OllamaReply {
  readonly content: string
  readonly thinking?: string
  readonly tool_calls?: readonly { function: { name: string; arguments: unknown } }[]
}

const responses: ClientAdapter = {
  path: '/v1/responses',
  body: (list, system) => ({
    ...{ model: 'm', store: false, instructions: system },
    tools: [{ type: 'function', name: 'look', parameters: schema }],
    input: list.flatMap((said): object[] => {
      if (said.role === 'tool')
        return [{ type: 'function_call_output', call_id: said.id, output: said.text }]
      if (said.role === 'user')
        return [{ type: 'message', role: 'user', content: said.parts.map(inputPart) }]
      const { text, thinking, calls } = said
      return [
        ...(thinking === ''
          ? []
          : [{ type: 'reasoning', summary: [{ type: 'summary_text', text: thinking }] }]),
        ...(text === ''
          ? []
          : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }]),
        ...calls.map(({ id, name, input }) => ({
          ...{ type: 'function_call', call_id: id, name, arguments: input },
        })),
      ]
    }),
  }),
  reply({ output }: { output: readonly ResponsesItem[] }) {
    const texts = (type: string) =>
      output.flatMap(item => (item.type === type ? (item.content ?? item.summary ?? []) : []))
    return {
      role: 'assistant',
      text: texts('message')
        .map(({ text }) => text)
        .join(''),
      thinking: texts('reasoning')
        .map(({ text }) => text)
        .join(''),
      calls: output.flatMap(({ type, call_id, name, arguments: input }) =>
        type === 'function_call' ? [{ id: call_id!, name: name!, input: input! }] : [],
      ),
    }
  },
}

interface ResponsesItem {
  readonly type: string
  readonly content?: readonly { text: string }[]
  readonly summary?: readonly { text: string }[]
  readonly call_id?: string
  readonly name?: string
  readonly arguments?: string
}

function inputPart(part: Part) {
  if ('text' in part) return { type: 'input_text', text: part.text }
  if ('image' in part) return { type: 'input_image', image_url: png(part.image) }
  return { type: 'input_file', filename: 'a.pdf', file_data: pdf(part.file) }
}

const messages: ClientAdapter = {
  path: '/v1/messages',
  body: (list, system) => ({
    ...{ model: 'm', max_tokens: 1000, system },
    tools: [{ name: 'look', input_schema: schema }],
    messages: list.map(said => {
      if (said.role === 'tool')
        return {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: said.id, content: said.text }],
        }
      if (said.role === 'user') return { role: 'user', content: said.parts.map(blockOf) }
      const { text, thinking, calls } = said
      return {
        role: 'assistant',
        content: [
          ...(thinking === '' ? [] : [{ type: 'thinking', thinking, signature: 's' }]),
          ...(text === '' ? [] : [{ type: 'text', text }]),
          ...calls.map(({ id, name, input }) => ({
            ...{ type: 'tool_use', id, name, input: JSON.parse(input) as unknown },
          })),
        ],
      }
    }),
  }),
  reply({ content }: { content: readonly Block[] }) {
    return {
      role: 'assistant',
      text: content.map(({ text = '' }) => text).join(''),
      thinking: content.map(({ thinking = '' }) => thinking).join(''),
      calls: content.flatMap(({ type, id, name, input }) =>
        type === 'tool_use' ? [{ id: id!, name: name!, input: JSON.stringify(input) }] : [],
      ),
    }
  },
}

interface Block {
  readonly type: string
  readonly text?: string
  readonly thinking?: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
}

function blockOf(part: Part) {
  if ('text' in part) return { type: 'text', text: part.text }
  const source = (media_type: string, data: string) => ({ type: 'base64', media_type, data })
  if ('image' in part) return { type: 'image', source: source('image/png', part.image) }
  return { type: 'document', source: source('application/pdf', part.file) }
}

export const clientAdapters = { openai, ollama, responses, messages }
export type AdapterName = keyof typeof clientAdapters
