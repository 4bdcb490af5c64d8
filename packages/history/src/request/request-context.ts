import { AsyncLocalStorage } from 'node:async_hooks'
import { InvalidOptionError, ThroughlineError } from '@throughline/core/errors'
import type { MessageLike } from '@throughline/core/messages'
import {
  hasResultSince,
  otherProject,
  placedFromEnd,
  readRounds,
  readState,
  roundsFromEnd,
  type SkippedResult,
  type State,
  type StateReading,
} from '@throughline/core/state'

/** What every tool of a request can read without being handed it. */
export interface RequestContext<Data = unknown> {
  /** The whole conversation, from the client or from the store. Never a context cut to fit a window. */
  readonly conversation: readonly MessageLike[]
  /** The readings of states before a `conversation` of only the newest messages. Asking for a state that it lacks is an error. */
  readonly older?: ReadonlyMap<State<unknown>, StateReading<unknown>>
  /** The project that makes the request. States and ids of other projects are refused. */
  readonly projectId?: string
  /** The application's own data. */
  readonly data?: Data
}

/** A running request. Nothing of it is kept elsewhere: it is gone when the request ends. */
interface Scope {
  readonly context: RequestContext
  readonly conversation: MessageLike[]
  /** Values, and the length of the conversation when they were remembered: a result at this place or later is newer. */
  readonly remembered: Map<State<unknown>, { readonly value: unknown; readonly seq: number }>
}

const storage = new AsyncLocalStorage<Scope>()

/**
 * Runs an action, and everything it starts, inside a request context: through awaits, timers and the streams that it
 * reads. A stream that the action returns is driven by its reader: pass it through `bindStream`.
 *
 * @example
 * await runWithContext({ conversation: messages, projectId }, () => agent.answer())
 */
export function runWithContext<T>(context: RequestContext, action: () => T): T {
  const { conversation, projectId } = context
  if (!Array.isArray(conversation))
    throw new InvalidOptionError('conversation', 'a request context needs the list of all messages')
  // A projectId that got lost on the way must not open all projects.
  if ('projectId' in context && (typeof projectId !== 'string' || projectId === ''))
    throw new InvalidOptionError(
      'projectId',
      'must be a text that is not empty; leave projectId out if the application has no projects',
    )
  const messages = [...conversation]
  const frozen = Object.freeze({ ...context, conversation: messages })
  return storage.run({ context: frozen, conversation: messages, remembered: new Map() }, action)
}

/** The context of the running request. Throws NoRequestContextError outside of a request. */
export const getContext = <Data = unknown>(): RequestContext<Data> =>
  currentScope().context as RequestContext<Data>

/** Whether a request context is running. The other functions throw without one. */
export const hasContext = (): boolean => storage.getStore() !== undefined

/** Adds messages that came up during the request: results in them are newer than values remembered before. */
export function appendToConversation(...messages: readonly MessageLike[]): void {
  const { conversation } = currentScope()
  for (const message of messages) conversation.push(message)
}

/** Binds an action to the present request context: wherever it is called from, it runs in that context. */
export function bindContext<Parameters extends readonly unknown[], T>(
  action: (...parameters: Parameters) => T,
): (...parameters: Parameters) => T {
  const scope = currentScope()
  return (...parameters) => storage.run(scope, action, ...parameters)
}

function currentScope(): Scope {
  const scope = storage.getStore()
  if (scope === undefined) throw new NoRequestContextError()
  return scope
}

/**
 * Throws OtherProjectError unless `owner`, the project of the thing with this id, is the request's project. For ids that
 * only a database knows: look the thing up, then check it before use. An owner of undefined (not found) is refused too.
 *
 * @example
 * const experiment = await database.experiment(id)
 * checkProject(id, experiment?.projectId)
 */
export function checkProject(id: string, owner: string | undefined): void {
  const { projectId } = getContext()
  if (projectId === undefined)
    throw new InvalidOptionError(
      'projectId',
      `"${id}" cannot be checked: give runWithContext a projectId`,
    )
  if (owner !== projectId) throw new OtherProjectError(id)
}

/**
 * Binds a stream to the present request context. Without it a generator or the `pull` of a stream runs in the context
 * of its reader, and a web server reads the body after the handler has returned, outside of all contexts.
 *
 * @example
 * return runWithContext(context, () => new Response(bindStream(agent.stream())))
 */
export function bindStream<T>(stream: ReadableStream<T>): ReadableStream<T>
export function bindStream<T>(stream: AsyncIterable<T>): AsyncIterableIterator<T, void, undefined>
export function bindStream<T>(
  stream: ReadableStream<T> | AsyncIterable<T>,
): ReadableStream<T> | AsyncIterableIterator<T, void, undefined> {
  return 'getReader' in stream ? bindReadable(stream) : bindIterable(stream)
}

function bindReadable<T>(stream: ReadableStream<T>): ReadableStream<T> {
  const reader = stream.getReader()
  const pull = async (controller: ReadableStreamDefaultController<T>) => {
    const { done, value } = await reader.read()
    if (done) controller.close()
    else controller.enqueue(value)
  }
  // Nothing is read ahead: the reader sets the pace.
  return new ReadableStream<T>(
    { pull: bindContext(pull), cancel: bindContext((reason: unknown) => reader.cancel(reason)) },
    { highWaterMark: 0 },
  )
}

