import { type MessageLike, readMessage } from '@throughline/core/messages'
import { present } from '@throughline/core/values'
import {
  fromLangChain,
  type LangChainMessage,
  origin,
  repeated,
  type View,
} from './read-message.ts'

/** A message that was added. LangChain takes it wherever it takes messages, see `coerceMessageLikeToMessage`. */
export type AddedMessage =
  | { role: 'system' | 'user' | 'assistant'; content: string }
  | { role: 'tool'; content: string; tool_call_id: string; name?: string }

/** Turns a view back: into the original message, a changed copy of the same class, or an added message. */
export function toLangChain<M extends LangChainMessage, A>(
  sent: View,
  create: (message: AddedMessage) => A,
): M | A {
  const message = sent[origin] as M | undefined
  if (!message) return create(toAdded(sent))
  const view = fromLangChain(message)
  if (sent === view) return message
  return withContent(
    message,
    contentOf(sent),
    sent.tool_calls === view.tool_calls ? undefined : sent,
  )
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
function withContent<M extends LangChainMessage>(
  message: M,
  content: unknown,
  joined?: MessageLike,
): M {
  const fields = { content, ...(joined && { tool_calls: callsOf(joined) }) }
  const copy = Object.create(
    Object.getPrototypeOf(message),
    Object.getOwnPropertyDescriptors(message),
  )
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
  return list.map(({ id, function: { name, arguments: args } }) => ({
    type: 'tool_call',
    id,
    name,
    args,
  }))
}
