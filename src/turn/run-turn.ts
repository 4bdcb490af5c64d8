import type { MessageLike } from '../log/message.ts'
import { endFailed, type Failure } from './end/end-failed.ts'
import type { TurnLog } from './log/turn-log.ts'
import { createTally, type Tally, textOf } from './model-reply.ts'
import type { Emit, TurnEndStatus, TurnResult } from './turn-part.ts'

export interface TurnToRun {
  readonly log: TurnLog
  readonly emit: Emit
  /** Aborted when the user cancels, or the reader of the parts has left. */
  readonly signal: AbortSignal
  /** What was added to the conversation so far. */
  readonly added: readonly MessageLike[]
  /** Called with the result before the last parts are emitted: a reader who stops there has it. */
  readonly settle: (result: TurnResult) => void
  /** Answers the turn. `open`: it goes on in a later request. */
  readonly answer: (tally: Tally) => Promise<'completed' | 'open'>
}

/** Runs a turn and closes it, however it ends. Its end is logged before it is emitted. */
export async function runTurn({ log, emit, signal, added, settle, answer }: TurnToRun): Promise<void> {
  const tally = createTally()
  let status: TurnEndStatus
  let error: Failure | undefined
  try {
    status = await answer(tally)
    if (status === 'open') await log.leave()
  } catch (thrown) {
    ;({ status, error } = await endFailed(log, signal, tally.arriving, thrown))
  }
  const { rounds, usage } = tally
  const { turn, branch } = log
  const place = { ...(turn !== undefined && { turn }), ...(branch !== undefined && { branch }) }
  const end = { status, ...place, rounds, usage }
  settle({ ...end, text: textOf(tally), messages: [...added], ...(error && { error }) })
  const note = tally.arriving.note ?? log.progress.note
  if (note !== undefined) await emit({ type: 'note', text: note })
  if (error) await emit({ type: 'error', error })
  await emit({ type: 'end', ...end })
}
