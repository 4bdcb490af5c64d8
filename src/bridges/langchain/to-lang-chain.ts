import type { MessageLike } from '../../log/message.ts'
import { readMessage } from '../../log/parse-message.ts'
import { origin, repeated, type View } from './from-lang-chain.ts'
import type { AddedMessage, LangChainMessage } from './lang-chain-message.ts'

/** What `fit` made of a view: the very message it was, a changed one of the same class, or one that was added. */
export function toLangChain<M extends LangChainMessage, A>(
  sent: MessageLike,
  viewOf: (message: M) => View,
  create: (message: AddedMessage) => A,
): M | A {
  const message = (sent as View)[origin] as M | undefined
  if (!message) return create(toAdded(sent))
  const view = viewOf(message)
  if (sent === view) return message
  return withContent(message, contentOf(sent as View), sent.tool_calls === view.tool_calls ? undefined : sent)
}

/** A tool result that we add has the shape of the message before it: read, and written as LangChain has it. */
function toAdded(sent: MessageLike): AddedMessage {
  const { role, text, results } = readMessage(sent, 0)
  const [result] = results
  if (role === 'tool') {
    const { callId = '', name } = result ?? {}
    return { role, content: text, tool_call_id: callId, ...(name === undefined ? {} : { name }) }
  }
  return { role: role === 'assistant_note' ? 'assistant' : role, content: text }
}

function contentOf({ content, [repeated]: calls = [] }: View): unknown {
  if (!Array.isArray(content)) return content
  return [...content.map(part => part?.[origin] ?? part), ...calls]
}

/** A copy of the same class with another content. Made without its constructor, which each class has its own. */
function withContent<M extends LangChainMessage>(message: M, content: unknown, joined?: MessageLike): M {
  const fields = { content, ...(joined ? { tool_calls: callsOf(joined) } : {}) }
  const copy = Object.create(Object.getPrototypeOf(message), Object.getOwnPropertyDescriptors(message))
  // The arguments that the message was made with: LangChain writes a message down by them.
  const kwargs = { ...(message as { lc_kwargs?: object }).lc_kwargs, ...fields }
  return Object.assign(copy, fields, 'lc_kwargs' in message ? { lc_kwargs: kwargs } : {})
}

/** Two replies that were joined, because roles must take turns, have the calls of both. */
function callsOf({ tool_calls: calls }: MessageLike): readonly unknown[] {
  const list = (calls ?? []) as readonly {
    id?: string
    function: { name: string; arguments: unknown }
  }[]
  return list.map(({ id, function: { name, arguments: args } }) => ({ type: 'tool_call', id, name, args }))
}
