import { type Policy, plainNames, plainPolicies, sliding, tiered } from '@throughline/core/context'
import { InvalidOptionError, refuseUnknown } from '@throughline/core/errors'
import { ollama, openaiCompatible } from '@throughline/models/dialects'
import type { Model } from '@throughline/models/model'
import { reader } from '@throughline/models/reader'
import { z } from 'zod'
import { isVariableType, type VariableType } from '../environment.ts'
import { InvalidPlanError } from '../experiment-error.ts'
import { compileGoals } from './cel-goal.ts'
import { defineExperiment, type ExperimentPlan } from './define-experiment.ts'
import type { ExperimentTools } from './experiment-tool.ts'
import type { Hook } from './hook.ts'
import type { PlanJson, PolicyJson } from './plan-json.ts'
import type { RoleOptions } from './role.ts'

/** What a plan in JSON cannot hold. */
export interface ParseExperimentOptions {
  /** The tools that the plan's module exports. */
  readonly tools?: ExperimentTools<Record<string, unknown>>
  /** Functions that are asked before and after steps, roles, model calls and tools. */
  readonly hooks?: readonly Hook<Record<string, unknown>>[]
  /** Makes the model that a role names. Default `modelFor`. */
  readonly modelOf?: (model: string, role: string) => Model
}

/**
 * Reads a plan from JSON, as text or as a value. Goals are parsed and their types checked now; the error names the place.
 *
 * @example
 * const plan = parseExperiment(await readFile('plan.json', 'utf8'), { tools })
 */
export function parseExperiment(
  source: unknown,
  options: ParseExperimentOptions = {},
): ExperimentPlan {
  refuseUnknown(options, { tools: 1, hooks: 1, modelOf: 1 })
  const { tools = [], hooks = [], modelOf = modelFor } = options
  const json = readJson(source)
  const compiled = compileGoals(json.goals ?? [], json.environment)
  const problems = [...compiled.problems]
  const roles = json.roles.flatMap(({ model, policy, ...role }, at) => {
    try {
      const options = {
        ...role,
        model: modelOf(model, role.name),
        policy: policy && toPolicy(policy),
      }
      return [options as RoleOptions]
    } catch (error) {
      problems.push(`roles[${at}].model: ${(error as Error).message}`)
      return []
    }
  })
  if (problems.length > 0) throw new InvalidPlanError(json.name, problems)
  return { ...defineExperiment({ ...json, roles, tools, goals: compiled.goals, hooks }), json }
}

function readJson(source: unknown): PlanJson {
  let value = source
  if (typeof source === 'string') {
    try {
      value = JSON.parse(source)
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
  const place = path
    .map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
  return place.replace(/^\./, '') || 'the plan'
}

function toPolicy(policy: PolicyJson): Policy {
  if (typeof policy === 'string') return plainPolicies[policy]
  return 'sliding' in policy
    ? sliding({ messages: policy.sliding })
    : tiered({ full: policy.tiered })
}

/** The model of a plan: `reader`, `ollama:<model>` or `openai:<base URL>#<model>`. Plans hold no keys: pass your own `modelOf`. */
export function modelFor(name: string): Model {
  if (name === 'reader') return reader()
  const [, kind, rest = ''] = /^(ollama|openai):(.+)$/s.exec(name) ?? []
  if (kind === 'ollama') return ollama({ model: rest })
  const [, baseURL, model] = /^(.+)#([^#]+)$/s.exec(rest) ?? []
  if (kind === 'openai' && baseURL && model) return openaiCompatible({ baseURL, model })
  const problem = `expected reader, ollama:<model> or openai:<base URL>#<model>, got "${name}"`
  throw new InvalidOptionError('model', problem)
}

const text = z.string().min(1)
const count = z.int().min(1)
const type = z.custom<VariableType>(isVariableType, {
  error: 'expected string, int, float, bool, array, object or enum:[A,B]',
})

const policy = z.union(
  [z.enum(plainNames), z.strictObject({ sliding: count }), z.strictObject({ tiered: count })],
  { error: `expected ${plainNames.join(', ')}, { "sliding": 50 } or { "tiered": 2 }` },
)

const settings = z.looseObject({
  temperature: z.number().optional(),
  maxTokens: count.optional(),
  seed: z.int().optional(),
  stop: z.array(z.string()).optional(),
})

const role = z.strictObject({
  name: text,
  model: text,
  system: z.string().optional(),
  tools: z.array(text).optional(),
  variables: z.array(text).optional(),
  window: count.optional(),
  reserve: z.int().min(0).optional(),
  policy: policy.optional(),
  cap: count.optional(),
  notes: z.boolean().optional(),
  history: z.array(z.looseObject({ role: text })).optional(),
  settings: settings.optional(),
  maxRounds: count.optional(),
})

const goal = z.strictObject({
  description: text,
  holds: text,
  outcome: z.enum(['completed', 'failed']).optional(),
})

/** Checks a plan. Its type is written by hand, because the declarations of the package must not need zod. */
const planSchema: z.ZodType<PlanJson> = z.strictObject({
  name: text,
  environment: z.record(z.string(), z.strictObject({ type, value: z.json() })),
  roles: z.array(role).min(1),
  tools: text.optional(),
  goals: z.array(goal).optional(),
  maxSteps: count.optional(),
  maxStepRetries: z.int().min(0).optional(),
})
