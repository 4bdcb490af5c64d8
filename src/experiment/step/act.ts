import { linkSignals } from '../../turn/index.ts'
import { ExperimentFailure } from '../experiment-error.ts'
import { type ActiveExperiment, roleThread } from '../log/active-experiment.ts'
import { stepTurns } from '../log/step-turns.ts'
import type { Role } from '../plan/role.ts'
import { answerRole } from './answer-role.ts'
import { askHooks } from './ask-hooks.ts'
import { openTurn, type RoleTurn, whenFree } from './open-turn.ts'

/** Lets a role act in the current step, unless it has acted already. */
export async function actInStep(
  active: ActiveExperiment,
  role: Role,
  injected: readonly string[],
): Promise<void> {
  const at = { step: active.step, role: role.name }
  const before = await askHooks(active, 'before-role', [role.name], { role: role.name })
  if (before.skip) return active.emit({ type: 'role-ended', ...at, isSkipped: true })
  if (active.log.state.ending) return
  await act(active, role, [...injected, ...(before.inject ?? [])])
}

/**
 * Finishes the turns that were open when a hook ended the step and then a pause or a crash came: without it they would
 * have been finished too.
 */
export async function finishLeft(active: ActiveExperiment): Promise<void> {
  for (const role of active.plan.roles) {
    const thread = roleThread(active, active.id, role.name)
    const last = (await stepTurns(thread, active.step)).at(-1)
    const isLeft = last !== undefined && (await thread.status()).state !== 'idle'
    if (isLeft || last?.status === 'completed') await act(active, role, [])
  }
}

async function act(active: ActiveExperiment, role: Role, input: readonly string[]): Promise<void> {
  const open = await openTurn(active, role, input)
  if (open) await finishTurn(active, role, open)
  await askHooks(active, 'after-role', [role.name], { role: role.name })
}

/** Ends a turn, or leaves it open for a later resume, so that nothing is lost or done twice. */
async function finishTurn(active: ActiveExperiment, role: Role, open: RoleTurn): Promise<void> {
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

/** Closes the failed turn of an experiment that crashed while it was failing. */
export async function closeFailing(active: ActiveExperiment): Promise<void> {
  const { role, code } = active.log.state.failing!
  const resumed = await whenFree(() => roleThread(active, active.id, role).resume(), active.signal)
  await resumed?.turn.fail(code)
}
