import { applyPatches, createDraft, enablePatches, finishDraft, freeze, type Patch } from 'immer'
import { VariableError } from '../experiment-error.ts'
import {
  checkJson,
  checkValue,
  type Environment,
  isNotStored,
  notStored,
  type VariableType,
} from './variable.ts'

enablePatches()

export type { Patch }

/** The types of all variables, by name. */
export type VariableTypes = ReadonlyMap<string, VariableType>

/** A change of an environment that may still be thrown away. */
export interface EnvironmentChange {
  readonly draft: Record<string, unknown>
  /** What was changed, checked, as it is stored. Throws a VariableError for a value that a variable cannot have. */
  finish(): readonly Patch[]
}

/** Lets a tool change an environment; nothing has happened before its patches are applied. */
export function changeEnvironment(environment: Environment, types: VariableTypes): EnvironmentChange {
  const draft = createDraft(environment as Record<string, unknown>)
  return {
    draft,
    finish() {
      let patches: readonly Patch[] = []
      const next = finishDraft(draft, made => {
        patches = made
      }) as Environment
      for (const patch of patches) checkPatch(patch, next, types)
      return toStored(patches)
    },
  }
}

/** The environment after a change. Always from patches as they are stored: a resumed run must find the same. */
export function applyChange(environment: Environment, patches: readonly Patch[]): Environment {
  return patches.length === 0 ? environment : applyPatches(environment, patches)
}

/** A copy of its own that nobody can change: whatever a caller does with what he gave, this stays. */
export function copyEnvironment(environment: Environment): Environment {
  return freeze(toStored(environment), true)
}

/** What a role may see: a deep copy of the variables of its whitelist; an empty one means all. */
export function visibleTo(environment: Environment, variables: readonly string[]): Environment {
  const names = variables.length === 0 ? Object.keys(environment) : variables
  return toStored(Object.fromEntries(names.map(name => [name, environment[name]])))
}

function checkPatch({ path, op, value }: Patch, next: Environment, types: VariableTypes): void {
  const name = String(path[0])
  const type = types.get(name)
  if (path.length === 0 || type === undefined)
    throw new VariableError(name, 'there is no such variable; declare it in the environment')
  if (op === 'remove' && path.length === 1) throw new VariableError(name, 'a variable cannot be removed')
  const odd = (path as readonly PropertyKey[]).find(isNotStored)
  if (odd !== undefined) throw new VariableError(name, notStored(odd))
  // Patches are applied one key after the other, and this one leads out of the value.
  if (path.slice(0, -1).includes('constructor'))
    throw new VariableError(name, 'what is under a key "constructor" can only be replaced, not changed')
  checkValue(name, type, next[name])
  if (op !== 'remove') checkJson(name, value)
}

/** Through JSON, and without what no store takes: then what is in memory is what will be read back. */
function toStored<T>(value: T): T {
  const text = JSON.stringify(value, (_, inner) => (typeof inner === 'string' ? normalize(inner) : inner))
  return JSON.parse(text) as T
}

const normalize = (text: string) => text.replace(/\p{Surrogate}|\0/gu, '\uFFFD')
