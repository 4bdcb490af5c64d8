import { askHooks } from './ask-hooks.ts'
import type { Wish } from './control.ts'
import { ExperimentFailure } from './experiment-error.ts'
import type { ExperimentEvent, ExperimentResult } from './experiment-event.ts'
import { cancelTurns, refold } from './open-turn.ts'
import type { Run } from './run.ts'
import { closeFailing, finishLeft } from './run-role.ts'
import { stepsOf } from './run-state.ts'
import { runStep } from './run-step.ts'

type End = Pick<ExperimentResult, 'status' | 'result'>

/** Runs an experiment from where it stands until it has ended or is paused. The lease is ours, and is given back. */
export async function* runExperiment(run: Run): AsyncGenerator<ExperimentEvent, ExperimentResult> {
  let isOver = false
  try {
    const { id, plan, isResumed, log } = run
    if (isResumed) await refold(run)
    const step = stepsOf(log.state) + 1
    yield { type: 'experiment-started', id, name: plan.name, step, isResumed }
    const result = yield* settle(run, yield* tryOut(run))
    isOver = true
    return yield* tell(result)
  } finally {
    // An error that is not the experiment's own, or nobody reads on: it can be resumed, and its lease need not run out.
    if (!isOver) await run.log.close(pausedEntry(run)).catch(run.log.leave)
  }
}

/** How it ends; a failure of the experiment is an end, a failure of the store or of the lease is none. */
async function* tryOut(run: Run): AsyncGenerator<ExperimentEvent, End> {
  try {
    return yield* runSteps(run)
  } catch (error) {
    return toEnd(run, error)
  }
}

async function* runSteps(run: Run): AsyncGenerator<ExperimentEvent, End> {
  const { plan, log } = run
  if (log.state.failing) {
    await closeFailing(run)
    return { status: 'FAILED', result: log.state.failing.result }
  }
  if (run.isResumed && log.state.ending) yield* finishLeft(run)
  if (stepsOf(log.state) === 0) yield* askHooks(run, 'before-experiment', [])
  for (;;) {
    run.signal.throwIfAborted()
    const { goal, ending } = log.state
    if (goal) return { status: goal.outcome === 'failed' ? 'FAILED' : 'COMPLETED', result: goal.description }
    if (ending?.stop !== undefined) return { status: 'STOPPED', result: ending.stop }
    run.step = stepsOf(log.state) + 1
    if (run.step > plan.maxSteps) return { status: 'FAILED', result: 'Max Steps Exceeded' }
    const wish = yield* runStep(run)
    if (wish) return ends[wish]
  }
}

/** Writes the end down, and gives the lease back with it. */
async function* settle(run: Run, end: End): AsyncGenerator<ExperimentEvent, ExperimentResult> {
  const { id, plan, log, environment } = run
  const steps = stepsOf(log.state)
  const { status, result } = end.status === 'PAUSED' ? end : yield* askLast(run, end)
  if (status === 'PAUSED') {
    await log.close(pausedEntry(run))
    return { id, status, result, steps, environment }
  }
  // It may have ended before the role whose turn was left could go on.
  const roles = plan.roles.map(({ name }) => name)
  if (run.isResumed) await cancelTurns(run, id, roles)
  await log.close({ kind: 'ended', status, result, steps, environment })
  return { id, status, result, steps, environment }
}

async function* askLast(run: Run, end: End): AsyncGenerator<ExperimentEvent, End> {
  try {
    yield* askHooks(run, 'after-experiment', [], end)
    return end
  } catch (error) {
    return toEnd(run, error)
  }
}

export function* tell(result: ExperimentResult): Generator<ExperimentEvent, ExperimentResult> {
  const { status, ...told } = result
  yield status === 'PAUSED' ? { type: 'paused', ...told } : { type: 'experiment-ended', status, ...told }
  return result
}

function toEnd(run: Run, error: unknown): End {
  if (run.log.signal.aborted) throw run.log.signal.reason
  if (run.signal.aborted) return ends.pause
  if (error instanceof ExperimentFailure) return { status: 'FAILED', result: error.message }
  throw error
}

export const ends: Readonly<Record<Wish, End>> = {
  pause: { status: 'PAUSED', result: 'Paused' },
  stop: { status: 'STOPPED', result: 'Stopped by User' },
}

const pausedEntry = ({ environment }: Run) => ({ kind: 'paused' as const, environment })
