import type { ReplyCall } from '../../model.ts'
import { sse } from '../../sse.ts'
import type { AdapterFault, ReplyStart, ReplyStream } from '../adapter.ts'
import { toOpenAiError } from '../openai-error.ts'
import { toLogprobs } from '../openai-logprobs.ts'
import { replyStream } from '../reply-stream.ts'
import { itemId } from './ids.ts'
import {
  closingOf,
  endedResponse,
  responseOf,
  toCall,
  toMessage,
  toOutputText,
  toReasoning,
  toSummary,
} from './to-response.ts'

/** Streams a reply as the events of `/v1/responses`. One item is open at a time, and closed before the next begins. */
export function streamEvents(start: ReplyStart): ReplyStream {
  const output: object[] = []
  let sequence = 0

  const event = (type: string, fields: object) =>
    sse({ type: `response.${type}`, sequence_number: sequence++, ...fields }, `response.${type}`)
  const added = (item: object) => event('output_item.added', { output_index: output.length, item })

  /** Writes the end of an item, which is then part of the output. */
  function done(item: object): string {
    const ended = event('output_item.done', { output_index: output.length, item })
    output.push(item)
    return ended
  }

  /** The place of the open item, and of its only part. */
  const inItem = (kind: 'text' | 'thinking', more: object) => ({
    item_id: itemId(kind === 'text' ? 'msg' : 'rs', start.id, output.length),
    output_index: output.length,
    [kind === 'text' ? 'content_index' : 'summary_index']: 0,
    ...more,
  })
  const part = (kind: 'text' | 'thinking', text: string, logprobs: readonly unknown[] = []) =>
    inItem(kind, { part: kind === 'text' ? toOutputText(text, logprobs) : toSummary(text) })

  function call(adapterCall: ReplyCall): string {
    const item = toCall(start, output.length, adapterCall)
    const begun = added(toCall(start, output.length, adapterCall, 'in_progress'))
    return begun + argumentsOf(item) + done(item)
  }

  function argumentsOf(item: ReturnType<typeof toCall>): string {
    const place = { item_id: item.id, output_index: output.length }
    switch (item.type) {
      case 'function_call': {
        const { name, arguments: json } = item
        return (
          event('function_call_arguments.delta', { ...place, delta: json }) +
          event('function_call_arguments.done', { ...place, name, arguments: json })
        )
      }
      case 'custom_tool_call': {
        const { input } = item
        return (
          event('custom_tool_call_input.delta', { ...place, delta: input }) +
          event('custom_tool_call_input.done', { ...place, input })
        )
      }
      default:
        return ''
    }
  }

  return replyStream({
    start: () =>
      event('created', { response: responseOf(start, {}) }) +
      event('in_progress', { response: responseOf(start, {}) }),
    open(kind) {
      if (kind === 'text')
        return (
          added(toMessage(start, output.length)) + event('content_part.added', part('text', ''))
        )
      return (
        added(toReasoning(start, output.length, '')) +
        event('reasoning_summary_part.added', part('thinking', ''))
      )
    },
    delta: (kind, delta, logprobs) =>
      kind === 'text'
        ? event('output_text.delta', inItem(kind, { delta, logprobs: toLogprobs(logprobs) }))
        : event('reasoning_summary_text.delta', inItem(kind, { delta })),
    close({ kind, text, logprobs }, end) {
      if (kind === 'thinking')
        return (
          event('reasoning_summary_text.done', inItem(kind, { text })) +
          event('reasoning_summary_part.done', part(kind, text)) +
          done(toReasoning(start, output.length, text))
        )
      const status = end ? closingOf(start, end).status : 'completed'
      return (
        event('output_text.done', inItem(kind, { text, logprobs: toLogprobs(logprobs) })) +
        event('content_part.done', part(kind, text, logprobs)) +
        done(toMessage(start, output.length, { text, logprobs, status }))
      )
    },
    calls: calls => calls.map(call).join(''),
    end: end =>
      event(closingOf(start, end).status, { response: endedResponse(start, end, output) }),
    fail: fault =>
      event('failed', {
        response: responseOf(start, { status: 'failed', output, error: toFailure(fault) }),
      }),
  })
}

/** The error of a failed response. By its code Codex compacts, gives up, waits or asks again. */
function toFailure(fault: AdapterFault): { readonly code: string; readonly message: string } {
  const { status, isRetryable = status >= 500, retryAfterMs } = fault
  const { message, code } = toOpenAiError(fault).body.error
  if (code === 'context_length_exceeded') return { code, message }
  if (status === 429) {
    const wait =
      retryAfterMs === undefined ? '' : ` Please try again in ${Math.ceil(retryAfterMs / 1000)}s.`
    return { code: 'rate_limit_exceeded', message: `${message}${wait}` }
  }
  return { code: isRetryable ? 'server_error' : 'invalid_prompt', message }
}
