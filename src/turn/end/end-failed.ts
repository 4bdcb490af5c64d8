import { ThroughlineError } from '../../log/error.ts'
import type { TurnLog } from '../log/turn-log.ts'
import { arrivedOf, type ModelReply } from '../model-reply.ts'
import type { TurnEndStatus } from '../turn-part.ts'
import { closeTurn } from './close-turn.ts'

/** The model went on calling tools for too long. */
export class TooManyRoundsError extends ThroughlineError {
  constructor(rounds: number) {
    super(
      'too_many_rounds',
      `The model called tools in ${rounds} rounds without answering: raise maxRounds, or look at what it does.`,
    )
  }
}

export type Failure = Error & { readonly code?: string }

/** Closes a turn that did not end by itself: cancelled by the user, broken off in the middle, or failed. */
export async function endFailed(
  log: TurnLog,
  signal: AbortSignal | undefined,
  arriving: ModelReply,
  thrown: unknown,
): Promise<{ readonly status: Exclude<TurnEndStatus, 'completed'>; readonly error?: Failure }> {
  const arrived = arrivedOf(arriving, log.progress.note)
  // Somebody else has gone on: nothing can be written any more, and nothing needs to be.
  if (log.signal.aborted) return { status: 'interrupted', error: toError(log.signal.reason) }
  if (signal?.aborted) {
    const error = await attempt(() => closeTurn(arrived, log.cancel))
    return { status: 'cancelled', ...(error && { error }) }
  }
  const error = toError(thrown)
  if (error.code === 'lease_lost') return { status: 'interrupted', error }
  // What the user has seen makes the difference: a turn that only left a note has failed.
  const isInterrupted = arriving.text !== ''
  const close = isInterrupted ? log.interrupt : (some: typeof arrived) => log.fail(codeOf(error), some)
  await attempt(() => closeTurn(arrived, close))
  return { status: isInterrupted ? 'interrupted' : 'failed', error }
}

export const toError = (thrown: unknown): Failure =>
  thrown instanceof Error ? thrown : new Error(String(thrown))

/** What went wrong first says more; a turn that cannot be closed is closed by the next one. */
async function attempt(close: () => Promise<void>): Promise<Failure | undefined> {
  try {
    await close()
    return undefined
  } catch (error) {
    return toError(error)
  }
}

/** It goes into what the model reads, so it is a code and never a message. */
export function codeOf(error: unknown): string {
  const code = (error as Partial<Failure> | undefined | null)?.code
  return typeof code === 'string' ? code : 'internal_error'
}
