import type { PlainPolicy } from '@throughline/core/context'
import type { Fields } from '@throughline/core/fields'
import type { ModelSettings } from '@throughline/models/model'
import type { Environment, VariableType } from '../environment.ts'
import { ExperimentFailure } from '../experiment-error.ts'
import type { RoleOptions } from './role.ts'

/** A plan as JSON, to be stored and sent. Goals are CEL expressions, tools come from a module. */
export interface PlanJson {
  /** A title for people: many experiments may have it. */
  readonly name: string
  /** The variables by name: their types, and the values before the first step. */
  readonly environment: Readonly<
    Record<string, { readonly type: VariableType; readonly value: AnyJson }>
  >
  /** Who acts in every step, in this order. */
  readonly roles: readonly RoleJson[]
  /** The path of the module with the tools. The caller loads it. */
  readonly tools?: string | undefined
  /** Tested in order after every step; the first that holds ends the experiment. */
  readonly goals?: readonly GoalJson[] | undefined
  /** After how many steps the experiment fails. Default 10. */
  readonly maxSteps?: number | undefined
  /** How often a failed model call is made again. Default 3. */
  readonly maxStepRetries?: number | undefined
}

/** A role as JSON. Fields that are not named here are those of `RoleOptions`. */
export interface RoleJson
  extends Omit<RoleOptions, 'model' | 'policy' | 'notes' | 'history' | 'settings'> {
  /** `reader`, `ollama:<model>`, `openai:<base URL>#<model>`, or a name that the caller's `modelOf` knows. */
  readonly model: string
  /** Decides what is left out when not everything fits. Default `balanced`. */
  readonly policy?: PolicyJson
  /** Whether the role writes notes to itself. Default false. */
  readonly notes?: boolean
  /** Messages from before the first step. */
  readonly history?: readonly ({ readonly role: string } & Fields)[]
  /** How its model answers. Default: as the model was made. */
  readonly settings?: Pick<ModelSettings, 'temperature' | 'maxTokens' | 'seed' | 'stop'> & Fields
}

/** The name of a policy without options, or a policy with its one option. */
export type PolicyJson = PlainPolicy | { readonly sliding: number } | { readonly tiered: number }

export interface GoalJson extends Omit<Goal, 'holds'> {
  /** A CEL expression. */
  readonly holds: string
}

type AnyJson =
  | string
  | number
  | boolean
  | null
  | readonly AnyJson[]
  | { readonly [key: string]: AnyJson }

/** A goal. Goals are tested after each step, in order; the first that holds ends the experiment. */
export interface Goal<E = Environment> {
  /** The result of the experiment if the goal holds. */
  readonly description: string
  /** Whether the goal is met. What it throws ends the experiment as failed. */
  readonly holds: (environment: E) => boolean
  /** How the experiment ends if the goal holds. Default `completed`. */
  readonly outcome?: 'completed' | 'failed'
}

/** A goal, and whether it was met. */
export interface GoalTest extends Required<Omit<Goal, 'holds'>> {
  /** Goals behind one that was met are not tested. */
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
