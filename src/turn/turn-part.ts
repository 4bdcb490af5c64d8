import type { Receipt } from '../context/receipt.ts'
import type { MessageLike } from '../log/message.ts'
import type { ModelUsage } from '../models/model.ts'

/** `open`: it goes on in a later request. */
export type TurnEndStatus = 'completed' | 'failed' | 'cancelled' | 'interrupted' | 'open'

/** What happens in a turn, as it happens. Everything but `note` and `context` may be shown to the user. */
export type TurnPart =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'thinking-delta'; readonly text: string }
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly arguments: string }
  | {
      readonly type: 'tool-result'
      readonly id: string
      readonly name: string
      /** Whole, even where the model sees only its beginning. */
      readonly text: string
      readonly isError: boolean
    }
  /** For operators: never for the user. */
  | { readonly type: 'note'; readonly text: string }
  /** What the model is about to be sent. */
  | {
      readonly type: 'context'
      readonly messages: readonly MessageLike[]
      readonly receipt: Receipt
      /** What our counts are multiplied by, as the provider's reports have shown. */
      readonly factor: number
    }
  | { readonly type: 'warning'; readonly code: WarningCode; readonly message: string }
  | { readonly type: 'error'; readonly error: Error & { readonly code?: string } }
  | ({ readonly type: 'end' } & TurnEnd)

/** Takes the next part; who makes parts waits for what it returns, until somebody asks for the next one. */
export type Emit<Part = TurnPart> = (part: Part) => void | Promise<void>

export type WarningCode =
  /** The provider read fewer tokens than it was sent. */
  | 'prompt_truncated'
  /** What must be sent did not fit: texts were cut in their middle. */
  | 'trimmed'
  /** A result is shown to the model only by its beginning. */
  | 'result_clipped'
  /** A call failed and is made again. */
  | 'retrying'
  /** The provider said that the context was too long: it is fitted again. */
  | 'fitted_again'
  /** The reply ended because it was as long as it may be. */
  | 'reply_cut'
  /** The model answered nothing that a user may see. */
  | 'empty_reply'

export interface TurnEnd {
  readonly status: TurnEndStatus
  /** The number of the turn; absent without a store. */
  readonly turn?: number
  /** The branch that the turn is on: a new one after `edit` and `regenerate`; absent without a store. */
  readonly branch?: string
  /** How often the model was called for its answer. */
  readonly rounds: number
  /** The sum over all calls of the turn. */
  readonly usage: ModelUsage
}

export interface TurnResult extends TurnEnd {
  /** All that the user saw of the reply. */
  readonly text: string
  /** What was added to the conversation, the user's message not included. */
  readonly messages: readonly MessageLike[]
  readonly error?: Error & { readonly code?: string }
}
