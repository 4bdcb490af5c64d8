import type { Fields } from '@throughline/core/fields'
import { toArguments } from '@throughline/core/values'
import type { ReplyCall } from '../../model.ts'
import { oneLine } from '../../sse.ts'
import type { ReplyEnd, ReplyStart } from '../adapter.ts'
import { replyStream, tokensOf } from '../reply-stream.ts'
import { toError } from './faults.ts'

export function streamLines(start: ReplyStart, shape: (line: SaidLine) => object = line => line) {
  const head = headOf(start)
  const line = (value: object) => `${oneLine(value)}\n`
  const piece = (message: object, rest: object = {}) =>
    line(
      shape({
        ...head,
        message: { role: 'assistant', content: '', ...message },
        ...rest,
        done: false,
      }),
    )
  return replyStream({
    delta: (kind, text, logprobs) =>
      piece(
        { [kind === 'text' ? 'content' : 'thinking']: text },
        logprobs.length > 0 ? { logprobs } : {},
      ),
    calls: (calls, from) => piece({ tool_calls: calls.map((call, at) => toCall(call, from + at)) }),
    end: end =>
      line(shape({ ...head, message: { role: 'assistant', content: '' }, ...closing(start, end) })),
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
    return {
      ...headOf(start),
      message: { role: 'assistant', content: '' },
      done: true,
      done_reason: load,
    }
  }
  const message = {
    role: 'assistant',
    content: text,
    ...(thinking !== '' && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
  }
  return {
    ...headOf(start),
    message,
    ...closing(start, end),
    ...(logprobs?.length ? { logprobs } : {}),
  }
}

const headOf = ({ model, time }: ReplyStart) => ({
  model,
  created_at: new Date(time).toISOString(),
})

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

const durations = [
  'total_duration',
  'load_duration',
  'prompt_eval_duration',
  'eval_duration',
] as const
