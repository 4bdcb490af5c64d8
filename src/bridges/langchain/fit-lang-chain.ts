import { type FitOptions, fitNames } from '../../context/fit.ts'
import type { PromptLayout } from '../../context/prompt/layout.ts'
import type { Receipt } from '../../context/receipt.ts'
import { refuseUnknown } from '../../log/error.ts'
import { madeOnce } from '../../log/looks.ts'
import type { MessageLike } from '../../log/message.ts'
import { readMessage } from '../../log/parse-message.ts'
import { present } from '../../log/values.ts'
import { fitPrompt } from '../fit-prompt.ts'

/** The fields of a LangChain message that are read: an object of its classes, or a plain one with a role. */
export interface LangChainMessage {
  readonly content?: unknown
  /** `human`, `ai`, `tool`, `system`, `function`, or `generic` with a `role`. */
  readonly type?: string
  readonly role?: string
  readonly name?: string | undefined
  readonly tool_call_id?: string
  readonly tool_calls?: readonly LangChainToolCall[] | undefined
}

interface LangChainToolCall {
  readonly id?: string | undefined
  readonly name: string
  readonly args: unknown
}

/** The message that a view was made of. A symbol, because copies of a view keep it. */
const origin: unique symbol = Symbol('origin')
/** Content blocks that repeat the tool calls: not counted twice, and restored when the content is changed. */
const repeated: unique symbol = Symbol('repeated')

/** A LangChain message in the form that `fit` reads. */
interface View extends MessageLike {
  readonly [origin]?: LangChainMessage
  readonly [repeated]?: readonly unknown[]
}

/** A message that was added. LangChain takes it wherever it takes messages, see `coerceMessageLikeToMessage`. */
export type AddedMessage =
  | { role: 'system' | 'user' | 'assistant'; content: string }
  | { role: 'tool'; content: string; tool_call_id: string; name?: string }

export interface FitLangChainOptions<A = AddedMessage> extends Omit<FitOptions, 'previous'> {
  /** Makes the messages that are added. Default: plain objects. Pass `coerceMessageLikeToMessage` for LangChain's own. */
  readonly create?: (message: AddedMessage) => A
}

export interface LangChainContext<M> {
  /** The same objects where messages were kept; changed messages keep their class. */
  readonly messages: M[]
  readonly tokens: number
  readonly receipt: Receipt
  /** With `systemPrompt: 'as user'`: pass it to the next `fitLangChain` of the conversation. */
  readonly promptLayout?: PromptLayout
  /** The `tools` to bind to the model: with shorter descriptions where `maxToolTokens` asks for it. Absent if there are none. */
  readonly tools?: readonly unknown[]
}

/**
 * `fit` for LangChain's messages.
 *
 * @example
 * const { messages } = fitLangChain(history, { window: 8192, create: coerceMessageLikeToMessage })
 * await model.invoke(messages)
 */
export function fitLangChain<M extends LangChainMessage, A = AddedMessage>(
  messages: readonly M[],
  options: FitLangChainOptions<A>,
): LangChainContext<M | A> {
  const { previous: _, ...names } = fitNames
  refuseUnknown(options, { ...names, create: 1 })
  const { create = (message: AddedMessage) => message as A, ...settings } = options
  const { messages: sent, ...context } = fitPrompt(messages.map(fromLangChain), settings)
  return { ...context, messages: sent.map(message => toLangChain<M, A>(message, create)) }
}

/** Turns a view back: into the original message, a changed copy of the same class, or an added message. */
function toLangChain<M extends LangChainMessage, A>(sent: View, create: (message: AddedMessage) => A): M | A {
  const message = sent[origin] as M | undefined
  if (!message) return create(toAdded(sent))
  const view = fromLangChain(message)
  if (sent === view) return message
  return withContent(message, contentOf(sent), sent.tool_calls === view.tool_calls ? undefined : sent)
}

/** Converts an added message: an added tool result has the form of the message before it. */
function toAdded(sent: MessageLike): AddedMessage {
  const { role, text, results } = readMessage(sent, 0)
  const [result] = results
  if (role === 'tool') {
    const { callId = '', name } = result ?? {}
    return { role, content: text, tool_call_id: callId, ...present({ name }) }
  }
  return { role: role === 'assistant_note' ? 'assistant' : role, content: text }
}

function contentOf({ content, [repeated]: calls = [] }: View): unknown {
  if (!Array.isArray(content)) return content
  return [...content.map(part => part?.[origin] ?? part), ...calls]
}

/** Copies a message with another content, without its constructor, because each class has a different one. */
function withContent<M extends LangChainMessage>(message: M, content: unknown, joined?: MessageLike): M {
  const fields = { content, ...(joined && { tool_calls: callsOf(joined) }) }
  const copy = Object.create(Object.getPrototypeOf(message), Object.getOwnPropertyDescriptors(message))
  // LangChain serialises a message by the arguments of its constructor.
  const kwargs = { ...(message as { lc_kwargs?: object }).lc_kwargs, ...fields }
  return Object.assign(copy, fields, 'lc_kwargs' in message ? { lc_kwargs: kwargs } : {})
}

/** The calls of a message: two replies that were joined, because roles must take turns, have those of both. */
function callsOf({ tool_calls: calls }: MessageLike): readonly unknown[] {
  const list = (calls ?? []) as readonly {
    id?: string
    function: { name: string; arguments: unknown }
  }[]
  return list.map(({ id, function: { name, arguments: args } }) => ({ type: 'tool_call', id, name, args }))
}

export function fromLangChain(message: LangChainMessage): View {
  // Not a message: `fit` refuses it, with its place.
  return typeof message === 'object' && message !== null ? viewOf(message) : message
}

/** A message has one view, so that its count is remembered with the object. */
const viewOf = madeOnce((message: LangChainMessage): View => {
  const { name, tool_calls: calls = [], tool_call_id: id } = message
  const type = message.type === 'generic' ? message.role : (message.type ?? message.role)
  const blocks = Array.isArray(message.content) ? message.content : undefined
  return {
    role: roles[type ?? ''] ?? type ?? 'unknown',
    content: blocks ? blocks.filter(block => !isCall(block)).map(toPart) : message.content,
    ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
    ...present({ tool_call_id: id, name }),
    [origin]: message,
    ...(blocks?.some(isCall) && { [repeated]: blocks.filter(isCall) }),
  }
})

const roles: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant' }

function toCall({ id, name, args }: LangChainToolCall) {
  return { ...present({ id }), type: 'function', function: { name, arguments: args } }
}

type LangChainBlock = Readonly<Record<string, unknown>> | null | undefined

const isCall = (block: LangChainBlock): boolean => callTypes.includes(block?.type)

const callTypes: readonly unknown[] =
  'tool_use tool_call tool_call_chunk input_json_delta function_call functionCall'.split(' ')

/** Converts LangChain's own blocks, so that bytes are not counted as text and reasoning is found. */
function toPart(block: LangChainBlock): unknown {
  if (block?.type === 'reasoning' && typeof block.reasoning === 'string')
    return { type: 'thinking', thinking: block.reasoning, [origin]: block }
  return mediaTypes.includes(block?.type) ? { type: 'image_url', [origin]: block } : block
}

const mediaTypes: readonly unknown[] = ['image', 'audio', 'video', 'file', 'media', 'document']
