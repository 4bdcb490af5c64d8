import { showValue } from '../../log/show-value.ts'
import { copyEnvironment } from '../environment/environment.ts'
import {
  checkJson,
  checkValue,
  type Declarations,
  type EnvironmentOf,
  isVariableType,
} from '../environment/variable.ts'
import { InvalidPlanError } from '../experiment-error.ts'
import { type ExperimentTool, type ExperimentTools, makeTools } from './experiment-tool.ts'
import type { Goal } from './goal.ts'
import type { AnyHook, Hook } from './hook.ts'
import type { ExperimentPlan } from './plan.ts'
import { findRoleProblems, type RoleOptions, toRole } from './role.ts'

export interface ExperimentOptions<D extends Declarations> {
  readonly name: string
  /** The variables: `{ cash: { type: 'float', value: 20 } }`. */
  readonly environment: D
  /** Who acts in every step, in this order. */
  readonly roles: readonly RoleOptions<keyof D & string>[]
  readonly tools?: ExperimentTools<EnvironmentOf<D>>
  readonly goals?: readonly Goal<EnvironmentOf<D>>[]
  readonly hooks?: readonly Hook<EnvironmentOf<D>>[]
  /** Default 10. */
  readonly maxSteps?: number
  /** How often a failed model call is made again. Default 3. */
  readonly maxStepRetries?: number
}

/**
 * Makes a typed plan: goals are functions of the environment, tools change it through a draft. Throws an InvalidPlanError
 * that lists all problems.
 *
 * @example
 * const plan = defineExperiment({
 *   name: 'counting',
 *   environment: { count: { type: 'int', value: 0 } },
 *   roles: [{ name: 'counter', model: reader(), system: 'Call add with {}.' }],
 *   tools: ({ tool }) => [
 *     tool({ name: 'add', input: z.object({}), run: (_, { environment }) => ++environment.count }),
 *   ],
 *   goals: [{ description: 'counted to three', holds: ({ count }) => count >= 3 }],
 * })
 */
export function defineExperiment<D extends Declarations>(options: ExperimentOptions<D>): ExperimentPlan {
  const { name, environment, roles, goals = [], hooks = [], maxSteps = 10, maxStepRetries = 3 } = options
  const tools = makeTools(options.tools ?? [])
  const variables = Object.keys(environment)
  const names = { tools: new Set(tools.map(tool => tool.name)), variables: new Set(variables) }
  const problems = [
    ...(typeof name === 'string' && name !== '' ? [] : ['name: expected a name']),
    ...Object.entries(environment).flatMap(([variable, one]) => findVariableProblems(variable, one)),
    ...findToolProblems(tools),
    ...(roles.length > 0 ? [] : ['roles: expected at least one']),
    ...findRoleProblems(roles, names),
    ...goals.flatMap(({ description }, at) =>
      typeof description === 'string' && description !== ''
        ? []
        : [`goals[${at}].description: expected a text`],
    ),
    ...findCountProblems('maxSteps', maxSteps, 1),
    ...findCountProblems('maxStepRetries', maxStepRetries, 0),
  ]
  if (problems.length > 0) throw new InvalidPlanError(name, problems)
  const start = Object.fromEntries(Object.entries(environment).map(([key, { value }]) => [key, value]))
  return {
    name,
    variables: new Map(Object.entries(environment).map(([variable, { type }]) => [variable, type])),
    environment: copyEnvironment(start),
    roles: roles.map(role => toRole(role, [...names.tools])),
    tools: new Map(tools.map(tool => [tool.name, tool])),
    goals: [...goals] as unknown as readonly Goal[],
    hooks: [...hooks] as readonly AnyHook[],
    maxSteps,
    maxStepRetries,
  }
}

function findVariableProblems(variable: string, { type, value }: Declarations[string]): readonly string[] {
  const where = `environment.${variable}`
  // JSON and patches would take these names for properties that every object has.
  if (['__proto__', 'constructor', 'prototype'].includes(variable))
    return [`${where}: no variable can have this name`]
  if (!isVariableType(type))
    return [
      `${where}.type: expected string, int, float, bool, array, object or enum:[A,B], got "${String(type)}"`,
    ]
  try {
    checkValue(variable, type, value)
    checkJson(variable, value)
    return []
  } catch (error) {
    return [`${where}.value: ${(error as Error).message}`]
  }
}

function findToolProblems(tools: readonly ExperimentTool[]): readonly string[] {
  const seen = new Set<string>()
  return tools.flatMap(({ name }, at) => {
    const isTaken = seen.has(name)
    seen.add(name)
    return isTaken ? [`tools[${at}].name: another tool is called "${name}"`] : []
  })
}

function findCountProblems(option: string, count: number, least: number): readonly string[] {
  if (Number.isSafeInteger(count) && count >= least) return []
  return [`${option}: expected a whole number, ${least} or more, got ${showValue(count)}`]
}
