import { type ActiveExperiment, controlThread } from '../log/active-experiment.ts'
import { readWishes, type Wish } from '../log/wish.ts'
import { testGoals } from '../plan/goal.ts'
import { actInStep } from './act.ts'
import { askHooks } from './ask-hooks.ts'
import { letOthersRun } from './let-others-run.ts'
import { untilAborted } from './until-aborted.ts'

/** Takes one step: every role acts, then the goals are tested. Returns a wish as soon as one comes; the step stays open. */
export async function takeStep(active: ActiveExperiment): Promise<Wish | undefined> {
  const { step, plan, log, emit } = active
  await emit({ type: 'step-started', step, environment: active.environment })
  const { inject = [] } = await askHooks(active, 'before-step', [])
  for (const role of plan.roles) {
    await letOthersRun()
    active.signal.throwIfAborted()
    const wish = await findWish(active)
    if (wish) return wish
    if (log.state.ending) break
    await actInStep(active, role, inject)
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
  await log.append({ kind: 'step-ended', step, environment, ...(goal && { goal }) })
  await emit({ type: 'step-ended', step, environment })
  return undefined
}

async function findWish(active: ActiveExperiment): Promise<Wish | undefined> {
  const { wish } = await readWishes(controlThread(active, active.id), active.log.state.wishes)
  return wish ?? (await untilAborted(() => active.wishOf?.(active.id), active.signal))
}
