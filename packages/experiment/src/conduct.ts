import { linkSignals } from '@throughline/chat/turn'
import { breathe } from '@throughline/history/log'
import { ExperimentFailure } from './experiment-error.ts'
import type { ExperimentResult } from './experiment-event.ts'
import { endOf, type RunEnd, readWishes, stepsOf, type Wish } from './log/experiment-log.ts'
import {
  type ActiveExperiment,
  cancelTurns,
  foldStep,
  stepTurns,
} from './log/experiment-threads.ts'
import { testGoals } from './plan/plan-json.ts'
import type { PlanRole } from './plan/role.ts'
import {
  answerRole,
  openTurn,
  type RoleTurn,
  type TurnInput,
  whenFree,
} from './step/answer-role.ts'
import { askHooks, untilAborted } from './step/ask-hooks.ts'

/** Runs an experiment from where it stands until it has ended or is paused, then gives its lease back. */
export async function conduct(active: ActiveExperiment): Promise<ExperimentResult> {
  const { id, plan, isResumed, log } = active
  let isOver = false
  try {
    if (isResumed) active.environment = await foldStep(active, log.state)
    await active.emit({
      type: 'experiment-started',
      id,
      name: plan.name,
      step: active.step,
      isResumed,
    })
    const end = await orEnd(active, () => takeSteps(active))
    const result = await settle(active, end)
    isOver = true
    return result
  } finally {
    // Left by its reader, or an error from outside the experiment: paused at once, so that the lease is free.
    if (!isOver) await log.close(endOf.pause, active.environment).catch(log.leave)
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
    if (goal)
      return {
        status: goal.outcome === 'failed' ? 'FAILED' : 'COMPLETED',
        result: goal.description,
      }
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
  await log.close({ status, result }, environment)
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

/** Takes one step: every role acts, then the goals are tested. Returns a wish as soon as one comes; the step stays open. */
async function takeStep(active: ActiveExperiment): Promise<Wish | undefined> {
  const { step, plan, log, emit } = active
  await emit({ type: 'step-started', step, environment: active.environment })
  const decision = await askHooks(active, 'before-step', [])
  for (const role of plan.roles) {
    // Where all answer at once, not even the lease would be renewed.
    await breathe()
    active.signal.throwIfAborted()
    const wish = await findWish(active)
    if (wish) return wish
    if (log.state.ending) break
    const { name } = role
    const before = await askHooks(active, 'before-role', [name], { role: name })
    if (before.skip) await emit({ type: 'role-ended', step, role: name, isSkipped: true })
    else if (!log.state.ending) await act(active, role, decision, before)
  }
  active.signal.throwIfAborted()
  if (log.state.ending?.stop !== undefined) return undefined
  await askHooks(active, 'after-step', [])
  const tests = testGoals(plan.goals, active.environment)
  for (const test of tests) await emit({ type: 'goal-tested', step, ...test })
  const place = tests.findIndex(({ isMet }) => isMet)
  const met = tests[place]
  const goal = met && { description: met.description, outcome: met.outcome, place }
  const { environment } = active
  await log.append({ kind: 'step-ended', step, environment, goal })
  await emit({ type: 'step-ended', step, environment })
  return undefined
}

/** Finishes the turns that a pause or a crash left open after a hook had ended the step. */
async function finishLeft(active: ActiveExperiment): Promise<void> {
  for (const role of active.plan.roles) {
    const thread = active.roleThread(role.name)
    const last = (await stepTurns(thread, active.step)).at(-1)
    const isLeft = last !== undefined && (await thread.status()).state !== 'idle'
    if (isLeft || last?.status === 'completed') await act(active, role)
  }
}

/** Closes the failed turn of an experiment that crashed while it was failing. */
async function closeFailing({ log, roleThread, signal }: ActiveExperiment): Promise<void> {
  const { role, code } = log.state.failing!
  const resumed = await whenFree(() => roleThread(role).resume(), signal)
  await resumed?.turn.fail(code)
}

async function findWish({
  id,
  control,
  log,
  wishOf,
  signal,
}: ActiveExperiment): Promise<Wish | undefined> {
  const { wish } = await readWishes(control, log.state.wishes)
  return wish ?? (await untilAborted(() => wishOf?.(id), signal))
}

async function act(
  active: ActiveExperiment,
  role: PlanRole,
  ...before: readonly TurnInput[]
): Promise<void> {
  const open = await openTurn(active, role, {
    inject: before.flatMap(({ inject = [] }) => inject),
    images: before.flatMap(({ images = [] }) => images),
  })
  if (open) await finishTurn(active, role, open)
  await askHooks(active, 'after-role', [role.name], { role: role.name })
}

/** Ends a turn, or leaves it open for a later resume, so that nothing is lost or done twice. */
async function finishTurn(active: ActiveExperiment, role: PlanRole, open: RoleTurn): Promise<void> {
  const at = { step: active.step, role: role.name }
  const { signal, unlink } = linkSignals(active.signal, open.turn.signal)
  let isOver = false
  try {
    await active.emit({ type: 'role-started', ...at })
    await answerRole(active, role, open, signal)
    isOver = true
    await active.emit({ type: 'role-ended', ...at, isSkipped: false })
  } catch (error) {
    if (error instanceof ExperimentFailure && !active.signal.aborted) {
      const { code, message: result } = error
      await active.log.append({ kind: 'failing', role: role.name, code, result })
      await open.turn.fail(code)
      isOver = true
    }
    throw error
  } finally {
    unlink()
    // Paused, or the store failed: the turn stays open, so that it goes on with its next call and not from the start.
    if (!isOver) await open.turn.leave().catch(() => undefined)
  }
}
