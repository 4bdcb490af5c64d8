import { linkSignals } from '../chat/link-signals.ts'
import { answerTurn } from './answer-turn.ts'
import { askHooks } from './ask-hooks.ts'
import { ExperimentFailure } from './experiment-error.ts'
import type { ExperimentEvent } from './experiment-event.ts'
import { openTurn, type RoleTurn, whenFree } from './open-turn.ts'
import type { Role } from './role.ts'
import { type Run, roleThread } from './run.ts'
import { stepTurns } from './step-turns.ts'

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
  yield* act(run, role, [...injected, ...(before.inject ?? [])])
}

/**
 * A hook has decided that the step ends, and then came a pause or a crash: the roles whose turns had begun finish them,
 * as they would have done.
 */
export async function* finishLeft(run: Run): AsyncGenerator<ExperimentEvent, void> {
  for (const role of run.plan.roles) {
    const thread = roleThread(run, run.id, role.name)
    const last = (await stepTurns(thread, run.step)).at(-1)
    const isLeft = last !== undefined && (await thread.status()).state !== 'idle'
    if (isLeft || last?.status === 'completed') yield* act(run, role, [])
  }
}

async function* act(run: Run, role: Role, input: readonly string[]): AsyncGenerator<ExperimentEvent, void> {
  const open = await openTurn(run, role, input)
  if (open) yield* finishTurn(run, role, open)
  yield* askHooks(run, 'after-role', [role.name], { role: role.name })
}

/** The turn ends, or it is left as it stands, for whoever resumes: nothing that was said or done is lost or done twice. */
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
    // Paused, or the store failed: it is not closed, so that it goes on with its next call and not from the start.
    if (!isOver) await open.turn.leave().catch(() => undefined)
  }
}

/** The end of an experiment that failed, where a crash came between: the turn that failed is closed. */
export async function closeFailing(run: Run): Promise<void> {
  const { role, code } = run.log.state.failing!
  const resumed = await whenFree(() => roleThread(run, run.id, role).resume(), run.signal)
  await resumed?.turn.fail(code)
}
