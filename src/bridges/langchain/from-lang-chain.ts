import type { MessageLike } from '../../log/message.ts'
import type { LangChainMessage } from './lang-chain-message.ts'

/** The message that a view was made of. A symbol, because copies of a view keep it. */
export const origin: unique symbol = Symbol('origin')
/** Content blocks that repeat the tool calls: not counted twice, and restored when the content is changed. */
export const repeated: unique symbol = Symbol('repeated')

/** A LangChain message in the form that `fit` reads. */
export interface View extends MessageLike {
  readonly [origin]?: LangChainMessage
  readonly [repeated]?: readonly unknown[]
}

interface Known {
  readonly looks: readonly unknown[]
  readonly view: View
}

/** A message has one view, so that its count is remembered with the object. */
const known = new WeakMap<LangChainMessage, Known>()

export function fromLangChain(message: LangChainMessage): View {
  // Not a message: `fit` refuses it, with its place.
  if (typeof message !== 'object' || message === null) return message
  const looks = looksOf(message)
  const before = known.get(message)
  if (before?.looks.length === looks.length && before.looks.every((look, at) => look === looks[at]))
    return before.view
  const view = makeView(message)
  known.set(message, { looks, view })
  return view
}

/** The fields that a view was made of: if one has changed, the view is made again. */
function looksOf({ type, role, content, tool_calls: calls = [], tool_call_id: id }: LangChainMessage) {
  const blocks = Array.isArray(content) ? content.flatMap(block => [block, block?.text]) : []
  return [type, role, content, id, ...blocks, ...calls.flatMap(call => [call, call.args])]
}

function makeView(message: LangChainMessage): View {
  const { name, tool_calls: calls = [], tool_call_id: id } = message
  const type = message.type === 'generic' ? message.role : (message.type ?? message.role)
  const blocks = Array.isArray(message.content) ? message.content : undefined
  return {
    role: roles[type ?? ''] ?? type ?? 'unknown',
    content: blocks ? blocks.filter(block => !isCall(block)).map(toPart) : message.content,
    ...(calls.length > 0 ? { tool_calls: calls.map(toCall) } : {}),
    ...(id === undefined ? {} : { tool_call_id: id }),
    ...(name === undefined ? {} : { name }),
    [origin]: message,
    ...(blocks?.some(isCall) ? { [repeated]: blocks.filter(isCall) } : {}),
  }
}

const roles: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant' }

function toCall({ id, name, args }: NonNullable<LangChainMessage['tool_calls']>[number]) {
  return { ...(id === undefined ? {} : { id }), type: 'function', function: { name, arguments: args } }
}

type Block = Readonly<Record<string, unknown>> | null | undefined

function isCall(block: Block): boolean {
  return callTypes.includes(block?.type)
}

const callTypes: readonly unknown[] = [
  'tool_use',
  'tool_call',
  'tool_call_chunk',
  'input_json_delta',
  'function_call',
  'functionCall',
]

/** Converts LangChain's own blocks, so that bytes are not counted as text and reasoning is found. */
function toPart(block: Block): unknown {
  if (block?.type === 'reasoning' && typeof block.reasoning === 'string')
    return { type: 'thinking', thinking: block.reasoning, [origin]: block }
  return mediaTypes.includes(block?.type) ? { type: 'image_url', [origin]: block } : block
}

const mediaTypes: readonly unknown[] = ['image', 'audio', 'video', 'file', 'media', 'document']
