import type { Environment } from '../environment.ts'
import { ExperimentFailure } from '../experiment-error.ts'

/** A goal. Goals are tested after each step, in order; the first that holds ends the experiment. */
export interface Goal<E = Environment> {
  /** The result of the experiment if the goal holds. */
  readonly description: string
  readonly holds: (environment: E) => boolean
  /** How the experiment ends if the goal holds. Default `completed`. */
  readonly outcome?: 'completed' | 'failed'
}

export interface GoalTest extends Required<Omit<Goal, 'holds'>> {
  readonly isMet: boolean
}

/** Tests goals until one holds. */
export function testGoals(goals: readonly Goal[], environment: Environment): readonly GoalTest[] {
  const tests: GoalTest[] = []
  for (const { description, holds, outcome = 'completed' } of goals) {
    try {
      tests.push({ description, outcome, isMet: holds(environment) === true })
    } catch (error) {
      const why = error instanceof Error ? error.message.split('\n', 1)[0] : String(error)
      const result = `Error: The goal "${description}" cannot be tested: ${why}`
      throw new ExperimentFailure('goal_failed', result, { cause: error })
    }
    if (tests.at(-1)?.isMet) break
  }
  return tests
}
