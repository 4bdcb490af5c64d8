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

/** A draft of an environment, not yet applied. */
export interface EnvironmentChange {
  readonly draft: Record<string, unknown>
  /** Returns the checked changes as they are stored. Throws a VariableError for a value that a variable cannot have. */
  finish(): readonly Patch[]
}

/** Opens a draft for a tool; the environment changes only when the patches are applied. */
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

/** Applies patches as they are stored, so that a resumed experiment finds the same environment. */
export function applyChange(environment: Environment, patches: readonly Patch[]): Environment {
  return patches.length === 0 ? environment : applyPatches(environment, patches)
}

/** A frozen deep copy: later changes by the caller do not reach it. */
export function copyEnvironment(environment: Environment): Environment {
  return freeze(toStored(environment), true)
}

/** A deep copy of the variables that a role may see; an empty list means all. */
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
  // Patches are applied key by key, and the key "constructor" leads out of the value.
  if (path.slice(0, -1).includes('constructor'))
    throw new VariableError(name, 'what is under a key "constructor" can only be replaced, not changed')
  checkValue(name, type, next[name])
  if (op !== 'remove') checkJson(name, value)
}

/** Converts a value as the store would, so that memory holds what will be read back. */
function toStored<T>(value: T): T {
  const text = JSON.stringify(value, (_, inner) => (typeof inner === 'string' ? normalize(inner) : inner))
  return JSON.parse(text) as T
}

const normalize = (text: string) => text.replace(/\p{Surrogate}|\0/gu, '\uFFFD')
