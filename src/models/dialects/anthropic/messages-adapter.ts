import { type Fields, isFields, read, refuse } from '../../../log/fields.ts'
import { present, toArguments } from '../../../log/values.ts'
import type { ModelSettings } from '../../model.ts'
import { sse } from '../../sse.ts'
import type { Adapter, AdapterFault, ChatRequest, ReplyEnd, ReplyStart, ReplyStream } from '../adapter.ts'
import { marksCache } from '../message-list.ts'
import { typeOf } from '../openai-error.ts'
import { isInOwnForm } from '../own-form.ts'
import { readProvider, readSampling } from '../read-settings.ts'
import { toolReader, toToolSpec } from '../read-tools.ts'
import { replyStream, tokensOf } from '../reply-stream.ts'
import { readMessages, readTexts } from './read-messages.ts'

/** `/v1/messages`. Reads the bodies of `/v1/messages/count_tokens` too. */
export const messagesAdapter: Adapter = {
  name: 'messages',
  form: 'messages',
  streamType: 'text/event-stream',
  read: readRequest,
  stream: streamEvents,
  whole: toMessage,
  fault: (fault, requestId) => ({
    status: fault.code === 'context_too_long' ? 400 : fault.status,
    body: { ...toError(fault), request_id: requestId },
  }),
}

export const toTokenCount = (tokens: number) => ({ input_tokens: tokens })

export function readRequest(value: unknown): ChatRequest {
  const body = read.body(value)
  const metadata = read.optional(body.metadata, 'metadata', read.fields) ?? {}
  const user = read.optional(metadata.user_id, 'metadata.user_id', read.text)
  return {
    model: read.text(body.model, 'model'),
    ...readMessages(readSystem(body.system), read.list(body.messages, 'messages')),
    ...(marksCache(body.system) && { marksCache: true }),
    tools: readTools(body.tools),
    ...readLeftOut(body.tools),
    settings: readSettings(body),
    stream: read.optional(body.stream, 'stream', read.flag) ?? false,
    named: { user },
    hints: {},
  }
}

/** The texts of the system prompt, without the block that Claude Code changes with each request: it would break the prefix. */
function readSystem(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return readTexts(value, 'system').filter(text => !text.startsWith('x-anthropic-billing-header:'))
}

/** Reads the client's own tools. Tools that Anthropic runs or knows (`web_search_20250305`) have no schema. */
const readTools = toolReader((tool, where) => {
  const { type = 'custom' } = tool
  if (type === 'custom' || type === null) return [toToolSpec(tool, where, 'input_schema')]
  if (isInOwnForm()) return [{ name: read.text(type, `${where}.type`), parameters: tool }]
  if (!runsAtAnthropic(type))
    refuse(`${where}.type`, 'is a kind of tool that this model server does not know: leave it out')
  return []
})

/** Kinds of tools that Anthropic runs itself: other upstreams cannot be sent them. */
const runsAtAnthropic = (type: unknown): type is string =>
  typeof type === 'string' &&
  /^(?:web_search|web_fetch|code_execution|tool_search_tool|mcp_toolset)(?:_\w{1,60})?$/.test(type)

function readLeftOut(tools: unknown): Pick<ChatRequest, 'leftOut'> {
  if (isInOwnForm() || !Array.isArray(tools)) return {}
  const leftOut = [
    ...new Set(tools.map(tool => (isFields(tool) ? tool.type : undefined)).filter(runsAtAnthropic)),
  ]
  return leftOut.length > 0 ? { leftOut } : {}
}

function readSettings(body: Fields): ModelSettings {
  const { top_p, top_k } = body
  const config = read.optional(body.output_config, 'output_config', read.fields) ?? {}
  const { type } = read.optional(body.thinking, 'thinking', read.fields) ?? {}
  return present({
    ...readSampling(body, { maxTokens: ['max_tokens'], stop: 'stop_sequences' }),
    format: readFormat(read.optional(config.format, 'output_config.format', read.fields) ?? {}),
    // Switched on it is left unset: models that think then do so, and Ollama refuses the wish for all others.
    thinking: type === 'disabled' ? false : undefined,
    provider: readProvider({ top_p, top_k, ...readToolChoice(body.tool_choice) }),
  })
}

function readFormat({ type, schema }: Fields): ModelSettings['format'] {
  return type === 'json_schema' ? read.jsonFields(schema, 'output_config.format.schema') : undefined
}

