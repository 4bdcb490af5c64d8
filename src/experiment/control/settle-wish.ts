import { ExperimentError, unlessRefused } from '../experiment-error.ts'
import { readState, stepsOf } from '../log/experiment-log.ts'
import type { ExperimentThreads } from '../log/experiment-threads.ts'
import { cancelTurns, foldStep } from '../log/step-turns.ts'
import { endOf, leaveWish, type Wish } from '../log/wish.ts'
import { takeExperiment } from './take-experiment.ts'

/**
 * Pauses or stops an experiment. A process that runs it is asked, and obeys before the next role acts; else it is done
 * at once.
 */
export async function settleWish(threads: ExperimentThreads, wish: Wish): Promise<'asked' | 'done'> {
  const { ended, isPaused } = await readState(threads)
  if (ended) {
    const problem = `The experiment "${threads.id}" has ended as ${ended.status}.`
    throw new ExperimentError('experiment_ended', problem)
  }
  if (isPaused && wish === 'pause') return 'done'
  const tryTake = () => unlessRefused('turn_open', takeExperiment(threads))
  let log = await tryTake()
  if (!log) {
    await leaveWish(threads.control, wish)
    // Once more: the process that ran the experiment may have left without seeing the wish.
    log = await tryTake()
  }
  if (!log) return 'asked'
  try {
    const { state } = log
    if (wish === 'stop') await cancelTurns(threads, state)
    const environment = await foldStep(threads, state)
    const stopped = { kind: 'ended', status: 'STOPPED', result: endOf.stop.result } as const
    if (wish === 'pause') await log.close({ kind: 'paused', environment })
    else await log.close({ ...stopped, steps: stepsOf(state), environment })
  } catch (error) {
    await log.leave()
    throw error
  }
  return 'done'
}
