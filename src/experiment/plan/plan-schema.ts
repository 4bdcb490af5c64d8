import { z } from 'zod'
import { plainNames } from '../../context/policies/choose-policy.ts'
import { isVariableType, type VariableType } from '../environment.ts'
import type { PlanJson } from './plan-json.ts'

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
export const planSchema: z.ZodType<PlanJson> = z.strictObject({
  name: text,
  environment: z.record(z.string(), z.strictObject({ type, value: z.json() })),
  roles: z.array(role).min(1),
  tools: text.optional(),
  goals: z.array(goal).optional(),
  maxSteps: count.optional(),
  maxStepRetries: z.int().min(0).optional(),
})
