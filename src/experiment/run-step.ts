import { askHooks } from './ask-hooks.ts'
import { readWishes, type Wish } from './control.ts'
import type { ExperimentEvent } from './experiment-event.ts'
import { testGoals } from './goal.ts'
import { letOthersRun } from './let-others-run.ts'
import { controlThread, type Run } from './run.ts'
import { runRole } from './run-role.ts'
import { untilAborted } from './until-aborted.ts'

/** One step: every role acts, then the goals are tested. A wish that came is given back instead; the step is not over then. */
export async function* runStep(run: Run): AsyncGenerator<ExperimentEvent, Wish | undefined> {
  const { step, plan, log } = run
  yield { type: 'step-started', step, environment: run.environment }
  const { inject = [] } = yield* askHooks(run, 'before-step', [])
  for (const role of plan.roles) {
    await letOthersRun()
    run.signal.throwIfAborted()
    const wish = await findWish(run)
    if (wish) return wish
    if (log.state.ending) break
    yield* runRole(run, role, inject)
  }
  run.signal.throwIfAborted()
  if (log.state.ending?.stop !== undefined) return undefined
  yield* askHooks(run, 'after-step', [])
  const tests = testGoals(plan.goals, run.environment)
  for (const test of tests) yield { type: 'goal-tested', step, ...test }
  const place = tests.findIndex(({ isMet }) => isMet)
  const met = tests[place]
  const goal = met && { description: met.description, outcome: met.outcome, place }
  const { environment } = run
  await log.append({ kind: 'step-ended', step, environment, ...(goal && { goal }) })
  yield { type: 'step-ended', step, environment }
  return undefined
}

/** Whether somebody wants this run to pause or to stop. */
async function findWish(run: Run): Promise<Wish | undefined> {
  const { wish } = await readWishes(controlThread(run, run.id), run.log.state.wishes)
  return wish ?? (await untilAborted(() => run.wishOf?.(run.id), run.signal))
}
