import { answerTurn } from './answer-turn.ts'
import { askHooks } from './ask-hooks.ts'
import { ExperimentFailure } from './experiment-error.ts'
import type { ExperimentEvent } from './experiment-event.ts'
import { linkSignals } from './link-signals.ts'
import { openTurn, type RoleTurn, whenFree } from './open-turn.ts'
import type { Role } from './role.ts'
import { type Run, roleThread } from './run.ts'

/** Lets one role act in the current step, unless it has done so before. */
export async function* runRole(
  run: Run,
  role: Role,
  injected: readonly string[],
): AsyncGenerator<ExperimentEvent, void> {
  const at = { step: run.step, role: role.name }
  const before = yield* askHooks(run, 'before-role', [role.name], { role: role.name })
  if (before.skip) {
    yield { type: 'role-ended', ...at, isSkipped: true }
    return
  }
  if (run.log.state.ending) return
  const open = await openTurn(run, role, [...injected, ...(before.inject ?? [])])
  if (open) {
    yield* finishTurn(run, role, open)
  }
  yield* askHooks(run, 'after-role', [role.name], { role: role.name })
}

/** Whatever happens, the turn is closed: nothing that was said is lost, and no call is left without its result. */
async function* finishTurn(run: Run, role: Role, open: RoleTurn): AsyncGenerator<ExperimentEvent, void> {
  const at = { step: run.step, role: role.name }
  const { signal, unlink } = linkSignals(run.signal, open.turn.signal)
  let isOver = false
  try {
    yield { type: 'role-started', ...at }
    yield* answerTurn(run, role, { ...open, signal })
    isOver = true
    yield { type: 'role-ended', ...at, isSkipped: false }
  } catch (error) {
    if (error instanceof ExperimentFailure && !run.signal.aborted) {
      const { code, message: result } = error
      await run.log.append({ kind: 'failing', role: role.name, code, result })
      await open.turn.fail(code)
      isOver = true
    }
    throw error
  } finally {
    unlink()
    // Cancelled by the caller, or nobody reads on: the role acts again when the experiment is resumed.
    if (!isOver) await open.turn.cancel().catch(() => undefined)
  }
}

/** The end of an experiment that failed, where a crash came between: the turn that failed is closed. */
export async function closeFailing(run: Run): Promise<void> {
  const { role, code } = run.log.state.failing!
  const resumed = await whenFree(() => roleThread(run, run.id, role).resume(), run.signal)
  await resumed?.turn.fail(code)
}
