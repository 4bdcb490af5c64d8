import type { SeenMessage } from '../history/log/logged-message.ts'
import type { MessageLike, ToolCall } from '../log/message.ts'
import type { EndReason, ModelUsage, ReplyBlocks } from '../models/model.ts'

/** The answer of one model call, as far as it has arrived. */
export interface ModelReply {
  text: string
  note: string | undefined
  thinking: string
  readonly calls: ReplyCall[]
  usage: ModelUsage
  reason: EndReason
  /** What the server told besides. */
  details?: Readonly<Record<string, unknown>> | undefined
  /** The reply as its provider wants it back. */
  blocks?: ReplyBlocks | undefined
}

export type ReplyCall = Required<ToolCall>

export const emptyReply = (): ModelReply => ({
  text: '',
  note: undefined,
  thinking: '',
  calls: [],
  usage: {},
  reason: 'other',
})

export function toMessage({ text, thinking, calls, blocks }: ModelReply): MessageLike {
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
    ...(blocks ? { blocks } : {}),
  }
}

/** Adds the view for contexts: the model's thoughts stay in the log, but are not sent back. */
export function toSeen(message: MessageLike): SeenMessage {
  const { thinking, ...view } = message
  return thinking === undefined ? { message } : { message, view }
}

/** Sums up the model calls of a turn that this process made. */
export interface Tally {
  rounds: number
  usage: ModelUsage
  readonly replies: ModelReply[]
  /** The reply that is not yet in the log. */
  arriving: ModelReply
}

export const createTally = (): Tally => ({ rounds: 0, usage: {}, replies: [], arriving: emptyReply() })

export function countReply(tally: Tally, { usage }: ModelReply): void {
  const sum: Record<string, number> = { ...tally.usage }
  for (const [name, tokens] of Object.entries(usage)) sum[name] = (sum[name] ?? 0) + tokens
  tally.usage = sum
  tally.rounds += 1
}

/** What the user saw, round by round. */
export const textOf = ({ replies }: Tally): string =>
  replies.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n\n')
