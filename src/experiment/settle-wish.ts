import { ThroughlineError } from '../log/error.ts'
import { leaveWish, type Wish } from './control.ts'
import { ExperimentError } from './experiment-error.ts'
import { controlThread, type RunOptions, roleThread } from './run.ts'
import { ends } from './run-experiment.ts'
import type { RunLog } from './run-log.ts'
import { lastSnapshot, stepsOf } from './run-state.ts'
import { foldStep } from './step-turns.ts'
import { readState, takeRun } from './take-experiment.ts'

/**
 * Pauses or stops an experiment, whoever runs it. Where somebody does, he is asked and obeys before the next role acts;
 * where nobody does, it is done at once.
 */
export async function settleWish(options: RunOptions, id: string, wish: Wish): Promise<'asked' | 'done'> {
  const { ended, isPaused } = await readState(options, id)
  if (ended)
    throw new ExperimentError('experiment_ended', `The experiment "${id}" has ended as ${ended.status}.`)
  if (isPaused && wish === 'pause') return 'done'
  const log = (await tryTake(options, id)) ?? (await askFor(options, id, wish))
  if (!log) return 'asked'
  await close(options, id, wish, log)
  return 'done'
}

/** Whoever ran it may have left the very moment before it could see the wish: then it is ours after all. */
async function askFor(options: RunOptions, id: string, wish: Wish): Promise<RunLog | undefined> {
  await leaveWish(controlThread(options, id), wish)
  const log = await tryTake(options, id)
  if (!log?.state.ended) return log
  return undefined
}

async function tryTake(options: RunOptions, id: string): Promise<RunLog | undefined> {
  try {
    if ((await readState(options, id)).ended) return undefined
    return await takeRun(options, id)
  } catch (error) {
    if (error instanceof ThroughlineError && error.code === 'turn_open') return undefined
    throw error
  }
}

async function close(options: RunOptions, id: string, wish: Wish, log: RunLog): Promise<void> {
  const { created } = log.state
  const steps = stepsOf(log.state)
  const { roles } = created
  if (wish === 'stop') for (const role of roles) await cancelTurn(options, id, role)
  const step = { id, roles, step: steps + 1, environment: lastSnapshot(log.state) }
  const environment = await foldStep(options, step)
  if (wish === 'pause') return log.close({ kind: 'paused', environment })
  const { result } = ends.stop
  await log.close({ kind: 'ended', status: 'STOPPED', result, steps, environment })
}

/** A turn that a runner who is gone has left open; one that his lease still holds is closed by whoever comes next. */
async function cancelTurn(options: RunOptions, id: string, role: string): Promise<void> {
  try {
    const left = await roleThread(options, id, role).resume()
    await left?.turn.cancel()
  } catch (error) {
    if (!(error instanceof ThroughlineError) || error.code !== 'turn_open') throw error
  }
}
