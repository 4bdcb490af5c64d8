import type { SeenMessage } from '../history/log/logged-message.ts'
import type { MessageLike } from '../log/message.ts'
import type { ModelUsage } from '../models/model.ts'
import { emptyReply, type ModelReply } from './call-model.ts'

/** How far a turn has come. */
export interface Progress {
  rounds: number
  note: string | undefined
  usage: ModelUsage
  /** Everything that the model answered, also what is arriving. */
  readonly replies: ModelReply[]
  /** What is arriving at this moment, or the last that came and is not yet in the log. */
  reply: ModelReply
}

export const createProgress = (): Progress => ({
  rounds: 0,
  note: undefined,
  usage: {},
  replies: [],
  reply: emptyReply(),
})

/** What the user saw, round by round. */
export function textOf({ replies }: Progress): string {
  const texts = replies.map(({ text }) => text)
  return texts.filter(text => text !== '').join('\n\n')
}

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

/**
 * What had arrived when a turn broke off, and the note of the turn, whichever round it is of. Calls in it were never
 * run, so they are no part of it.
 */
export function arrivedOf({ reply, note }: Progress): readonly (MessageLike | SeenMessage)[] {
  const { text, thinking } = reply
  const said = text === '' ? [] : [toSeen(toMessage({ ...emptyReply(), text, thinking }))]
  const last = reply.note ?? note
  return last === undefined ? said : [...said, { role: 'assistant_note', content: last }]
}

export function addUsage(sum: ModelUsage, more: ModelUsage): ModelUsage {
  const added: Record<string, number> = { ...sum }
  for (const [name, tokens] of Object.entries(more)) added[name] = (added[name] ?? 0) + tokens
  return added
}
