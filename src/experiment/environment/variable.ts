import { cut } from '../../log/line.ts'
import { VariableError } from '../experiment-error.ts'

/** `enum:[sunny,rainy]`: one of these words. `int`: a safe integer. `float`: any number that JSON has. */
export type VariableType = 'string' | 'int' | 'float' | 'bool' | 'array' | 'object' | `enum:[${string}]`

export interface Declaration {
  readonly type: VariableType
  /** The value before the first step. */
  readonly value: unknown
}

export type Declarations = Readonly<Record<string, Declaration>>

/** The type of the environment that was declared. */
export type EnvironmentOf<D extends Declarations> = { -readonly [Name in keyof D]: ValueOf<D[Name]> }

/** An environment without its types. */
export type Environment = Readonly<Record<string, unknown>>

type ValueOf<D extends Declaration> = D['type'] extends 'string'
  ? string
  : D['type'] extends 'int' | 'float'
    ? number
    : D['type'] extends 'bool'
      ? boolean
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
  if (plainTypes.has(type)) return true
  const words = wordsOf(type as VariableType) ?? ['']
  return !words.includes('') && new Set(words).size === words.length
}

/** Throws unless a value has its type. `checkJson` checks what is inside lists and objects. */
export function checkValue(variable: string, type: VariableType, value: unknown): void {
  const words = wordsOf(type)
  const isRight = words ? words.includes(value as string) : tests[type as keyof typeof tests](value)
  if (isRight) return
  const expected = words ? `one of ${words.join(', ')}` : names[type as keyof typeof names]
  throw new VariableError(variable, `expected ${expected}, got ${shown(value)}`)
}

/** Throws if a value cannot be stored as it is: a Date, a Map, NaN, undefined, a cycle. */
export function checkJson(variable: string, value: unknown, depth = 0): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number' && Number.isFinite(value)) return
  const isContainer = Array.isArray(value) || isPlainObject(value)
  if (!isContainer || depth > deepest) throw new VariableError(variable, `cannot hold ${shown(value)}`)
  const odd = Reflect.ownKeys(value as object).find(isNotStored)
  if (odd !== undefined) throw new VariableError(variable, notStored(odd))
  for (const inner of Object.values(value as object)) checkJson(variable, inner, depth + 1)
}

/** JSON drops symbols, and `__proto__` would become the prototype when it is read. */
export const isNotStored = (key: PropertyKey): boolean => typeof key === 'symbol' || key === '__proto__'
export const notStored = (key: PropertyKey): string => `no value can have the key ${String(key)}`

/** A value as an error shows it. */
export function shown(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value)
  try {
    return cut(JSON.stringify(value) ?? `a ${typeof value}`, 80)
  } catch {
    return `a ${typeof value} that is no JSON`
  }
}

const deepest = 100

const tests = {
  string: (value: unknown) => typeof value === 'string',
  int: (value: unknown) => Number.isSafeInteger(value),
  float: (value: unknown) => typeof value === 'number' && Number.isFinite(value),
  bool: (value: unknown) => typeof value === 'boolean',
  array: (value: unknown) => Array.isArray(value),
  object: (value: unknown) => isPlainObject(value),
} as const

const names = {
  string: 'a string',
  int: 'an int (a whole number)',
  float: 'a float (a number)',
  bool: 'a bool',
  array: 'an array',
  object: 'an object',
} as const

const plainTypes: ReadonlySet<string> = new Set(Object.keys(tests))

function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
