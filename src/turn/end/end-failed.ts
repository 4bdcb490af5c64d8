import { ThroughlineError } from '../../log/error.ts'
import type { TurnLog } from '../log/turn-log.ts'
import { arrivedOf, type ModelReply } from '../model-reply.ts'
import type { TurnEndStatus } from '../turn-part.ts'
import { closeTurn } from './close-turn.ts'

export class TooManyRoundsError extends ThroughlineError {
  constructor(rounds: number) {
    super(
      'too_many_rounds',
      `The model called tools in ${rounds} rounds without answering: raise maxRounds, or look at what it does.`,
    )
  }
}

export type Failure = Error & { readonly code?: string }

/** Closes a turn that was cancelled by the user, broke off in the middle of an answer, or failed. */
export async function endFailed(
  log: TurnLog,
  signal: AbortSignal | undefined,
  arriving: ModelReply,
  thrown: unknown,
): Promise<{ readonly status: Exclude<TurnEndStatus, 'completed'>; readonly error?: Failure }> {
  const arrived = arrivedOf(arriving, log.progress.note)
  // Another writer has the turn: it cannot, and need not, be closed here.
  if (log.signal.aborted) return { status: 'interrupted', error: toError(log.signal.reason) }
  if (signal?.aborted) {
    const error = await attempt(() => closeTurn(arrived, log.cancel))
    return { status: 'cancelled', ...(error && { error }) }
  }
  const error = toError(thrown)
  if (error.code === 'lease_lost') return { status: 'interrupted', error }
  // `interrupted` only if the user has seen a part of the answer; a turn that left only a note has failed.
  const isInterrupted = arriving.text !== ''
  const close = isInterrupted ? log.interrupt : (some: typeof arrived) => log.fail(codeOf(error), some)
  await attempt(() => closeTurn(arrived, close))
  return { status: isInterrupted ? 'interrupted' : 'failed', error }
}

export const toError = (thrown: unknown): Failure =>
  thrown instanceof Error ? thrown : new Error(String(thrown))

/** Returns an error instead of throwing it: the first error says more, and the next turn closes what stays open. */
async function attempt(close: () => Promise<void>): Promise<Failure | undefined> {
  try {
    await close()
    return undefined
  } catch (error) {
    return toError(error)
  }
}

/** The code of an error. The model reads it in later turns, so it must never be the message. */
export function codeOf(error: unknown): string {
  const code = (error as Partial<Failure> | undefined | null)?.code
  return typeof code === 'string' ? code : 'internal_error'
}
