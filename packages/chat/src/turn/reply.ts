import type { Receipt } from '@throughline/core/explain'
import type { MessageLike } from '@throughline/core/messages'
import type { Room } from '@throughline/core/tokens'
import type { SentBody } from '@throughline/history/calls'
import type { SeenMessage } from '@throughline/history/log'
import type {
  EndReason,
  ModelPart,
  ModelUsage,
  ReplyBlocks,
  ReplyCall,
} from '@throughline/models/model'

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
  /** What is kept of the body that was sent for it. */
  sent?: Promise<SentBody> | undefined
}

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

/** Sums up the model calls of a turn that this process made. `arriving`: the reply that is not yet in the log. */
export const createTally = () => ({
  rounds: 0,
  usage: {} as ModelUsage,
  replies: [] as ModelReply[],
  arriving: emptyReply(),
})

export type Tally = ReturnType<typeof createTally>

export function countReply(tally: Tally, { usage }: ModelReply): void {
  const sum: Record<string, number> = { ...tally.usage }
  for (const [name, tokens] of Object.entries(usage)) sum[name] = (sum[name] ?? 0) + tokens
  tally.usage = sum
  tally.rounds += 1
}

/** What the user saw, round by round. */
export const textOf = ({ replies }: Tally): string =>
  replies.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n\n')

/** `open`: the turn goes on in a later request. */
export type TurnEndStatus = 'completed' | 'failed' | 'cancelled' | 'interrupted' | 'open'

/** What happens in a turn, as it happens. Everything but `note` and `context` may be shown to the user. */
export type TurnPart =
  | Exclude<ModelPart, { readonly type: 'end' }>
  | {
      readonly type: 'tool-result'
      readonly id: string
      readonly name: string
      /** The full text, even if the model sees only its beginning. */
      readonly text: string
      readonly isError: boolean
    }
  /** A note of the model: for operators, never for the user. */
  | { readonly type: 'note'; readonly text: string }
  /** The context that is about to be sent. */
  | ({
      readonly type: 'context'
      readonly messages: readonly MessageLike[]
      readonly receipt: Receipt
    } & Room)
  | { readonly type: 'warning'; readonly code: WarningCode; readonly message: string }
  | { readonly type: 'error'; readonly error: Failure }
  | ({ readonly type: 'end' } & TurnOutcome)

/** Takes the next part. Its promise resolves when the reader asks for another one. */
export type Emit<Part = TurnPart> = (part: Part) => void | Promise<void>

/** What a warning is about. The turn goes on. */
export type WarningCode =
  /** The provider read fewer tokens than it was sent. */
  | 'prompt_truncated'
  /** The model server read again what it should have had in its cache. */
  | 'cache_lost'
  /** What is protected did not fit: texts were cut in their middle. */
  | 'trimmed'
  /** The model sees only the beginning of a result. */
  | 'result_clipped'
  /** A call failed and is made again. */
  | 'retrying'
  /** The provider refused the context as too long: it is fitted again. */
  | 'fitted_again'
  /** The model refused files that were sent: it is asked again, with words in their place. */
  | 'files_left_out'
  /** The model takes system messages only at the front: its system prompt is sent as it came. */
  | 'prompt_as_sent'
  /** The reply was cut at its greatest length. */
  | 'reply_cut'
  /** The model answered nothing that a user may see. */
  | 'empty_reply'
  /** The model wrote a mark of ours that stands for a text that it was not sent. A tool that gets one is not run. */
  | 'stand_in_copied'

/** How a turn ended, and what it took. */
export interface TurnOutcome {
  /** `open`: the turn goes on in a later request. */
  readonly status: TurnEndStatus
  /** The number of the turn; absent without a store. */
  readonly turn?: number
  /** The branch that the turn is on: a new one after `edit` and `regenerate`; absent without a store. */
  readonly branch?: string
  /** How many replies the model gave. */
  readonly rounds: number
  /** The sum over all calls of the turn. */
  readonly usage: ModelUsage
}

/** How a turn ended, and its answer. */
export interface TurnResult extends TurnOutcome {
  /** All text that the user saw. */
  readonly text: string
  /** The messages that were added to the conversation, without the user's. */
  readonly messages: readonly MessageLike[]
  /** Why it failed; absent otherwise. */
  readonly error?: Failure
}

export type Failure = Error & { readonly code?: string }
