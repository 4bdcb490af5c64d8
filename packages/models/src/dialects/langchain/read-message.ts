import type { MessageLike } from '@throughline/core/messages'
import { madeOnce, present } from '@throughline/core/values'

/** The fields of a LangChain message that are read: an object of its classes, or a plain one with a role. */
export interface LangChainMessage {
  /** A text, or a list of parts. */
  readonly content?: unknown
  /** `human`, `ai`, `tool`, `system`, `function`, or `generic` with a `role`. */
  readonly type?: string
  /** The role of a `generic` message, or of a plain one. */
  readonly role?: string
  /** Of a tool message: the tool. */
  readonly name?: string | undefined
  /** Of a tool message: the call that it answers. */
  readonly tool_call_id?: string
  /** Of an AI message: its calls. */
  readonly tool_calls?: readonly LangChainToolCall[] | undefined
}

interface LangChainToolCall {
  readonly id?: string | undefined
  readonly name: string
  readonly args: unknown
}

/** The message that a view was made of. A symbol, because copies of a view keep it. */
export const origin: unique symbol = Symbol('origin')
/** Content blocks that repeat the tool calls: not counted twice, and restored when the content is changed. */
export const repeated: unique symbol = Symbol('repeated')

/** A LangChain message in the form that `fit` reads. */
export interface View extends MessageLike {
  readonly [origin]?: LangChainMessage
  readonly [repeated]?: readonly unknown[]
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
