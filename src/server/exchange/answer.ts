import type { FitOptions } from '../../context/context.ts'
import type { Model } from '../../models/model.ts'
import {
  answerOnce,
  keepResult,
  type ModelReply,
  runTurn,
  setUpAsking,
  type TurnOptions,
  type TurnPart,
  type TurnResult,
  threadLog,
} from '../../turn/index.ts'
import type { Asked } from './asked.ts'
import type { OpenedTurn } from './open-turn.ts'

/** How the server has turns answered, whatever the request says. */
export interface AnswerOptions
  extends Pick<TurnOptions, 'window' | 'reserve' | 'notes' | 'retries' | 'stallMs'> {
  readonly policy?: FitOptions['policy']
}

export interface Answered {
  readonly result: TurnResult
  /** The reply as it stands in the log; absent if none came to its end. */
  readonly reply?: ModelReply
}

/**
 * Asks the model once, and logs its reply. A reply with calls leaves the turn open: the client runs its tools, and goes on
 * in a later request. When this resolves, the reply is stored.
 */
export async function answer(
  { log: { history }, request, signal }: Asked,
  { thread, turn, said, rest }: OpenedTurn,
  {
    model,
    options,
    emit,
  }: { model: Model; options: AnswerOptions; emit: (part: TurnPart) => void | Promise<void> },
): Promise<Answered> {
  const log = threadLog({ history, thread, turn, ...(said && { said }) })
  let result: TurnResult | undefined
  let reply: ModelReply | undefined
  await runTurn({
    log,
    emit,
    signal,
    added: [],
    settle(settled) {
      result = settled
    },
    async answer(tally) {
      if (rest.length > 0) await log.append(() => rest.map(message => ({ message })))
      for (const call of log.progress.waiting) await keepResult(log, call, noResult)
      const { system, settings, tools } = request
      const asking = await setUpAsking(
        { ...options, model, settings, ...(system !== undefined && { system }) },
        { log, emit, signal, specs: tools, replies: 'streamed', tally },
      )
      const isOver = await answerOnce(asking, {
        async onKept(kept) {
          reply = kept
        },
      })
      return isOver ? 'completed' : 'open'
    },
  })
  return { result: result!, ...(reply && { reply }) }
}

const noResult = { text: 'Error: the client gave no result', isError: true }
