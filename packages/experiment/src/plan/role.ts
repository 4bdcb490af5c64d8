import type { TurnOptions } from '@throughline/chat/turn'
import { type Policy, sliding } from '@throughline/core/context'
import type { OptionNames } from '@throughline/core/errors'
import type { MessageLike } from '@throughline/core/messages'
import { isCount } from '@throughline/core/values'
import { experimentActor } from '@throughline/history/log'
import type { Model } from '@throughline/models/model'

/** A role acts once in every step, and has a memory of its own. */
export interface RoleOptions<Variable extends string = string>
  extends Pick<TurnOptions, 'notes' | 'settings'> {
  /** A name that no other role has. */
  readonly name: string
  /** Who acts: a language model, `reader()`, or `rules(…)`. */
  readonly model: Model
  /** The system prompt: put first in every call, not part of the log. */
  readonly system?: string
  /** The names of the tools that the role may use. Default: all. */
  readonly tools?: readonly string[]
  /** The variables that the role may see. Default: all. */
  readonly variables?: readonly Variable[]
  /** The tokens that the model can take, prompt and reply together. Default: what the model says, else 4096. */
  readonly window?: number
  /** The part of the window that is kept free for the reply. Default: an eighth of it. */
  readonly reserve?: number
  /** Decides what is left out when not everything fits. Default `balanced()`. */
  readonly policy?: Policy
  /**
   * The most messages of the past to send: short for the policy `sliding`. What is protected is sent besides: the first user
   * message, the latest one and the last round.
   */
  readonly cap?: number
  /** Messages from before the first step. Where the role has a system prompt of its own, earlier ones are left out. */
  readonly history?: readonly MessageLike[]
  /** How often the model may be asked in one turn. Default 5. */
  readonly maxRounds?: number
}

export const roleNames: OptionNames<RoleOptions> = {
  ...{ name: 1, model: 1, system: 1, tools: 1, variables: 1, window: 1, reserve: 1 },
  ...{ policy: 1, cap: 1, notes: 1, history: 1, settings: 1, maxRounds: 1 },
}

/** A role with its defaults filled in. */
export type PlanRole = Omit<RoleOptions, 'cap'> &
  Required<Pick<RoleOptions, 'tools' | 'variables' | 'history' | 'settings' | 'maxRounds'>>

/** The actor of the thread of wishes. Stored: the name must not change. */
export const controlActor = 'throughline:control'

export function toRole(options: RoleOptions, allTools: readonly string[]): PlanRole {
  const {
    cap,
    tools = allTools,
    variables = [],
    history = [],
    settings = {},
    maxRounds = 5,
  } = options
  const {
    policy = cap === undefined ? undefined : sliding({ messages: cap }),
    cap: _,
    ...rest
  } = options
  return {
    ...{
      ...rest,
      policy,
      maxRounds,
      tools: [...tools],
      variables: [...variables],
      settings: { ...settings },
    },
    history: history.filter(({ role }) => role !== 'system' || options.system === undefined),
  }
}

export function findRoleProblems(
  roles: readonly RoleOptions[],
  {
    tools,
    variables,
  }: { readonly tools: ReadonlySet<string>; readonly variables: ReadonlySet<string> },
): readonly string[] {
  const names = new Set<string>()
  return roles.flatMap((role, at) => {
    const where = `roles[${at}]`
    const problems: string[] = []
    if (typeof role.name !== 'string' || role.name === '')
      problems.push(`${where}.name: expected a name`)
    else if (role.name === experimentActor || role.name === controlActor)
      problems.push(`${where}.name: "${role.name}" is reserved`)
    else if (names.has(role.name))
      problems.push(`${where}.name: another role is called "${role.name}"`)
    names.add(role.name)
    if (typeof role.model?.stream !== 'function') problems.push(`${where}.model: expected a model`)
    for (const [n, tool] of (role.tools ?? []).entries())
      if (!tools.has(tool)) problems.push(`${where}.tools[${n}]: there is no tool "${tool}"`)
      else if (role.tools!.indexOf(tool) < n)
        problems.push(`${where}.tools[${n}]: "${tool}" is named twice`)
    for (const [n, name] of (role.variables ?? []).entries())
      if (!variables.has(name))
        problems.push(`${where}.variables[${n}]: there is no variable "${name}"`)
    for (const option of ['window', 'cap', 'maxRounds'] as const)
      if (role[option] !== undefined && !isCount(role[option], 1))
        problems.push(`${where}.${option}: expected a whole number above 0`)
    const { reserve = 0, window = Number.POSITIVE_INFINITY } = role
    if (!isCount(reserve)) problems.push(`${where}.reserve: expected a whole number, 0 or more`)
    else if (reserve >= window)
      problems.push(`${where}.reserve: leaves nothing of a window of ${window}`)
    if (role.cap !== undefined && role.policy) problems.push(`${where}.cap: has a policy already`)
    return problems
  })
}
