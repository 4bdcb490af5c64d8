import type { State, StateReading } from '../state/index.ts'
import { roundsFromEnd } from '../state/read-round.ts'
import { hasResultSince, readRounds, readState } from '../state/read-state.ts'
import { otherProject } from '../state/take-result.ts'
import {
  currentScope,
  OtherProjectError,
  type Scope,
  StateMissingError,
  StateUndeclaredError,
} from './request-context.ts'

export interface CurrentStateOptions<Value> {
  /** The tool's explicit input: wins over everything. */
  readonly input?: Value | undefined
}

export interface RequireStateOptions<Value> extends CurrentStateOptions<Value> {
  /** Replaces the state's own `missing` text. */
  readonly missing?: string
}

/**
 * A state's value for a tool of this request: the explicit input, else the value that a tool of this request remembered
 * (unless the conversation has a newer result), else the value in the conversation.
 */
export function currentState<Value, Start extends Value | undefined>(
  state: State<Value, Start>,
  { input }: CurrentStateOptions<Value> = {},
): Value | Start {
  return read(state, input).value as Value | Start
}

/** The state's value; throws StateMissingError, whose text tells the model which tool to use first. */
export function requireState<Value, Start extends Value | undefined>(
  state: State<Value, Start>,
  { input, missing = state.missing }: RequireStateOptions<Value> = {},
): Value {
  const { value, skipped } = read(state, input)
  if (value === undefined) throw new StateMissingError(state.name, missing, skipped)
  return value as Value
}

/** Keeps a tool's value for later tools of this request, until it stands in the conversation. */
export function rememberState<Value, Start extends Value | undefined>(
  state: State<Value, Start>,
  value: Value,
): void {
  const scope = currentScope()
  const own = checkOwn(scope, state, value)
  scope.remembered.set(state, { value: own, seq: scope.conversation.length })
}

function read(state: State<unknown>, input: unknown): Omit<StateReading<unknown>, 'entry'> {
  const scope = currentScope()
  if (input !== undefined) return { value: checkOwn(scope, state, input), skipped: [] }
  const { conversation, context, remembered } = scope
  const known = remembered.get(state)
  if (known && !hasResultSince(conversation, state, known.seq, context)) {
    return { value: known.value, skipped: [] }
  }
  const { older } = context
  if (!older) return readState(conversation, state, context)
  const before = older.get(state)
  if (!before) throw new StateUndeclaredError(state.name)
  return readRounds(roundsFromEnd(conversation), state, before, context)
}

/** Checks an explicit input like a result: a model can be talked into passing on an id of another project. */
function checkOwn(scope: Scope, state: State<unknown>, value: unknown): unknown {
  // A folded state is not checked as a whole: its single results were.
  const isForeign = !state.fold && otherProject(state, value, scope.context.projectId) !== undefined
  if (isForeign) throw new OtherProjectError(state.name)
  return value
}
