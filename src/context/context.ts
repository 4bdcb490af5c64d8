import type { MessageLike } from '../log/message.ts'
import type { OptionNames } from '../log/refuse-unknown.ts'
import type { PlainMessage } from '../log/write-message.ts'
import type { Policy } from './draft/draft.ts'
import { type FrameOptions, frameNames } from './draft/frame-options.ts'
import type { PromptLayout } from './prompt/layout.ts'
import type { GivenPart } from './prompt/split-prompt.ts'
import type { Receipt } from './receipt.ts'

/** How a conversation is fitted. Only the window is needed. */
export interface FitOptions extends FrameOptions {
  /** Decides what is left out when not everything fits. Default `defaultPolicy`. */
  readonly policy?: Policy
  /** The context of the previous call: the receipt then says how much of the prompt's beginning is the same. */
  readonly previous?: PreviousContext
}

export const fitNames: OptionNames<FitOptions> = { ...frameNames, policy: 1, previous: 1 }

/** The previous call's context, or the part of it that was kept. */
export interface PreviousContext {
  readonly messages: readonly object[]
  readonly receipt?: { readonly parts: { readonly tools: number } }
}

/** The message list for one model call, with its receipt. */
export interface Context<M extends MessageLike = MessageLike> {
  /** The caller's own objects wherever a message was kept, and a few plain messages that the library adds. */
  readonly messages: (M | PlainMessage)[]
  readonly tokens: number
  readonly receipt: Receipt
  /** The tool schemas that are sent with the messages; absent if there are none. With `systemPrompt: 'stable'` or `'as user'` in the order of the first time. */
  readonly tools?: readonly unknown[]
  /** With `systemPrompt: 'stable'` or `'as user'`: what is known of the system prompt now. Pass it to the next `fit` of the conversation. */
  readonly promptLayout?: PromptLayout
  /** What of it was not known before. A history stores it with the turn. */
  readonly learned?: PromptLayout
  /** The system prompt as it was given, where changing lines were taken out of it. */
  readonly given?: readonly GivenPart[]
}
