import { ExperimentFailure } from './experiment-error.ts'
import type { ExperimentResult } from './experiment-event.ts'
import type { ActiveExperiment } from './log/active-experiment.ts'
import { stepsOf } from './log/experiment-state.ts'
import { cancelTurns, refold } from './log/step-turns.ts'
import { endOf } from './log/wish.ts'
import { closeFailing, finishLeft } from './step/act.ts'
import { askHooks } from './step/ask-hooks.ts'
import { takeStep } from './step/take-step.ts'

type End = Pick<ExperimentResult, 'status' | 'result'>

/** Runs an experiment from where it stands until it has ended or is paused, then gives its lease back. */
export async function conduct(active: ActiveExperiment): Promise<ExperimentResult> {
  let isOver = false
  try {
    const { id, plan, isResumed, log } = active
    if (isResumed) await refold(active)
    const step = stepsOf(log.state) + 1
    await active.emit({ type: 'experiment-started', id, name: plan.name, step, isResumed })
    const result = await settle(active, await tryOut(active))
    isOver = true
    return result
  } finally {
    // Left by its reader, or an error from outside the experiment: paused at once, so that nobody waits for the lease.
    if (!isOver) await active.log.close(pausedEntry(active)).catch(active.log.leave)
  }
}

/** Takes steps to the end. A failure of the experiment is an end; one of the store or the lease is thrown. */
async function tryOut(active: ActiveExperiment): Promise<End> {
  try {
    return await takeSteps(active)
  } catch (error) {
    return toEnd(active, error)
  }
}

async function takeSteps(active: ActiveExperiment): Promise<End> {
  const { plan, log } = active
  if (log.state.failing) {
    await closeFailing(active)
    return { status: 'FAILED', result: log.state.failing.result }
  }
  if (active.isResumed && log.state.ending) await finishLeft(active)
  if (stepsOf(log.state) === 0) await askHooks(active, 'before-experiment', [])
  for (;;) {
    active.signal.throwIfAborted()
    const { goal, ending } = log.state
    if (goal) return { status: goal.outcome === 'failed' ? 'FAILED' : 'COMPLETED', result: goal.description }
    if (ending?.stop !== undefined) return { status: 'STOPPED', result: ending.stop }
    active.step = stepsOf(log.state) + 1
    if (active.step > plan.maxSteps) return { status: 'FAILED', result: 'Max Steps Exceeded' }
    const wish = await takeStep(active)
    if (wish) return endOf[wish]
  }
}

/** Logs the end, which gives the lease back. */
async function settle(active: ActiveExperiment, end: End): Promise<ExperimentResult> {
  const { id, plan, log, environment } = active
  const steps = stepsOf(log.state)
  const { status, result } = end.status === 'PAUSED' ? end : await askLast(active, end)
  if (status === 'PAUSED') {
    await log.close(pausedEntry(active))
    return { id, status, result, steps, environment }
  }
  // The experiment may end before a role could go on with the turn that it left open.
  const roles = plan.roles.map(({ name }) => name)
  if (active.isResumed) await cancelTurns(active, id, roles)
  await log.close({ kind: 'ended', status, result, steps, environment })
  return { id, status, result, steps, environment }
}

async function askLast(active: ActiveExperiment, end: End): Promise<End> {
  try {
    await askHooks(active, 'after-experiment', [], end)
    return end
  } catch (error) {
    return toEnd(active, error)
  }
}

function toEnd(active: ActiveExperiment, error: unknown): End {
  if (active.log.signal.aborted) throw active.log.signal.reason
  if (active.signal.aborted) return endOf.pause
  if (error instanceof ExperimentFailure) return { status: 'FAILED', result: error.message }
  throw error
}

const pausedEntry = ({ environment }: ActiveExperiment) => ({ kind: 'paused' as const, environment })
