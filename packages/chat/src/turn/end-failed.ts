import { ThroughlineError } from '@throughline/core/errors'
import { attempt } from '@throughline/core/values'
import type { SeenMessage } from '@throughline/history/log'
import { TooLargeError } from '@throughline/stores/errors'
import { type TurnLog, withNote } from './log/turn-log.ts'
import {
  emptyReply,
  type Failure,
  type ModelReply,
  type TurnEndStatus,
  toMessage,
  toSeen,
} from './reply.ts'

/** The model went on calling tools until `maxRounds` was reached. The turn has failed. */
export class TooManyRoundsError extends ThroughlineError {
  /** `rounds` is the limit that was reached. */
  constructor(rounds: number) {
    super(
      'too_many_rounds',
      `The model called tools in ${rounds} rounds without answering: raise maxRounds, or look at what it does.`,
    )
  }
}

/** Closes a turn that was cancelled, broke off or failed; or leaves it open where the client may send the same again. */
export async function endFailed(
  log: TurnLog,
  signal: AbortSignal | undefined,
  arriving: ModelReply,
  thrown: unknown,
  mayComeAgain = false,
): Promise<{ readonly status: Exclude<TurnEndStatus, 'completed'>; readonly error?: Failure }> {
  const { text, thinking, note } = arriving
  // Without its tool calls, which were never run.
  const partial = toSeen(toMessage({ ...emptyReply(), text, thinking }))
  const arrived = withNote(text === '' ? [] : [partial], note ?? log.progress.note)
  const leave = () => {
    const part = note === undefined ? partial : { ...partial, data: { note } }
    return closeTurn(text === '' && note === undefined ? [] : [part], log.leave)
  }
  // Another writer has the turn: it cannot, and need not, be closed here.
  if (log.signal.aborted) return { status: 'interrupted', error: toError(log.signal.reason) }
  if (signal?.aborted) {
    return {
      status: 'cancelled',
      error: await (mayComeAgain ? leave() : closeTurn(arrived, log.cancel)),
    }
  }
  const error = toError(thrown)
  if (error.code === 'lease_lost') return { status: 'interrupted', error }
  // `interrupted` only if the user has seen a part of the answer; a turn that left only a note has failed.
  const isInterrupted = text !== ''
  // A prompt that is too long is not tried again as it is, and what was learned of its tokens is stored with the end.
  if (mayComeAgain && !isTooLong(error)) await leave()
  else
    await closeTurn(arrived, isInterrupted ? log.interrupt : some => log.fail(codeOf(error), some))
  return { status: isInterrupted ? 'interrupted' : 'failed', error }
}

const isTooLong = ({ code }: Failure) => code === 'context_too_long' || code === 'context_overflow'

export function toError(thrown: unknown): Failure {
  return thrown instanceof Error ? thrown : new Error(attempt(() => String(thrown), 'it failed'))
}

/** The code of an error. The model reads it in later turns, so it must never be the message. */
export function codeOf(error: unknown): string {
  const code = (error as Partial<Failure> | undefined | null)?.code
  return typeof code === 'string' ? code : 'internal_error'
}

/**
 * Closes a turn with what arrived, or less where that is too large: an open one would block the next. Returns an error instead
 * of throwing it, as the error that ended the turn says more.
 */
async function closeTurn(
  arrived: readonly SeenMessage[],
  close: (arrived: readonly SeenMessage[]) => Promise<void>,
): Promise<Failure | undefined> {
  const attempt = (some: readonly SeenMessage[]) => close(some).then(() => undefined, toError)
  const error = await attempt(arrived)
  // With a lost lease another writer has the turn, so that there is nothing to close.
  if (!error || arrived.length === 0 || error.code === 'lease_lost') return error
  // At two bytes a character most texts fit; at eight any does, even if escaped.
  const limit = error instanceof TooLargeError ? error.limit : 0
  for (const bytes of [2, 8]) {
    const most = Math.floor(limit / bytes) - clippedEnd.length - framing
    if (most > 0 && !(await attempt(arrived.map(message => clip(message, most))))) return undefined
  }
  return attempt([])
}

/** Ends a text that was cut because the store cannot take more. */
const clippedEnd = '\n\n[The rest is too large to be stored.]'

/** The most bytes that the entry takes besides its text. */
const framing = 512

/** Keeps only the text; thoughts are dropped first. */
function clip(seen: SeenMessage, most: number): SeenMessage {
  const { role, content } = seen.message
  if (typeof content !== 'string') return seen
  const cut = () => `${content.slice(0, most).replace(/[\ud800-\udbff]$/, '')}${clippedEnd}`
  return { message: { role, content: content.length > most ? cut() : content } }
}
