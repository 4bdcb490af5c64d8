import { InvalidOptionError } from '../log/error.ts'
import { cut } from '../log/line.ts'
import type { SchemaIssue, State } from './define-state.ts'
import { freeze } from './freeze.ts'
import type { RoundResult } from './read-round.ts'

/** Why a result of the right tool was not taken. */
export type SkipReason =
  | 'not JSON'
  | 'error result'
  | 'does not match'
  | 'pick failed'
  | 'fold failed'
  | 'other project'
  | 'no call'

export type Taken =
  | { readonly value: unknown; readonly reason?: undefined }
  | { readonly reason: SkipReason; readonly detail: string }

/** By its place in a message: a result's text, and what was taken from it. */
type ResultMemory = Map<number, { readonly text: string; readonly taken: Taken }>

/** Values by state and message object, so that no result is validated twice. */
const memories = new WeakMap<object, WeakMap<object, ResultMemory>>()

/** A state's value in a result, or why there is none. Throws only for a misused schema. */
function takeResult(state: State<unknown>, result: RoundResult): Taken {
  if (result.isStray) return { reason: 'no call', detail: 'it answers no call of its round' }
  if (result.isError) return { reason: 'error result', detail: shorten(result.text) }
  const byMessage = memories.get(state) ?? new WeakMap<object, ResultMemory>()
  memories.set(state, byMessage)
  const memory = byMessage.get(result.source) ?? (new Map() as ResultMemory)
  byMessage.set(result.source, memory)
  const before = memory.get(result.index)
  if (before !== undefined && before.text === result.text) return before.taken
  const taken = take(state, result)
  memory.set(result.index, { text: result.text, taken })
  return taken
}

function take(state: State<unknown>, result: RoundResult): Taken {
  let json: unknown
  try {
    json = parseJson(result.text)
  } catch {
    const detail =
      result.text.trim() === '' ? 'it is empty' : `it begins with ${shorten(result.text)}`
    return { reason: 'not JSON', detail }
  }
  const matched = validate(state, json)
  return matched.reason === undefined ? pick(state, matched.value) : matched
}

function validate(state: State<unknown>, json: unknown): Taken {
  try {
    const answer = refusePromise(state.schema['~standard'].validate(json), 'schema', state.name)
    if (answer.issues) return { reason: 'does not match', detail: describeIssues(answer.issues) }
    return { value: answer.value }
  } catch (error) {
    if (error instanceof InvalidOptionError) throw error
    return { reason: 'does not match', detail: `the schema threw ${shorten(error)}` }
  }
}

function pick(state: State<unknown>, result: unknown): Taken {
  try {
    const value = state.pick ? refusePromise(state.pick(result), 'pick', state.name) : result
    if (value !== undefined) return { value: freeze(value) }
    return { reason: state.pick ? 'pick failed' : 'does not match', detail: 'it gave no value' }
  } catch (error) {
    if (error instanceof InvalidOptionError) throw error
    return { reason: 'pick failed', detail: shorten(error) }
  }
}

function describeIssues(issues: readonly SchemaIssue[]): string {
  const lines = issues.slice(0, 3).map(({ message, path = [] }) => {
    const keys = path.map(key => String(typeof key === 'object' ? key.key : key))
    return keys.length > 0 ? `${keys.join('.')}: ${message}` : message
  })
  const more = issues.length > 3 ? `; and ${issues.length - 3} more` : ''
  return shorten(lines.join('; ')) + more
}

/** What a result must meet to count. */
export interface ReadStateOptions {
  /** Results of other projects are skipped. */
  readonly projectId?: string | undefined
}

/** The value of a result, if it belongs to the project. The project is checked here, as values are remembered without it. */
export function takeOwnResult(
  state: State<unknown>,
  result: RoundResult,
  options: ReadStateOptions,
): Taken {
  const taken = takeResult(state, result)
  if (taken.reason !== undefined) return taken
  const detail = otherProject(state, taken.value, options.projectId)
  return detail === undefined ? taken : { reason: 'other project', detail }
}

/** Why a value must not be used in this project, if so. The other project is not named: the text may reach the client. */
export function otherProject(
  state: State<unknown>,
  value: unknown,
  projectId?: string,
): string | undefined {
  if (projectId === undefined || state.belongsTo === undefined) return undefined
  let owner: unknown
  try {
    owner = state.belongsTo(value)
  } catch (error) {
    return `belongsTo threw ${shorten(error)}`
  }
  return owner === undefined || owner === projectId
    ? undefined
    : `it does not belong to project "${projectId}"`
}

/** Parses JSON from anywhere, without keys that reach a prototype (`__proto__`, `constructor`), as values may be merged later. */
function parseJson(text: string): unknown {
  // A reviver is slow, so it runs only if such a key, or an escape that may spell one, is in the text.
  return suspicious.test(text) ? JSON.parse(text, withoutPrototype) : JSON.parse(text)
}

const suspicious = /__proto__|"constructor"|\\u/

function withoutPrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') return undefined
  const reaches = typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
  return key === 'constructor' && reaches ? undefined : value
}

/** Refuses a promise: states are read synchronously, inside tools and between two messages. */
export function refusePromise<T>(
  value: T,
  option: 'schema' | 'pick' | 'fold',
  name: string,
): Exclude<T, PromiseLike<unknown>> {
  if (!isPromise(value)) return value as Exclude<T, PromiseLike<unknown>>
  // The promise is not awaited: its rejection must not end the process.
  Promise.resolve(value).catch(() => {})
  throw new InvalidOptionError(
    option,
    `state "${name}" is read synchronously, but its ${option} answers with a promise: check what needs waiting in the tool`,
  )
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'

export const shorten = (text: unknown) => cut(String(text), 120)
