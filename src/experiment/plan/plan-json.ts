import type { PlainPolicy } from '../../context/policies/choose-policy.ts'
import type { Fields } from '../../log/fields.ts'
import type { ModelSettings } from '../../models/model.ts'
import type { VariableType } from '../environment.ts'
import type { Goal } from './goal.ts'
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