function bindIterable<T>(stream: AsyncIterable<T>): AsyncIterableIterator<T, void, undefined> {
  const iterator = bindContext(() => stream[Symbol.asyncIterator]())()
  return {
    next: bindContext(() => iterator.next()),
    // A reader that leaves early still lets the generator clean up, in its own context.
    return: bindContext(async () => {
      await iterator.return?.()
      return { done: true, value: undefined } as const
    }),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Which value of a state is taken. */
export interface CurrentStateOptions<Value> {
  /** The tool's explicit input: wins over everything. */
  readonly input?: Value | undefined
  /** Takes only a value from before the newest user message: for tools that act on what the user has confirmed. Default false. */
  readonly fromEarlierTurn?: boolean
}

/** Which value of a state is taken, and what the model is told without one. */
export interface RequireStateOptions<Value> extends CurrentStateOptions<Value> {
  /** Replaces the state's own `missing` text. */
  readonly missing?: string
}

/** A state's value: the explicit input, else what a tool of this request remembered, unless the conversation has a newer result. */
export function currentState<Value, Start extends Value | undefined>(
  state: State<Value, Start>,
  options: CurrentStateOptions<Value> = {},
): Value | Start {
  return read(state, options).value as Value | Start
}

/** The state's value; throws StateMissingError, whose text tells the model which tool to use first. */
export function requireState<Value>(
  state: State<Value>,
  { missing = state.missing, ...options }: RequireStateOptions<Value> = {},
): Value {
  const { value, skipped } = read(state, options)
  if (value !== undefined) return value as Value
  const text = isBeingMade(state) ? `${missing} ${madeBeside}` : missing
  throw new StateMissingError(state.name, text, skipped)
}

/** Whether a tool of the state was called in the newest message, and has no result yet: it runs beside this one. */
function isBeingMade({ tools }: State<unknown>): boolean {
  const answered = new Set<string | undefined>()
  for (const { message } of placedFromEnd(currentScope().conversation)) {
    const { role, calls, results } = message
    if (role === 'user') return false
    if (calls.length > 0)
      return calls.some(({ id, name }) => tools.includes(name) && !answered.has(id))
    for (const { callId } of results) answered.add(callId)
  }
  return false
}

const madeBeside =
  'It was called in the same message and is not done: call it first and wait for its result (with toolsInOrder, the tools of one message wait for each other).'

/** Keeps a tool's value for later tools of this request, until it stands in the conversation. */
export function rememberState<Value>(state: State<Value>, value: Value): void {
  const scope = currentScope()
  const checked = checkOwn(scope, state, value)
  scope.remembered.set(state, { value: checked, seq: scope.conversation.length })
}

function read(
  state: State<unknown>,
  { input, fromEarlierTurn = false }: CurrentStateOptions<unknown>,
) {
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
  for (const { seq, message } of placedFromEnd(messages))
    if (message.role === 'user') return messages.slice(0, seq)
  return undefined
}

/** Checks an explicit input like a result: a model can be talked into passing on an id of another project. */
function checkOwn(scope: Scope, state: State<unknown>, value: unknown): unknown {
  // A folded state is not checked as a whole: its single results were.
  const isForeign = !state.fold && otherProject(state, value, scope.context.projectId) !== undefined
  if (isForeign) throw new OtherProjectError(state.name)
  return value
}

/** A function that needs a request context was called outside of one. */
export class NoRequestContextError extends ThroughlineError {
  /** The message says how to make a request context. */
  constructor() {
    super(
      'no_request_context',
      'There is no request context here: wrap the handler in runWithContext({ conversation }, …); callbacks and streams that are driven from outside of it need bindContext or bindStream',
    )
  }
}

/** A tool needs a state that has no value. The message is for the model: it says which tool makes one. */
export class StateMissingError extends ThroughlineError {
  /** The name of the state. */
  readonly state: string
  /** Results that were found and could not be used, with the reasons. */
  readonly skipped: readonly SkippedResult[]

  /** `message` is for the model: it names the tool that makes the value. */
  constructor(state: string, message: string, skipped: readonly SkippedResult[]) {
    super('state_missing', message)
    this.state = state
    this.skipped = skipped
  }
}

/** A thing belongs to another project. The message does not name that project, as it may reach the client. */
export class OtherProjectError extends ThroughlineError {
  /** The id that was checked, or the name of the state. */
  readonly subject: string

  /** `subject` is the id or the name of the state. */
  constructor(subject: string) {
    super(
      'other_project',
      `"${subject}" does not belong to the project of this request: use one that does`,
    )
    this.subject = subject
  }
}

/** A tool asked for a state that was not declared, in a conversation of which only the newest part is loaded. */
export class StateUndeclaredError extends ThroughlineError {
  /** The name of the state. */
  readonly state: string

  /** `state` is the name of the state. */
  constructor(state: string) {
    super(
      'state_undeclared',
      `This conversation is too long to be held whole, so the state "${state}" must be declared: name it in the \`state\` option of createChat`,
    )
    this.state = state
  }
}
