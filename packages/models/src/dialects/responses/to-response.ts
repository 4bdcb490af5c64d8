import type { Fields } from '@throughline/core/fields'
import { parseJsonObject } from '@throughline/core/values'
import type { ReplyCall } from '../../model.ts'
import type { ReplyEnd, ReplyStart } from '../adapter.ts'
import { toLogprobs } from '../openai-logprobs.ts'
import { tokensOf } from '../reply-stream.ts'
import { itemId, responseId } from './ids.ts'
import type { CallKind, NamespacedTool } from './offered-tools.ts'

type ResponseStatus = 'in_progress' | 'completed' | 'incomplete'

export function toResponse(start: ReplyStart, end: ReplyEnd) {
  return endedResponse(start, end, toOutput(start, end))
}

export function toOutput(start: ReplyStart, end: ReplyEnd): readonly object[] {
  const { calls, logprobs = [] } = end
  const { status } = closingOf(start, end)
  const output: object[] = []
  const pieces = piecesOf(end)
  for (const [at, [kind, text]] of pieces.entries()) {
    if (kind === 'thinking') output.push(toReasoning(start, output.length, text))
    else {
      // Only what stands last can have been cut.
      const isLast = at === pieces.length - 1 && calls.length === 0
      const held = { text, logprobs, status: isLast ? status : ('completed' as const) }
      output.push(toMessage(start, output.length, held))
    }
  }
  for (const call of calls) output.push(toCall(start, output.length, call))
  return output
}

/** Thoughts and texts in their order, none of them empty. */
function piecesOf({
  thinking,
  text,
  pieces,
}: ReplyEnd): readonly (readonly ['text' | 'thinking', string])[] {
  const at = { text: 0, thinking: 0 }
  const order = pieces ?? [['thinking', thinking.length] as const, ['text', text.length] as const]
  return order.flatMap(([kind, length]) => {
    const piece = (kind === 'text' ? text : thinking).slice(at[kind], at[kind] + length)
    at[kind] += length
    return piece === '' ? [] : [[kind, piece] as const]
  })
}

/** A response with all fields that OpenAI's types demand. */
export function responseOf({ id, time, model, request }: ReplyStart, fields: object) {
  return {
    id: responseId(id),
    object: 'response' as const,
    created_at: Math.floor(time / 1000),
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model,
    output: [] as readonly object[],
    usage: null,
    ...hintsOf(request).echo,
    ...fields,
  }
}

export function endedResponse(start: ReplyStart, end: ReplyEnd, output: readonly object[]) {
  return { ...responseOf(start, {}), ...closingOf(start, end), output, usage: toUsage(start, end) }
}

export function closingOf({ request }: ReplyStart, { reason }: ReplyEnd) {
  return reason === 'length' && !hintsOf(request).isCodex
    ? { status: 'incomplete' as const, incomplete_details: { reason: 'max_output_tokens' } }
    : { status: 'completed' as const, incomplete_details: null }
}

export function toReasoning(start: ReplyStart, index: number, text: string) {
  return {
    id: itemId('rs', start.id, index),
    type: 'reasoning' as const,
    summary: text === '' ? [] : [toSummary(text)],
    ...(hintsOf(start.request).isThoughtKept && {
      encrypted_content: text === '' ? null : `${thoughtMark}${text}`,
    }),
  }
}

export const toSummary = (text: string) => ({ type: 'summary_text' as const, text })

/** A message; without a text it has only begun. */
export function toMessage(
  start: ReplyStart,
  index: number,
  held?: {
    readonly text: string
    readonly logprobs: readonly unknown[]
    readonly status: ResponseStatus
  },
) {
  return {
    id: itemId('msg', start.id, index),
    type: 'message' as const,
    status: held?.status ?? ('in_progress' as const),
    role: 'assistant' as const,
    content: held ? [toOutputText(held.text, held.logprobs)] : [],
  }
}

export const toOutputText = (text: string, logprobs: readonly unknown[]) => ({
  type: 'output_text' as const,
  text,
  annotations: [],
  logprobs: toLogprobs(logprobs),
})

export function toFunctionCall(
  start: ReplyStart,
  index: number,
  { id, name, arguments: json }: ReplyCall,
  status: ResponseStatus = 'completed',
) {
  const { namespaced } = hintsOf(start.request)
  return {
    id: itemId('fc', start.id, index),
    type: 'function_call' as const,
    status,
    call_id: id,
    name,
    ...(Object.hasOwn(namespaced, name) && namespaced[name]),
    arguments: status === 'in_progress' ? '' : json,
  }
}

/** A call as an item of the kind that its tool was offered as. */
export function toCall(
  start: ReplyStart,
  index: number,
  call: ReplyCall,
  status: ResponseStatus = 'completed',
) {
  const { callKinds } = hintsOf(start.request)
  const kind = Object.hasOwn(callKinds, call.name) ? callKinds[call.name] : undefined
  const item = toFunctionCall(start, index, call, status)
  if (kind === undefined) return item
  const { type: _, arguments: __, name, ...rest } = item
  if (kind === 'custom') {
    const input = status === 'in_progress' ? '' : inputOf(call.arguments)
    return {
      ...rest,
      id: itemId('ctc', start.id, index),
      type: 'custom_tool_call' as const,
      name,
      input,
    }
  }
  return {
    ...rest,
    id: itemId('tsc', start.id, index),
    type: 'tool_search_call' as const,
    execution: 'client' as const,
    arguments: parseJsonObject(call.arguments) ?? {},
  }
}

/** The text that a model has given to a tool that takes one. A model that wrote no argument for it has written the text. */
function inputOf(json: string): string {
  const { input } = parseJsonObject(json) ?? { input: json }
  return typeof input === 'string' ? input : json
}

/** What the reader of this adapter says to its writer. */
function hintsOf({
  hints,
}: ReplyStart['request']): ResponsesHints & Required<Pick<ResponsesHints, 'callKinds'>> {
  return { echo: {}, isThoughtKept: false, namespaced: {}, callKinds: {}, ...hints }
}

function toUsage(start: ReplyStart, end: ReplyEnd) {
  const { prompt, reply, cached } = tokensOf(start, end)
  return {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
    output_tokens: reply,
    // No upstream tells how many of its tokens were thoughts.
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: prompt + reply,
  }
}

/** What the writer needs to know of a request. JSON: the log keeps it beside the reply. */
export interface ResponsesHints {
  /** The fields of the request that every response repeats. */
  readonly echo: Fields
  /** Whether thoughts come back whole with the next request, for clients that keep no readable ones. */
  readonly isThoughtKept: boolean
  /** The tools of namespaces, by the flat names that a model sees. */
  readonly namespaced: Readonly<Record<string, NamespacedTool>>
  /** The tools whose calls are items of another kind, by the same names. */
  readonly callKinds?: Readonly<Record<string, CallKind>>
  /** Whether the client is Codex. The server tells it from the headers. */
  readonly isCodex?: boolean
}

/** Marks thoughts that this server sent. Thoughts of other servers are encrypted, so that no model can read them. */
export const thoughtMark = 'throughline:'
