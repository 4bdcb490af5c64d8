import type { Context } from '../../context/context.ts'
import type { CallOutcome } from '../../history/calls/calls.ts'
import type { SeenMessage } from '../../history/log/logged-message.ts'
import type { ThreadContextOptions } from '../../history/thread.ts'
import type { MessageLike } from '../../log/message.ts'
import type { RequestContext } from '../../request/index.ts'
import type { Calibration } from '../../tokens/calibration.ts'
import type { TokenCounter } from '../../tokens/counter.ts'
import type { TurnProgress } from './turn-progress.ts'

/** Where one turn is written: in a thread of the log, or in a list that a client sent. */
export interface TurnLog {
  /** The number of the turn; undefined without a log. */
  readonly turn?: number
  readonly branch?: string
  readonly count: TokenCounter
  /** Aborted when nothing more can be written. */
  readonly signal: AbortSignal
  /** How far the turn has come, as its messages say. */
  readonly progress: TurnProgress
  /** Tells of every message that is added from now on. */
  onAdded(listener: (message: MessageLike) => void): void
  request(): Promise<Pick<RequestContext, 'conversation' | 'older'>>
  context(options: TurnContextOptions): Promise<Context>
  calibration(model: string): Promise<Calibration | undefined>
  calibrate(calibration: Calibration): void
  /** Keeps a call before it is sent; `end` keeps how it went. */
  startCall(context: Context, model: string): Promise<{ end(outcome: CallOutcome): Promise<unknown> }>
  /** What the provider reported of earlier calls. */
  reports(model: string): Promise<readonly Report[]>
  /** The messages are made when it is their turn, and know their place then, from 1. */
  append(make: (place: number) => readonly SeenMessage[]): Promise<void>
  complete(reply: readonly SeenMessage[], note: string | undefined): Promise<void>
  fail(code: string, arrived: readonly SeenMessage[]): Promise<void>
  cancel(arrived: readonly SeenMessage[]): Promise<void>
  interrupt(arrived: readonly SeenMessage[]): Promise<void>
  /** Gives the turn up without ending it: it goes on in a later request. */
  leave(): Promise<void>
  /** Whether a result is shown by its beginning: one that has more tokens. Once it is so it stays so. */
  hasClipped(mostTokens: number): Promise<boolean>
  /** The whole text of a result, by its place. */
  resultAt(place: number): Promise<string | undefined>
}

export interface TurnContextOptions extends ThreadContextOptions {
  readonly window: number
  /** A result that has more tokens is shown by its beginning. */
  readonly mostResultTokens: number
}

/** What we counted of a prompt, and what the provider says it read. */
export interface Report {
  readonly predicted: number
  readonly reported: number
}

export const noteMessage = (content: string): MessageLike => ({ role: 'assistant_note', content })
