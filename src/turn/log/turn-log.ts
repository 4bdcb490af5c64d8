import type { Context } from '../../context/context.ts'
import type { CallOutcome } from '../../history/calls/calls.ts'
import type { SeenMessage } from '../../history/log/logged-message.ts'
import type { ThreadContextOptions } from '../../history/thread.ts'
import type { MessageLike } from '../../log/message.ts'
import type { RequestContext } from '../../request/index.ts'
import type { Calibration } from '../../tokens/calibration.ts'
import type { TokenCounter } from '../../tokens/counter.ts'
import type { TurnProgress } from './turn-progress.ts'

/** Where a turn is written: a thread of a history, or a list that a client sent. */
export interface TurnLog {
  /** The number of the turn; undefined without a history. */
  readonly turn?: number
  readonly branch?: string
  readonly count: TokenCounter
  /** Aborted when nothing more can be written. */
  readonly signal: AbortSignal
  readonly progress: TurnProgress
  /** Calls the listener with every message that is added from now on. */
  onAdded(listener: (message: MessageLike) => void): void
  request(): Promise<Pick<RequestContext, 'conversation' | 'older'>>
  context(options: TurnContextOptions): Promise<Context>
  calibration(model: string): Promise<Calibration | undefined>
  calibrate(calibration: Calibration): void
  /** Stores a call before it is sent; `end` adds its outcome. */
  startCall(context: Context, model: string): Promise<{ end(outcome: CallOutcome): Promise<unknown> }>
  /** What the provider reported for earlier calls. */
  reports(model: string): Promise<readonly Report[]>
  /** Appends messages. `make` is called with the place of the first one, from 1, once it is known. */
  append(make: (place: number) => readonly SeenMessage[]): Promise<void>
  complete(reply: readonly SeenMessage[], note: string | undefined): Promise<void>
  fail(code: string, arrived: readonly SeenMessage[]): Promise<void>
  cancel(arrived: readonly SeenMessage[]): Promise<void>
  interrupt(arrived: readonly SeenMessage[]): Promise<void>
  /** Leaves the turn open: it goes on in a later request. */
  leave(): Promise<void>
  /** Whether the model sees only the beginning of some result, one with more tokens than this. Stays true. */
  hasClipped(mostTokens: number): Promise<boolean>
  /** The full text of the result at a place. */
  resultAt(place: number): Promise<string | undefined>
}

export interface TurnContextOptions extends ThreadContextOptions {
  readonly window: number
  /** Of a tool result with more tokens the model sees only the beginning. */
  readonly mostResultTokens: number
}

/** The tokens of a prompt as we counted them, and as the provider reported them. */
export interface Report {
  readonly predicted: number
  readonly reported: number
}

export const noteMessage = (content: string): MessageLike => ({ role: 'assistant_note', content })
