import type { MessageLike } from '../log/message.ts'
import { endFailed, type Failure } from './end/end-failed.ts'
import type { TurnLog } from './log/turn-log.ts'
import { createTally, type Tally, textOf } from './model-reply.ts'
import type { Emit, TurnEndStatus, TurnResult } from './turn-part.ts'

export interface TurnToRun {
  readonly log: TurnLog
  readonly emit: Emit
  /** Aborted when the user cancels, or when whoever read the parts has left. */
  readonly signal: AbortSignal
  /** What was added to the conversation so far. */
  readonly added: readonly MessageLike[]
  /** Told of the result before the last parts are: whoever stops reading at them has it too. */
  readonly settle: (result: TurnResult) => void
  /** Answers it. `open`: it goes on in a later request. */
  readonly answer: (tally: Tally) => Promise<'completed' | 'open'>
}

/** One turn, closed however it ends. Its end is in the log before it is told. */
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
