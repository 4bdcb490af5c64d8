import type { Fate } from '@throughline/core/fates'
import type { ModelUsage } from '@throughline/models/model'
import type { WarningCode } from '../turn/reply.ts'
import type { UIStoredMessage } from './to-ui-messages.ts'

/** What a reply becomes for `useChat`: the chunks of the AI SDK's UI message stream that a chat has a use for. */
export type UIChunk =
  | {
      readonly type: 'start'
      readonly messageId?: string
      readonly messageMetadata?: Readonly<Record<string, unknown>>
    }
  | { readonly type: 'start-step' | 'finish-step' | 'abort' }
  | {
      readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'
      readonly id: string
    }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | {
      readonly type: 'tool-input-available'
      readonly toolCallId: string
      readonly toolName: string
      readonly input: unknown
    }
  | {
      readonly type: 'tool-output-available'
      readonly toolCallId: string
      readonly output: unknown
    }
  | { readonly type: 'tool-output-error'; readonly toolCallId: string; readonly errorText: string }
  | { readonly type: 'data-context'; readonly id: string; readonly data: UIContext }
  | { readonly type: 'data-warning'; readonly data: UIWarning; readonly transient: true }
  | { readonly type: 'data-missed'; readonly data: UIMissed; readonly transient: true }
  | { readonly type: 'error'; readonly errorText: string }
  | {
      readonly type: 'finish'
      /** `tool-calls`: the turn goes on when the client has run its tools. */
      readonly finishReason: 'stop' | 'error' | 'tool-calls'
      readonly messageMetadata: UIMetadata
    }

/** What the model was sent, in numbers and places: no text of the context, which holds notes. */
export interface UIContext {
  /** The name of the policy that chose. */
  readonly policy: string
  /** The tokens of the context, as the window was set: the model's. */
  readonly tokens: number
  /** Absent while it is unknown: then nothing is cut. */
  readonly window?: number | undefined
  /** The tokens kept free for the reply, as they were set. */
  readonly reserve: number
  /** How many entries were sent as they are, altered, as a digest, and so on. */
  readonly counts: Readonly<Record<Fate, number>>
  /** The places of the messages that were brought back for the newest one, as `display()` names them: 100 at most. */
  readonly recalled: readonly number[]
}

/** Something that went otherwise than the user may expect. */
export interface UIWarning {
  /** What it is about, for a program. */
  readonly code: WarningCode
  /** What it is about, in words for a person. */
  readonly message: string
}

/** Messages of other tabs, between those that the client has and the one that it has just sent. */
export interface UIMissed {
  /** Oldest first. */
  readonly messages: readonly UILoadedMessage[]
}

/** A message that goes back to `useChat`. An answer says itself where it was given. */
export type UILoadedMessage = UIStoredMessage & { readonly metadata?: UIMetadata }

/** The `metadata` of the finished message. */
export interface UIMetadata {
  /** The number of the turn; absent without a store. */
  readonly turn?: number
  /** The branch to go on with; absent without a store. */
  readonly branch?: string
  /** The sum over all calls of the turn. */
  readonly usage: ModelUsage
}

/** The parts of a UI message that a chat adds, as `useChat` wants to know them: `useChat<UIMessage<UIMetadata, UIDataParts>>()`. */
export type UIDataParts = {
  /** The data of the `data-context` part: of the newest model call of the message. */
  context: UIContext
  /** The data of a `data-warning` part, which the message does not keep. */
  warning: UIWarning
  /** The data of a `data-missed` part: see `withMissed`. */
  missed: UIMissed
}
