import type { PlainPolicy } from '../../context/policies/choose-policy.ts'
import type { Fields } from '../../log/fields.ts'
import type { ModelSettings } from '../../models/model.ts'
import type { Environment, VariableType } from '../environment.ts'
import { ExperimentFailure } from '../experiment-error.ts'
import type { RoleOptions } from './role.ts'

/** A plan as JSON, to be stored and sent. Goals are CEL expressions, tools come from a module. */
export interface PlanJson {
  readonly name: string
  readonly environment: Readonly<Record<string, { readonly type: VariableType; readonly value: AnyJson }>>
  readonly roles: readonly RoleJson[]
  /** The path of the module with the tools. The caller loads it. */
  readonly tools?: string | undefined
  readonly goals?: readonly GoalJson[] | undefined
  readonly maxSteps?: number | undefined
  readonly maxStepRetries?: number | undefined
}

export interface RoleJson extends Omit<RoleOptions, 'model' | 'policy' | 'notes' | 'history' | 'settings'> {
  /** `reader`, `ollama:<model>`, `openai:<base URL>#<model>`, or a name that the caller's `modelOf` knows. */
  readonly model: string
  readonly policy?: PolicyJson
  readonly notes?: boolean
  readonly history?: readonly ({ readonly role: string } & Fields)[]
  readonly settings?: Pick<ModelSettings, 'temperature' | 'maxTokens' | 'seed' | 'stop'> & Fields
}

/** The name of a policy without options, or a policy with its one option. */
export type PolicyJson = PlainPolicy | { readonly sliding: number } | { readonly tiered: number }

export interface GoalJson extends Omit<Goal, 'holds'> {
  /** A CEL expression. */
  readonly holds: string
}

type AnyJson = string | number | boolean | null | readonly AnyJson[] | { readonly [key: string]: AnyJson }

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
