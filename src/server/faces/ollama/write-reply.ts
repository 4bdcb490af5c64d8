import { toArguments } from '../../../log/parse-json.ts'
import type { FaceCall, FaceFault, ReplyEnd, ReplyStart, ReplyStream } from '../face.ts'
import { oneLine } from '../one-line.ts'
import { replyStream } from '../reply-stream.ts'
import { tokensOf } from '../tokens-of.ts'

/** Streams a reply line by line, in the shape of a route. */
export function streamLines(
  start: ReplyStart,
  shape: (line: SaidLine) => object = line => line,
): ReplyStream {
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
export function toError({ code, message, tokens, details = '' }: FaceFault): { error: string } {
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

const toCall = ({ id, name, arguments: json }: FaceCall, index: number) => ({
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

function durationsOf(details: Readonly<Record<string, unknown>>): Record<string, number> {
  const held: Record<string, number> = {}
  for (const name of durations) {
    const value = details[name]
    if (typeof value === 'number' && Number.isFinite(value)) held[name] = value
  }
  return held
}

const durations = ['total_duration', 'load_duration', 'prompt_eval_duration', 'eval_duration'] as const
