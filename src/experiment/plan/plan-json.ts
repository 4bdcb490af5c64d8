import type { PlainPolicy } from '../../context/policies/choose-policy.ts'
import type { VariableType } from '../environment.ts'

/** A plan as JSON, to be stored and sent. Goals are CEL expressions, tools come from a module. */
export interface PlanJson {
  readonly name: string
  readonly environment: Readonly<Record<string, VariableJson>>
  readonly roles: readonly RoleJson[]
  /** The path of the module with the tools. The caller loads it. */
  readonly tools?: string | undefined
  readonly goals?: readonly GoalJson[] | undefined
  readonly maxSteps?: number | undefined
  readonly maxStepRetries?: number | undefined
}

export interface RoleJson {
  readonly name: string
  /** `reader`, `ollama:<model>`, `openai:<base URL>#<model>`, or a name that the caller's `modelOf` knows. */
  readonly model: string
  readonly system?: string | undefined
  readonly tools?: readonly string[] | undefined
  readonly variables?: readonly string[] | undefined
  readonly window?: number | undefined
  readonly reserve?: number | undefined
  readonly policy?: PolicyJson | undefined
  readonly cap?: number | undefined
  readonly notes?: boolean | undefined
  readonly history?: readonly MessageJson[] | undefined
  readonly settings?: SettingsJson | undefined
  readonly maxRounds?: number | undefined
}

/** The name of a policy without options, or a policy with its one option. */
export type PolicyJson = PlainPolicy | { readonly sliding: number } | { readonly tiered: number }

export interface GoalJson {
  readonly description: string
  /** A CEL expression. */
  readonly holds: string
  readonly outcome?: 'completed' | 'failed' | undefined
}

interface VariableJson {
  readonly type: VariableType
  readonly value: AnyJson
}

interface MessageJson {
  readonly role: string
  readonly [field: string]: unknown
}

interface SettingsJson {
  readonly temperature?: number | undefined
  readonly maxTokens?: number | undefined
  readonly seed?: number | undefined
  readonly stop?: readonly string[] | undefined
  readonly [setting: string]: unknown
}

type AnyJson = string | number | boolean | null | readonly AnyJson[] | { readonly [key: string]: AnyJson }