function readToolChoice(value: unknown): Fields {
  const choice = read.optional(value, 'tool_choice', read.fields)
  if (!choice) return {}
  const field = 'disable_parallel_tool_use'
  const single = read.optional(choice[field], `tool_choice.${field}`, read.flag)
  return { tool_choice: toChoice(choice), ...(single && { parallel_tool_calls: false }) }
}

function toChoice({ type, name }: Fields): unknown {
  switch (type) {
    case 'auto':
    case 'none':
      return type
    case 'any':
      return 'required'
    case 'tool':
      return { type: 'function', function: { name: read.text(name, 'tool_choice.name') } }
    default:
      return refuse('tool_choice.type', 'must be "auto", "any", "tool" or "none"')
  }
}

/** A signature for thoughts, which is never checked: without one some clients put thoughts into the text of the reply. */
export const ownSignature = 'dGhyb3VnaGxpbmU='

/** Streams a reply as the events of `/v1/messages`; client libraries go by the names of the events. */
export function streamEvents(start: ReplyStart): ReplyStream {
  let index = -1
  const event = (type: string, value: object) => sse({ type, ...value }, type)
  const delta = (value: object) => event('content_block_delta', { index, delta: value })
  const begin = (block: object) => event('content_block_start', { index: ++index, content_block: block })
  const stop = () => event('content_block_stop', { index })
  return replyStream({
    start: () => event('message_start', { message: { ...headOf(start), ...unfinished(start) } }),
    open: type => begin({ type, [type]: '', ...(type === 'thinking' && { signature: '' }) }),
    delta: (type, text) => delta({ type: `${type}_delta`, [type]: text }),
    // A thought ends with its signature, which clients send back.
    close: ({ kind }) =>
      (kind === 'thinking' ? delta({ type: 'signature_delta', signature: ownSignature }) : '') + stop(),
    calls: calls =>
      calls
        .map(
          ({ id, name, arguments: json }) =>
            begin({ type: 'tool_use', id, name, input: {} }) +
            delta({ type: 'input_json_delta', partial_json: JSON.stringify(toArguments(json)) }) +
            stop(),
        )
        .join(''),
    end: end =>
      event('message_delta', { delta: toStop(end), usage: toUsage(start, end) }) + event('message_stop', {}),
    fail: fault => sse(toError(fault), 'error'),
    idle: () => event('ping', {}),
  })
}

export function toMessage(start: ReplyStart, end: ReplyEnd) {
  const { thinking, text, calls } = end
  const content = [
    ...(thinking === '' ? [] : [{ type: 'thinking' as const, thinking, signature: ownSignature }]),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map(({ id, name, arguments: json }) => ({
      type: 'tool_use' as const,
      id,
      name,
      input: toArguments(json),
    })),
  ]
  return { ...headOf(start), content, ...toStop(end), usage: toUsage(start, end) }
}

export function toError(fault: AdapterFault) {
  const { status, code, message, tokens, details = '' } = fault
  if (code !== 'context_too_long') return { type: 'error', error: { type: typeOf(status, types), message } }
  const counts = tokens
    ? `${tokens.prompt} tokens > ${tokens.window} maximum${details && `. ${details}`}`
    : message
  // The words by which clients know that they must shorten the conversation.
  return { type: 'error', error: { type: typeOf(400), message: `prompt is too long: ${counts}` } }
}

const headOf = ({ id, model }: ReplyStart) => ({
  id: `msg_${id}`,
  type: 'message' as const,
  role: 'assistant' as const,
  model,
})

/** What a message says before there is any. The prompt is our own estimate; the truth comes at the end. */
const unfinished = ({ promptTokens }: ReplyStart) => ({
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: usageOf(promptTokens, 0, 0),
})

function toStop({ reason, calls }: ReplyEnd) {
  const isCall = reason === 'tool-calls' || calls.length > 0
  const stop_reason = reason === 'length' ? 'max_tokens' : isCall ? 'tool_use' : 'end_turn'
  return { stop_reason, stop_sequence: null } as const
}

/** Here the tokens of the prompt do not include those from the cache. */
function toUsage(start: ReplyStart, end: ReplyEnd) {
  const { prompt, reply, cached } = tokensOf(start, end)
  return usageOf(prompt - cached, reply, cached)
}

const usageOf = (prompt: number, reply: number, cached: number) => ({
  input_tokens: prompt,
  output_tokens: reply,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cached,
})

const types: ReadonlyMap<number, string> = new Map([
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])
