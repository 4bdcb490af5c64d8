import { toArguments } from '@throughline/core/values'
import { sse } from '../../sse.ts'
import type { ReplyEnd, ReplyStart, ReplyStream } from '../adapter.ts'
import { replyStream, tokensOf } from '../reply-stream.ts'
import { toError } from './faults.ts'

/** A signature for thoughts, which is never checked: without one some clients put thoughts into the text of the reply. */
export const ownSignature = 'dGhyb3VnaGxpbmU='

/** Streams a reply as the events of `/v1/messages`; client libraries go by the names of the events. */
export function streamEvents(start: ReplyStart): ReplyStream {
  let index = -1
  const event = (type: string, value: object) => sse({ type, ...value }, type)
  const delta = (value: object) => event('content_block_delta', { index, delta: value })
  const begin = (block: object) =>
    event('content_block_start', { index: ++index, content_block: block })
  const stop = () => event('content_block_stop', { index })
  return replyStream({
    start: () => event('message_start', { message: { ...headOf(start), ...unfinished(start) } }),
    open: type => begin({ type, [type]: '', ...(type === 'thinking' && { signature: '' }) }),
    delta: (type, text) => delta({ type: `${type}_delta`, [type]: text }),
    // A thought ends with its signature, which clients send back.
    close: ({ kind }) =>
      (kind === 'thinking' ? delta({ type: 'signature_delta', signature: ownSignature }) : '') +
      stop(),
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
      event('message_delta', { delta: toStop(end), usage: toUsage(start, end) }) +
      event('message_stop', {}),
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

export const toTokenCount = (tokens: number) => ({ input_tokens: tokens })
