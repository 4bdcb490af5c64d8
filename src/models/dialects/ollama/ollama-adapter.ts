import { type Fields, read, refuse } from '../../../log/fields.ts'
import { present, toArguments } from '../../../log/values.ts'
import type { ModelSettings, ReplyCall } from '../../model.ts'
import { oneLine } from '../../sse.ts'
import type { Adapter, AdapterFault, ChatRequest, ReplyEnd, ReplyStart } from '../adapter.ts'
import { chatMessages } from '../read-chat-messages.ts'
import { readProvider, readSampling } from '../read-settings.ts'
import { readFunctionTools } from '../read-tools.ts'
import { replyStream, tokensOf } from '../reply-stream.ts'

/** `/api/chat`. */
export const ollamaAdapter: Adapter = {
  name: 'ollama',
  form: 'ollama',
  streamType: 'application/x-ndjson',
  read: readRequest,
  stream: start => streamLines(start),
  whole: toAnswer,
  fault: fault => ({ status: fault.code === 'context_too_long' ? 400 : fault.status, body: toError(fault) }),
}

export const generateAdapter: Adapter = {
  ...ollamaAdapter,
  read: readGenerate,
  stream: start => streamLines(start, toGenerated),
  whole: (start, end) => toGenerated(toAnswer(start, end)),
}

export function readRequest(value: unknown): ChatRequest {
  const body = read.body(value)
  const messages = read.optional(body.messages, 'messages', read.list) ?? []
  return {
    model: read.text(body.model, 'model'),
    ...readMessages(messages),
    tools: readFunctionTools(body.tools),
    settings: readSettings(body),
    stream: read.optional(body.stream, 'stream', read.flag) ?? true,
    ...present({ window: readWindow(body) }),
    named: {},
    hints: messages.length === 0 ? { load: isNothing(body.keep_alive) ? 'unload' : 'load' } : {},
  }
}

/** Reads the body of `/api/generate`: one question, or none. */
export function readGenerate(value: unknown): ChatRequest {
  const body = read.body(value)
  const prompt = read.optional(body.prompt, 'prompt', read.text) ?? ''
  const system = { role: 'system', content: read.optional(body.system, 'system', read.text) ?? '' }
  const messages = prompt === '' ? [] : [system, { role: 'user', content: prompt, images: body.images }]
  return readRequest({ ...body, messages, tools: [] })
}

const readMessages = chatMessages(
  (message, where) => {
    const { role, tool_calls: calls } = message
    if (role !== 'assistant' && read.optional(calls, `${where}.tool_calls`, read.list)?.length)
      refuse(`${where}.tool_calls`, 'belong to an assistant message')
    const images = read.optional(message.images, `${where}.images`, read.list) ?? []
    for (const [at, image] of images.entries()) read.text(image, `${where}.images[${at}]`)
    const text = (name: string) => read.optional(message[name], `${where}.${name}`, read.text) || undefined
    return present({
      thinking: text('thinking'),
      images: images.length > 0 ? images : undefined,
      tool_name: text('tool_name'),
      tool_call_id: text('tool_call_id'),
    })
  },
  (value, field) => read.optional(value, field, read.text) ?? '',
)

function readSettings(body: Fields): ModelSettings {
  const options = read.optional(body.options, 'options', read.fields) ?? {}
  const { logprobs, top_logprobs, keep_alive } = body
  return present({
    ...readSampling(options, { maxTokens: ['num_predict'], where: 'options.' }),
    format: readFormat(body.format),
    thinking: readThinking(body.think),
    provider: {
      ...readProvider(options, 'options.'),
      ...readProvider({ logprobs, top_logprobs, keep_alive }),
    },
  })
}

function readWindow({ options }: Fields): number | undefined {
  const { num_ctx: window } = (options ?? {}) as Fields
  return typeof window === 'number' ? window : undefined
}

function readFormat(value: unknown): ModelSettings['format'] {
  if (value === 'json') return 'json'
  if (value === '') return undefined
  if (typeof value === 'string') refuse('format', 'must be "json" or a JSON Schema')
  return read.optional(value, 'format', read.jsonFields)
}

