import type { Context } from '../context/context.ts'
import type { SeenMessage } from '../history/log/logged-message.ts'
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
  /** Aborted when nothing more can be written. */
  readonly signal: AbortSignal
  request(): Promise<Pick<RequestContext, 'conversation' | 'older'>>
  context(options: ThreadContextOptions & { readonly window: number }): Promise<Context>
  calibration(model: string): Promise<Calibration | undefined>
  calibrate(calibration: Calibration): void
  saveCall(context: Context, call: { readonly model: string; readonly reported?: number }): Promise<void>
  /** What the provider reported of earlier calls. */
  reports(model: string): Promise<readonly Report[]>
  /** The messages are made when it is their turn, and know their place then, from 1. */
  append(make: (place: number) => readonly TurnMessage[]): Promise<void>
  complete(reply: readonly TurnMessage[], note: string | undefined): Promise<void>
  fail(code: string, arrived: readonly TurnMessage[]): Promise<void>
  cancel(arrived: readonly TurnMessage[]): Promise<void>
  interrupt(arrived: readonly TurnMessage[]): Promise<void>
  /** The whole text of a result, by its place. */
  resultAt(place: number): Promise<string | undefined>
}

export type TurnMessage = MessageLike | SeenMessage

/** What we counted of a prompt, and what the provider says it read. */
export interface Report {
  readonly predicted: number
  readonly reported: number
}
