import type { Model } from '../../models/model.ts'
import { InvalidPlanError } from '../experiment-error.ts'
import { compileGoals } from './cel-goal.ts'
import { defineExperiment, type ExperimentPlan } from './define-experiment.ts'
import type { ExperimentTools } from './experiment-tool.ts'
import type { Hook } from './hook.ts'
import { modelFor } from './model-for.ts'

import { type PlanJson, planSchema, type RoleJson } from './plan-json.ts'
import { policyFor } from './policy-for.ts'
import type { RoleOptions } from './role.ts'

export interface ParseExperimentOptions {
  /** The tools that the plan's module exports. */
  readonly tools?: ExperimentTools<Record<string, unknown>>
  readonly hooks?: readonly Hook<Record<string, unknown>>[]
  /** Makes the model that a role names. Default: `modelFor`. */
  readonly modelOf?: (model: string, role: string) => Model
}

/**
 * Reads a plan from JSON, as text or as a value. Goals are parsed and their types checked now; the error names the place.
 *
 * @example
 * const plan = parseExperiment(await readFile('plan.json', 'utf8'), { tools })
 */
export function parseExperiment(
  given: unknown,
  { tools = [], hooks = [], modelOf = modelFor }: ParseExperimentOptions = {},
): ExperimentPlan {
  const json = readJson(given)
  const { environment, goals = [], maxSteps, maxStepRetries } = json
  const compiled = compileGoals(goals, environment)
  const problems = [...compiled.problems]
  const roles = json.roles.map((role, at) => {
    try {
      return toOptions(role, modelOf)
    } catch (error) {
      problems.push(`roles[${at}].model: ${(error as Error).message}`)
      return undefined
    }
  })
  if (problems.length > 0) throw new InvalidPlanError(json.name, problems)
  const plan = defineExperiment({
    name: json.name,
    environment,
    roles: roles as readonly RoleOptions[],
    tools,
    goals: compiled.goals,
    hooks,
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...(maxStepRetries === undefined ? {} : { maxStepRetries }),
  })
  return { ...plan, json }
}

function readJson(given: unknown): PlanJson {
  let value = given
  if (typeof given === 'string') {
    try {
      value = JSON.parse(given)
    } catch (error) {
      throw new InvalidPlanError('?', [`it is no JSON: ${(error as Error).message}`])
    }
  }
  const { success, error } = planSchema.safeParse(value)
  // A copy of what was given, because the plan is stored as it was written, without the defaults of the schema.
  if (success) return JSON.parse(JSON.stringify(value)) as PlanJson
  const { name } = (value ?? {}) as { name?: unknown }
  throw new InvalidPlanError(
    typeof name === 'string' ? name : '?',
    error.issues.map(({ path, message }) => `${toPlace(path)}: ${message}`),
  )
}

/** `roles[1].tools[0]` */
function toPlace(path: readonly PropertyKey[]): string {
  const place = path.map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')
  return place.replace(/^\./, '') || 'the plan'
}

function toOptions(
  { model, policy, ...role }: RoleJson,
  modelOf: NonNullable<ParseExperimentOptions['modelOf']>,
): RoleOptions {
  const options = { ...role, model: modelOf(model, role.name) }
  return (policy === undefined ? options : { ...options, policy: policyFor(policy) }) as RoleOptions
}
