import type { MessageLike } from '@throughline/core/messages'
import { endFailed } from './end-failed.ts'
import type { Failure, Tally, TurnEndStatus, TurnPart, TurnResult } from './reply.ts'
import { createTally, textOf } from './reply.ts'
import type { Asking } from './turn-options.ts'

export interface TurnToRun extends Pick<Asking, 'log' | 'emit'> {
  /** Aborted when the user cancels, or the reader of the parts has left. */
  readonly signal: AbortSignal
  readonly added: readonly MessageLike[]
  /** Called with the result before the last parts are emitted: a reader who stops there has it. */
  readonly settle: (result: TurnResult) => void
  /** Whether a turn that fails is left open, because the client may send the same again. Default false. */
  readonly mayComeAgain?: boolean
  /** Answers the turn. `open`: it goes on in a later request. */
  readonly answer: (tally: Tally) => Promise<'completed' | 'open'>
}

/** Runs a turn and closes it, however it ends. Its end is logged before it is emitted. */
export async function runTurn(run: TurnToRun): Promise<void> {
  const { log, emit, signal, added, settle, answer, mayComeAgain } = run
  const tally = createTally()
  let status: TurnEndStatus
  let error: Failure | undefined
  try {
    status = await answer(tally)
    if (status === 'open') await log.leave()
  } catch (thrown) {
    ;({ status, error } = await endFailed(log, signal, tally.arriving, thrown, mayComeAgain))
  }
  const { rounds, usage } = tally
  const { turn, branch } = log
  const note = tally.arriving.note ?? log.progress.note
  await tellEnd(
    { emit, settle },
    { status, turn, branch, rounds, usage, text: textOf(tally), messages: [...added], error },
    note === undefined ? [] : [{ type: 'note', text: note }],
  )
}

export async function tellEnd(
  { emit, settle }: Pick<TurnToRun, 'emit' | 'settle'>,
  result: TurnResult,
  parts: readonly TurnPart[] = [],
): Promise<void> {
  settle(result)
  const { text: _, messages: __, error, ...end } = result
  for (const part of parts) await emit(part)
  if (error) await emit({ type: 'error', error })
  await emit({ type: 'end', ...end })
}
