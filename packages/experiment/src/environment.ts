import { attempt, cut, isContainer } from '@throughline/core/values'
import { normalizeText } from '@throughline/history/log'
import { applyPatches, createDraft, enablePatches, finishDraft, freeze } from 'immer'
import { VariableError } from './experiment-error.ts'

enablePatches()

/** A change of an environment as it is stored. */
export interface Patch {
  readonly op: 'add' | 'remove' | 'replace'
  readonly path: (string | number)[]
  readonly value?: unknown
}

export type VariableTypes = ReadonlyMap<string, VariableType>

/** Opens a draft for a tool; the environment changes only when the patches are applied. */
export function changeEnvironment(environment: Environment, types: VariableTypes) {
  const draft: Record<string, unknown> = createDraft(environment)
  return {
    draft,
    /** Returns the checked changes as they are stored. Throws a VariableError for a value that a variable cannot have. */
    finish(): readonly Patch[] {
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
export const applyChange = (environment: Environment, patches: readonly Patch[]): Environment =>
  patches.length === 0 ? environment : applyPatches(environment, patches)

/** A frozen deep copy: later changes by the caller do not reach it. */
export const copyEnvironment = (environment: Environment): Environment =>
  freeze(toStored(environment), true)

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
  if (op === 'remove' && path.length === 1)
    throw new VariableError(name, 'a variable cannot be removed')
  const odd = (path as readonly PropertyKey[]).find(isNotStored)
  if (odd !== undefined) throw new VariableError(name, notStored(odd))
  // Patches are applied key by key, and the key "constructor" leads out of the value.
  if (path.slice(0, -1).includes('constructor'))
    throw new VariableError(
      name,
      'what is under a key "constructor" can only be replaced, not changed',
    )
  checkValue(name, type, next[name])
  if (op !== 'remove') checkJson(name, value)
}

/** Converts a value as the store would, so that memory holds what will be read back. */
function toStored<T>(value: T): T {
  const text = JSON.stringify(value, (_, inner) =>
    typeof inner === 'string' ? normalizeText(inner) : inner,
  )
  return JSON.parse(text) as T
}

/** `enum:[sunny,rainy]`: one of these words. `int`: a safe integer. `float`: any number that JSON has. */
export type VariableType =
  | 'string'
  | 'int'
  | 'float'
  | 'bool'
  | 'array'
  | 'object'
  | `enum:[${string}]`

/** One variable of an environment. */
export interface Declaration {
  /** Every value that the variable ever has must be of it. */
  readonly type: VariableType
  /** The value before the first step. */
  readonly value: unknown
}

/** The variables of an environment, by name. */
export type Declarations = Readonly<Record<string, Declaration>>

/** The type of the environment that was declared. */
export type EnvironmentOf<D extends Declarations> = {
  -readonly [Name in keyof D]: ValueOf<D[Name]>
}

/** The values of the variables, by name: plain data. */
export type Environment = Readonly<Record<string, unknown>>

interface PlainValues {
  readonly string: string
  readonly int: number
  readonly float: number
  readonly bool: boolean
}

type ValueOf<D extends Declaration> = D['type'] extends keyof PlainValues
  ? PlainValues[D['type']]
  : D['type'] extends `enum:[${infer Words}]`
    ? WordOf<Words>
    : D['type'] extends 'array'
      ? ArrayOf<D['value']>
      : ObjectOf<D['value']>

type WordOf<Words extends string> = Words extends `${infer First},${infer Rest}`
  ? Trimmed<First> | WordOf<Rest>
  : Trimmed<Words>

type Trimmed<Word extends string> = Word extends ` ${infer Rest}`
  ? Trimmed<Rest>
  : Word extends `${infer Rest} `
    ? Trimmed<Rest>
    : Word

/** Lists and objects have the type of their first value; empty ones may hold anything. */
type ArrayOf<Value> = Value extends readonly (infer Item)[]
  ? [Item] extends [never]
    ? unknown[]
    : Item[]
  : unknown[]
type ObjectOf<Value> = Value extends object
  ? keyof Value extends never
    ? Record<string, unknown>
    : Value
  : Record<string, unknown>

/** The words of an enum; undefined for any other type. */
export function wordsOf(type: VariableType): readonly string[] | undefined {
  const words = /^enum:\[(.*)\]$/s.exec(type)?.[1]
  return words?.split(',').map(word => word.trim())
}

export function isVariableType(type: unknown): type is VariableType {
  if (typeof type !== 'string') return false
  if (Object.hasOwn(plainTypes, type)) return true
  const words = wordsOf(type as VariableType) ?? ['']
  return !words.includes('') && new Set(words).size === words.length
}

/** Throws unless a value has its type. `checkJson` checks what is inside lists and objects. */
export function checkValue(variable: string, type: VariableType, value: unknown): void {
  const words = wordsOf(type)
  const [expected, isRight] = words
    ? [`one of ${words.join(', ')}`, words.includes(value as string)]
    : [plainTypes[type as PlainType].name, plainTypes[type as PlainType].test(value)]
  if (!isRight) throw new VariableError(variable, `expected ${expected}, got ${shown(value)}`)
}

/** Throws if a value cannot be stored as it is: a Date, a Map, NaN, undefined, a cycle. */
export function checkJson(variable: string, value: unknown, depth = 0): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number' && Number.isFinite(value)) return
  if (!isContainer(value) || depth > deepest)
    throw new VariableError(variable, `cannot hold ${shown(value)}`)
  const odd = Reflect.ownKeys(value).find(isNotStored)
  if (odd !== undefined) throw new VariableError(variable, notStored(odd))
  for (const inner of Object.values(value)) checkJson(variable, inner, depth + 1)
}

/** JSON drops symbols, and `__proto__` would become the prototype when it is read. */
const isNotStored = (key: PropertyKey): boolean => typeof key === 'symbol' || key === '__proto__'
const notStored = (key: PropertyKey): string => `no value can have the key ${String(key)}`

function shown(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value)
  return attempt(
    () => cut(JSON.stringify(value) ?? `a ${typeof value}`, 80),
    `a ${typeof value} that is no JSON`,
  )
}

const deepest = 100

type PlainType = Exclude<VariableType, `enum:${string}`>

const plainTypes: Readonly<
  Record<PlainType, { readonly name: string; readonly test: (value: unknown) => boolean }>
> = {
  string: { name: 'a string', test: value => typeof value === 'string' },
  int: { name: 'an int (a whole number)', test: Number.isSafeInteger },
  float: { name: 'a float (a number)', test: Number.isFinite },
  bool: { name: 'a bool', test: value => typeof value === 'boolean' },
  array: { name: 'an array', test: Array.isArray },
  object: { name: 'an object', test: value => isContainer(value) && !Array.isArray(value) },
}
