import type { MessageLike } from '../log/message.ts'
import { readMessage } from '../log/parse-message.ts'
import type { State, StateReading } from '../state/index.ts'
import { roundsFromEnd } from '../state/read-round.ts'
import { hasResultSince, readRounds, readState } from '../state/read-state.ts'
import { otherProject } from '../state/take-result.ts'
import {
  currentScope,
  OtherProjectError,
  type RequestContext,
  type Scope,
  StateMissingError,
  StateUndeclaredError,
} from './request-context.ts'

export interface CurrentStateOptions<Value> {
  /** The tool's explicit input: wins over everything. */
  readonly input?: Value | undefined
  /**
   * Takes only a value that stood in the conversation before the newest user message: one that the user has seen and
   * answered. For tools that act on what the user has confirmed. Default false.
   */
  readonly fromEarlierTurn?: boolean
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
  options: CurrentStateOptions<Value> = {},
): Value | Start {
  return read(state, options).value as Value | Start
}

/** The state's value; throws StateMissingError, whose text tells the model which tool to use first. */
export function requireState<Value, Start extends Value | undefined>(
  state: State<Value, Start>,
  { missing = state.missing, ...options }: RequireStateOptions<Value> = {},
): Value {
  const { value, skipped } = read(state, options)
  if (value === undefined) throw new StateMissingError(state.name, missing, skipped)
  return value as Value
}

/** Keeps a tool's value for later tools of this request, until it stands in the conversation. */
export function rememberState<Value, Start extends Value | undefined>(
  state: State<Value, Start>,
  value: Value,
): void {
  const scope = currentScope()
  const checked = checkOwn(scope, state, value)
  scope.remembered.set(state, { value: checked, seq: scope.conversation.length })
}

function read(state: State<unknown>, { input, fromEarlierTurn = false }: CurrentStateOptions<unknown>) {
  const scope = currentScope()
  if (input !== undefined) return { value: checkOwn(scope, state, input), skipped: [] }
  const { conversation, context, remembered } = scope
  if (fromEarlierTurn) return readIn(beforeNewestUser(conversation), state, context)
  const memory = remembered.get(state)
  if (memory && !hasResultSince(conversation, state, memory.seq, context))
    return { value: memory.value, skipped: [] }
  return readIn(conversation, state, context)
}

/** Reads a state in messages, and in what stands before them. `undefined`: where they end is not known. */
function readIn(
  messages: readonly MessageLike[] | undefined,
  state: State<unknown>,
  context: RequestContext,
): StateReading<unknown> {
  const { older } = context
  if (!messages) return { value: state.initial, skipped: [] }
  if (!older) return readState(messages, state, context)
  const before = older.get(state)
  if (!before) throw new StateUndeclaredError(state.name)
  return readRounds(roundsFromEnd(messages), state, before, context)
}

/** The messages of earlier turns. Undefined if no user message is in view: then nothing is known to be earlier. */
function beforeNewestUser(messages: readonly MessageLike[]): readonly MessageLike[] | undefined {
  const at = messages.findLastIndex((message, seq) => readMessage(message, seq).role === 'user')
  return at < 0 ? undefined : messages.slice(0, at)
}

/** Checks an explicit input like a result: a model can be talked into passing on an id of another project. */
function checkOwn(scope: Scope, state: State<unknown>, value: unknown): unknown {
  // A folded state is not checked as a whole: its single results were.
  const isForeign = !state.fold && otherProject(state, value, scope.context.projectId) !== undefined
  if (isForeign) throw new OtherProjectError(state.name)
  return value
}