function readThinking(value: unknown): ModelSettings['thinking'] {
  if (value === undefined || value === null) return undefined
  const level = ([true, false, 'low', 'medium', 'high', 'max'] as const).find(one => one === value)
  return level ?? refuse('think', 'must be true, false, "low", "medium", "high" or "max"')
}

/** Whether `keep_alive` is no time at all: `0`, `"0"`, `"0s"`. */
function isNothing(value: unknown): boolean {
  return value === 0 || (typeof value === 'string' && /^0+(?:\.0*)?[a-zµ]{0,2}$/.test(value))
}

export function streamLines(start: ReplyStart, shape: (line: SaidLine) => object = line => line) {
  const head = headOf(start)
  const line = (value: object) => `${oneLine(value)}\n`
  const piece = (message: object, rest: object = {}) =>
    line(shape({ ...head, message: { role: 'assistant', content: '', ...message }, ...rest, done: false }))
  return replyStream({
    delta: (kind, text, logprobs) =>
      piece({ [kind === 'text' ? 'content' : 'thinking']: text }, logprobs.length > 0 ? { logprobs } : {}),
    calls: (calls, from) => piece({ tool_calls: calls.map((call, at) => toCall(call, from + at)) }),
    end: end => line(shape({ ...head, message: { role: 'assistant', content: '' }, ...closing(start, end) })),
    fail: fault => line(toError(fault)),
  })
}

interface SaidLine {
  readonly done: boolean
  readonly message: { readonly role: string; readonly content: string }
}

/** The shape of `/api/generate`: the text without a message around it. */
export function toGenerated({ message, ...line }: SaidLine): object {
  const { role: _, content, ...rest } = message
  return { ...line, response: content, ...rest }
}

/** The body of an answer that is not streamed; also of a request that only loads or unloads the model. */
export function toAnswer(start: ReplyStart, end: ReplyEnd) {
  const { text, thinking, calls, logprobs } = end
  const { load } = start.request.hints
  if (load === 'load' || load === 'unload') {
    return { ...headOf(start), message: { role: 'assistant', content: '' }, done: true, done_reason: load }
  }
  const message = {
    role: 'assistant',
    content: text,
    ...(thinking !== '' && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
  }
  return { ...headOf(start), message, ...closing(start, end), ...(logprobs?.length ? { logprobs } : {}) }
}

/** An error. A prompt that is too long has the words of Ollama's own runner, which clients read the counts from. */
export function toError({ code, message, tokens, details = '' }: AdapterFault): { error: string } {
  if (code !== 'context_too_long') return { error: message }
  if (!tokens) return { error: `the input length exceeds the context length: ${message}` }
  const { prompt, window } = tokens
  const error = {
    code: 400,
    message: `request (${prompt} tokens) exceeds the available context size (${window} tokens)${details && `. ${details}`}`,
    type: 'exceed_context_size_error',
    n_prompt_tokens: prompt,
    n_ctx: window,
  }
  return { error: JSON.stringify({ error }) }
}

const headOf = ({ model, time }: ReplyStart) => ({ model, created_at: new Date(time).toISOString() })

const toCall = ({ id, name, arguments: json }: ReplyCall, index: number) => ({
  id,
  function: { index, name, arguments: toArguments(json) },
})

/** The fields of the last line. Ollama's reason is `stop` for tool calls too. */
function closing(start: ReplyStart, end: ReplyEnd) {
  const { prompt, reply } = tokensOf(start, end)
  return {
    done: true,
    done_reason: end.reason === 'length' ? 'length' : 'stop',
    ...durationsOf(end.details ?? {}),
    prompt_eval_count: prompt,
    eval_count: reply,
  }
}

const durationsOf = (details: Fields) =>
  Object.fromEntries(
    durations.map(name => [name, details[name]]).filter(([, value]) => Number.isFinite(value)),
  )

const durations = ['total_duration', 'load_duration', 'prompt_eval_duration', 'eval_duration'] as const
