import { toArguments } from '../../../log/parse-json.ts'
import type { FaceFault, ReplyEnd, ReplyStart, ReplyStream } from '../face.ts'
import { replyStream } from '../reply-stream.ts'
import { sse } from '../sse.ts'
import { tokensOf } from '../tokens-of.ts'

/**
 * What thoughts are signed with. Nobody checks it here, but some clients take a thought with an empty signature for one that
 * must not be sent back as it is, and put it into the text of the reply.
 */
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

/** The body of an answer that is not streamed. */
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

export function toError(fault: FaceFault) {
  const { code, message, tokens, details = '' } = fault
  if (code !== 'context_too_long') return { type: 'error', error: { type: typeOf(fault), message } }
  const counts = tokens
    ? `${tokens.prompt} tokens > ${tokens.window} maximum${details && `. ${details}`}`
    : message
  // The words by which clients know that they must shorten the conversation.
  return { type: 'error', error: { type: typeOf({ status: 400 }), message: `prompt is too long: ${counts}` } }
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
  usage: {
    input_tokens: promptTokens,
    output_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  },
})

function toStop({ reason, calls }: ReplyEnd): Stop {
  const isCall = reason === 'tool-calls' || calls.length > 0
  const stop_reason = reason === 'length' ? 'max_tokens' : isCall ? 'tool_use' : 'end_turn'
  return { stop_reason, stop_sequence: null }
}

interface Stop {
  readonly stop_reason: 'end_turn' | 'max_tokens' | 'tool_use'
  readonly stop_sequence: null
}

/** Here the tokens of the prompt do not include those from the cache. */
function toUsage(start: ReplyStart, end: ReplyEnd) {
  const { prompt, reply, cached } = tokensOf(start, end)
  return {
    input_tokens: prompt - cached,
    output_tokens: reply,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
  }
}

function typeOf({ status }: Pick<FaceFault, 'status'>): string {
  return types.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error')
}

const types: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])
