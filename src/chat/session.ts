import type { Context } from '../context/context.ts'
import type { SeenMessage } from '../history/logged-message.ts'
import type { ThreadContextOptions } from '../history/thread.ts'
import type { MessageLike } from '../log/message.ts'
import type { RequestContext } from '../request/index.ts'
import type { Calibration } from '../tokens/calibration.ts'
import type { TokenCounter } from '../tokens/counter.ts'

/** Where one turn happens: in a thread of the log, or in a list that a client sent. */
export interface Session {
  /** The number of the turn; undefined without a log. */
  readonly turn?: number
  readonly count: TokenCounter
  /** The place that the next message will have, from 1. */
  readonly next: number
  /** Aborted when nothing more can be written. */
  readonly signal: AbortSignal
  request(): Promise<Pick<RequestContext, 'conversation' | 'older'>>
  context(options: ThreadContextOptions & { readonly window: number }): Promise<Context>
  calibration(model: string): Promise<Calibration | undefined>
  calibrate(calibration: Calibration): void
  saveCall(context: Context, call: { readonly model: string; readonly reported?: number }): Promise<void>
  /** The messages are made when it is their turn, and know their place then. */
  append(make: (place: number) => readonly (MessageLike | SeenMessage)[]): Promise<void>
  complete(reply: readonly (MessageLike | SeenMessage)[], note: string | undefined): Promise<void>
  fail(code: string): Promise<void>
  cancel(arrived: readonly (MessageLike | SeenMessage)[]): Promise<void>
  interrupt(arrived: readonly (MessageLike | SeenMessage)[]): Promise<void>
  /** The whole text of a result, by its place. */
  resultAt(place: number): Promise<string | undefined>
}
