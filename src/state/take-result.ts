import { InvalidOptionError } from '../log/error.ts'
import type { State } from './define-state.ts'
import { freeze } from './freeze.ts'
import { parseJson } from './parse-json.ts'
import type { RoundResult } from './read-round.ts'
import { refusePromise } from './refuse-promise.ts'
import { shorten } from './shorten.ts'
import type { SchemaIssue } from './standard-schema.ts'

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

interface Memory {
  readonly text: string
  readonly taken: Taken
}

/** Values by message object and state, so that no result is validated twice. */
const memories = new WeakMap<object, WeakMap<object, Map<number, Memory>>>()

/** A state's value in a result, or why there is none. Throws only for a misused schema. */
export function takeResult(state: State<unknown>, result: RoundResult): Taken {
  if (result.isError) return { reason: 'error result', detail: shorten(result.text) }
  const byMessage = memories.get(state) ?? new WeakMap<object, Map<number, Memory>>()
  memories.set(state, byMessage)
  const known = byMessage.get(result.source) ?? new Map<number, Memory>()
  byMessage.set(result.source, known)
  const before = known.get(result.index)
  if (before !== undefined && before.text === result.text) return before.taken
  const taken = take(state, result)
  known.set(result.index, { text: result.text, taken })
  return taken
}

function take(state: State<unknown>, result: RoundResult): Taken {
  let json: unknown
  try {
    json = parseJson(result.text)
  } catch {
    const detail = result.text.trim() === '' ? 'it is empty' : `it begins with ${shorten(result.text)}`
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
    return { reason: 'does not match', detail: `the schema threw ${shorten(String(error))}` }
  }
}

function pick(state: State<unknown>, result: unknown): Taken {
  try {
    const value = state.pick ? refusePromise(state.pick(result), 'pick', state.name) : result
    if (value !== undefined) return { value: freeze(value) }
    return { reason: state.pick ? 'pick failed' : 'does not match', detail: 'it gave no value' }
  } catch (error) {
    if (error instanceof InvalidOptionError) throw error
    return { reason: 'pick failed', detail: shorten(String(error)) }
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
