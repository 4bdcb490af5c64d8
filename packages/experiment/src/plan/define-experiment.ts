import { type OptionNames, refuseUnknown, showValue } from '@throughline/core/errors'
import { isCount } from '@throughline/core/values'
import type { Declarations, Environment, EnvironmentOf, VariableTypes } from '../environment.ts'
import { checkJson, checkValue, copyEnvironment, isVariableType } from '../environment.ts'
import { InvalidPlanError } from '../experiment-error.ts'
import {
  defineExperimentTool,
  type ExperimentTool,
  type ExperimentTools,
} from './experiment-tool.ts'
import type { AnyHook, Hook } from './hook.ts'
import type { Goal, PlanJson } from './plan-json.ts'
import { findRoleProblems, type PlanRole, type RoleOptions, roleNames, toRole } from './role.ts'

/** What a plan is made of. */
export interface ExperimentOptions<D extends Declarations> {
  /** The name of the plan. */
  readonly name: string
  /** The variables: `{ cash: { type: 'float', value: 20 } }`. */
  readonly environment: D
  /** Who acts in every step, in this order. */
  readonly roles: readonly RoleOptions<keyof D & string>[]
  /** What roles can do: a list, or a function that makes one and knows the types of the environment. */
  readonly tools?: ExperimentTools<EnvironmentOf<D>>
  /** Conditions that end the experiment, tested in order after every step. */
  readonly goals?: readonly Goal<EnvironmentOf<D>>[]
  /** Functions that are asked before and after experiment, step, role, model call and tool. */
  readonly hooks?: readonly Hook<EnvironmentOf<D>>[]
  /** After how many steps the experiment fails. Default 10. */
  readonly maxSteps?: number
  /** How often a failed model call is made again. Default 3. */
  readonly maxStepRetries?: number
}

const planNames: OptionNames<ExperimentOptions<Declarations>> = {
  ...{
    name: 1,
    environment: 1,
    roles: 1,
    tools: 1,
    goals: 1,
    hooks: 1,
    maxSteps: 1,
    maxStepRetries: 1,
  },
}

/** A checked plan, ready to be run. Made by `defineExperiment` and `parseExperiment`. */
export interface ExperimentPlan {
  /** A title for people: many experiments may have it. */
  readonly name: string
  /** The types of the variables, by name. */
  readonly variables: VariableTypes
  /** The environment before the first step. */
  readonly environment: Environment
  /** Who acts, in this order. */
  readonly roles: readonly PlanRole[]
  /** The tools by name. */
  readonly tools: ReadonlyMap<string, ExperimentTool>
  /** Tested in order after every step. */
  readonly goals: readonly Goal[]
  /** Asked in order. */
  readonly hooks: readonly AnyHook[]
  /** After how many steps the experiment fails. */
  readonly maxSteps: number
  /** How often a failed model call is made again. */
  readonly maxStepRetries: number
  /** The JSON of a plan that was read by `parseExperiment`: stored, so that the experiment can be resumed without the file. */
  readonly json?: PlanJson
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
export function defineExperiment<D extends Declarations>(
  options: ExperimentOptions<D>,
): ExperimentPlan {
  refuseUnknown<ExperimentOptions<D>>(options, planNames)
  for (const role of options.roles) refuseUnknown(role, roleNames)
  const {
    name,
    environment,
    roles,
    goals = [],
    hooks = [],
    maxSteps = 10,
    maxStepRetries = 3,
  } = options
  const { tools: toolsOption = [] } = options
  const tools =
    typeof toolsOption === 'function' ? toolsOption({ tool: defineExperimentTool }) : toolsOption
  const declared = Object.entries(environment)
  const names = {
    tools: new Set(tools.map(tool => tool.name)),
    variables: new Set(Object.keys(environment)),
  }
  const problems = [
    ...(typeof name === 'string' && name !== '' ? [] : ['name: expected a name']),
    ...declared.flatMap(([variable, one]) => findVariableProblems(variable, one)),
    ...tools.flatMap(({ name }, at) =>
      tools.findIndex(one => one.name === name) < at
        ? [`tools[${at}].name: another tool is called "${name}"`]
        : [],
    ),
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
  return {
    name,
    variables: new Map(declared.map(([variable, { type }]) => [variable, type])),
    environment: copyEnvironment(
      Object.fromEntries(declared.map(([key, { value }]) => [key, value])),
    ),
    roles: roles.map(role => toRole(role, [...names.tools])),
    tools: new Map(tools.map(tool => [tool.name, tool])),
    goals: [...goals] as unknown as readonly Goal[],
    hooks: [...hooks] as readonly AnyHook[],
    maxSteps,
    maxStepRetries,
  }
}

function findVariableProblems(
  variable: string,
  { type, value }: Declarations[string],
): readonly string[] {
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

function findCountProblems(option: string, count: number, least: number): readonly string[] {
  if (isCount(count, least)) return []
  return [`${option}: expected a whole number, ${least} or more, got ${showValue(count)}`]
}
