import { z } from 'zod'
import { type PlainPolicy, plainPolicies } from '../../context/policies/choose-policy.ts'
import { isVariableType, type VariableType } from '../environment.ts'

const text = z.string().min(1)
const count = z.int().min(1)
const type = z.custom<VariableType>(isVariableType, {
  error: 'expected string, int, float, bool, array, object or enum:[A,B]',
})
const policyNames = Object.keys(plainPolicies) as PlainPolicy[]

const policy = z.union(
  [z.enum(policyNames), z.strictObject({ sliding: count }), z.strictObject({ tiered: count })],
  { error: `expected ${policyNames.join(', ')}, { "sliding": 50 } or { "tiered": 2 }` },
)

const settings = z.looseObject({
  temperature: z.number().optional(),
  maxTokens: count.optional(),
  seed: z.int().optional(),
  stop: z.array(z.string()).optional(),
})

const role = z.strictObject({
  name: text,
  /** `reader`, `ollama:<model>`, `openai:<base URL>#<model>`, or a name that the caller's `modelOf` knows. */
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

/** A plan as JSON, to be stored and sent. Goals are CEL expressions, tools come from a module. */
export const planSchema = z.strictObject({
  name: text,
  environment: z.record(z.string(), z.strictObject({ type, value: z.json() })),
  roles: z.array(role).min(1),
  /** The path of the module with the tools. The caller loads it. */
  tools: text.optional(),
  goals: z
    .array(
      z.strictObject({ description: text, holds: text, outcome: z.enum(['completed', 'failed']).optional() }),
    )
    .optional(),
  maxSteps: count.optional(),
  maxStepRetries: z.int().min(0).optional(),
})

export type PlanJson = z.input<typeof planSchema>
export type RoleJson = z.input<typeof role>
export type PolicyJson = z.input<typeof policy>
