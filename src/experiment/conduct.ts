import { ExperimentFailure } from './experiment-error.ts'
import type { ExperimentResult } from './experiment-event.ts'
import { stepsOf } from './log/experiment-log.ts'
import { type ActiveExperiment, cancelTurns, foldStep } from './log/experiment-threads.ts'
import { endOf } from './log/wish.ts'
import { askHooks } from './step/ask-hooks.ts'
import { closeFailing, finishLeft, takeStep } from './step/take-step.ts'

type RunEnd = Pick<ExperimentResult, 'status' | 'result'>

/** Runs an experiment from where it stands until it has ended or is paused, then gives its lease back. */
export async function conduct(active: ActiveExperiment): Promise<ExperimentResult> {
  const { id, plan, isResumed, log } = active
  let isOver = false
  try {
    if (isResumed) active.environment = await foldStep(active, log.state)
    await active.emit({ type: 'experiment-started', id, name: plan.name, step: active.step, isResumed })
    const end = await orEnd(active, () => takeSteps(active))
    const result = await settle(active, end)
    isOver = true
    return result
  } finally {
    // Left by its reader, or an error from outside the experiment: paused at once, so that the lease is free.
    if (!isOver) await log.close({ kind: 'paused', environment: active.environment }).catch(log.leave)
  }
}

async function takeSteps(active: ActiveExperiment): Promise<RunEnd> {
  const { plan, log } = active
  if (log.state.failing) {
    await closeFailing(active)
    return { status: 'FAILED', result: log.state.failing.result }
  }
  if (active.isResumed && log.state.ending) await finishLeft(active)
  if (active.step === 1) await askHooks(active, 'before-experiment', [])
  for (;;) {
    active.signal.throwIfAborted()
    const { goal, ending } = log.state
    if (goal) return { status: goal.outcome === 'failed' ? 'FAILED' : 'COMPLETED', result: goal.description }
    if (ending?.stop !== undefined) return { status: 'STOPPED', result: ending.stop }
    if (active.step > plan.maxSteps) return { status: 'FAILED', result: 'Max Steps Exceeded' }
    const wish = await takeStep(active)
    if (wish) return endOf[wish]
  }
}

/** Logs the end, which gives the lease back. */
async function settle(active: ActiveExperiment, end: RunEnd): Promise<ExperimentResult> {
  const { id, log, environment } = active
  const steps = stepsOf(log.state)
  const askLast = () => askHooks(active, 'after-experiment', [], end).then(() => end)
  const { status, result } = end.status === 'PAUSED' ? end : await orEnd(active, askLast)
  // The experiment may end before a role could go on with the turn that it left open.
  if (status !== 'PAUSED' && active.isResumed) await cancelTurns(active, log.state)
  await log.close(
    status === 'PAUSED'
      ? { kind: 'paused', environment }
      : { kind: 'ended', status, result, steps, environment },
  )
  return { id, status, result, steps, environment }
}

/** Works to an end. A failure of the experiment is an end; one of the store or the lease is thrown. */
async function orEnd(active: ActiveExperiment, work: () => Promise<RunEnd>): Promise<RunEnd> {
  try {
    return await work()
  } catch (error) {
    if (active.log.signal.aborted) throw active.log.signal.reason
    if (active.signal.aborted) return endOf.pause
    if (error instanceof ExperimentFailure) return { status: 'FAILED', result: error.message }
    throw error
  }
}
