import type { SeenMessage } from '../history/logged-message.ts'
import type { MessageLike } from '../log/message.ts'
import type { ModelUsage } from '../models/model.ts'
import { emptyReply, type ModelReply } from './call-model.ts'

/** How far a turn has come. */
export interface Progress {
  rounds: number
  note: string | undefined
  usage: ModelUsage
  /** What the user saw, round by round. */
  readonly texts: string[]
  /** What was added to the conversation. */
  readonly messages: MessageLike[]
  /** What is arriving at this moment, or the last that came and is not yet in the log. */
  reply: ModelReply
}

export const createProgress = (): Progress => ({
  rounds: 0,
  note: undefined,
  usage: {},
  texts: [],
  messages: [],
  reply: emptyReply(),
})

/** A reply as it is kept. */
export function toMessage({ text, thinking, calls }: ModelReply): MessageLike {
  const toolCalls = calls.map(({ id, name, arguments: json }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: json },
  }))
  return {
    role: 'assistant',
    content: text,
    ...(thinking === '' ? {} : { thinking }),
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
  }
}

/** What contexts take of it: what the model thought is kept in the log, but not sent back. */
export function toSeen(message: MessageLike): MessageLike | SeenMessage {
  const { thinking, ...view } = message
  return thinking === undefined ? message : { message, view }
}

/** What had arrived when a turn broke off. Calls in it were never run, so they are no part of it. */
export function arrivedOf({
  reply: { text, thinking, note },
}: Progress): readonly (MessageLike | SeenMessage)[] {
  const said = text === '' ? [] : [toSeen(toMessage({ ...emptyReply(), text, thinking }))]
  return note === undefined ? said : [...said, { role: 'assistant_note', content: note }]
}

export function addUsage(sum: ModelUsage, more: ModelUsage): ModelUsage {
  const added: Record<string, number> = { ...sum }
  for (const [name, tokens] of Object.entries(more)) added[name] = (added[name] ?? 0) + tokens
  return added
}
