import { ThroughlineError } from '../../log/error.ts'
import { ExperimentError } from '../experiment-error.ts'
import { controlThread, type ExperimentsOptions } from '../log/active-experiment.ts'
import type { ExperimentLog } from '../log/experiment-log.ts'
import { lastSnapshot, stepsOf } from '../log/experiment-state.ts'
import { cancelTurns, foldStep } from '../log/step-turns.ts'
import { endOf, leaveWish, type Wish } from '../log/wish.ts'
import { readState, takeExperiment } from './take-experiment.ts'

/**
 * Pauses or stops an experiment. A process that runs it is asked, and obeys before the next role acts; else it is done
 * at once.
 */
export async function settleWish(
  options: ExperimentsOptions,
  id: string,
  wish: Wish,
): Promise<'asked' | 'done'> {
  const { ended, isPaused } = await readState(options, id)
  if (ended)
    throw new ExperimentError('experiment_ended', `The experiment "${id}" has ended as ${ended.status}.`)
  if (isPaused && wish === 'pause') return 'done'
  const log = (await tryTake(options, id)) ?? (await askFor(options, id, wish))
  if (!log) return 'asked'
  try {
    await close(options, id, wish, log)
  } catch (error) {
    await log.leave()
    throw error
  }
  return 'done'
}

/** Leaves a wish, and tries once more to take the experiment: its process may have left without seeing the wish. */
async function askFor(
  options: ExperimentsOptions,
  id: string,
  wish: Wish,
): Promise<ExperimentLog | undefined> {
  await leaveWish(controlThread(options, id), wish)
  return tryTake(options, id)
}

/** Takes an experiment; undefined while a process runs it, and when it has ended. */
async function tryTake(options: ExperimentsOptions, id: string): Promise<ExperimentLog | undefined> {
  try {
    return await takeExperiment(options, id)
  } catch (error) {
    if (error instanceof ThroughlineError && error.code === 'turn_open') return undefined
    throw error
  }
}

async function close(options: ExperimentsOptions, id: string, wish: Wish, log: ExperimentLog): Promise<void> {
  const { roles } = log.state.created
  const steps = stepsOf(log.state)
  if (wish === 'stop') await cancelTurns(options, id, roles)
  const step = { id, roles, step: steps + 1, environment: lastSnapshot(log.state) }
  const environment = await foldStep(options, step)
  if (wish === 'pause') return log.close({ kind: 'paused', environment })
  const { result } = endOf.stop
  await log.close({ kind: 'ended', status: 'STOPPED', result, steps, environment })
}
