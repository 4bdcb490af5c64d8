import { AsyncLocalStorage } from 'node:async_hooks'
import { InvalidOptionError } from '../log/error.ts'
import type { MessageLike } from '../log/message.ts'
import type { State, StateReading } from '../state/index.ts'
import { NoRequestContextError } from './errors.ts'

/** What every tool of a request can ask for without being handed it. */
export interface RequestContext<Data = unknown> {
  /** The whole conversation: as the client sent it, or as the store has it. Never a context cut to fit. */
  readonly conversation: readonly MessageLike[]
  /**
   * Present when `conversation` is only the newest part of a long one: what states were before it. To ask for another
   * state than these is an error, as it may stand in the part that is not here.
   */
  readonly older?: ReadonlyMap<State<unknown>, StateReading<unknown>>
  /** Whose request it is. States and ids of other projects are refused. */
  readonly projectId?: string
  /** The application's own. */
  readonly data?: Data
}

/** A request as it runs. There is nothing of it outside: when the request ends, all of it is gone. */
export interface Scope {
  readonly context: RequestContext
  readonly conversation: MessageLike[]
  readonly remembered: Map<State<unknown>, Remembered>
}

export interface Remembered {
  readonly value: unknown
  /** How long the conversation was: a result at this place or after it is newer. */
  readonly seq: number
}

const storage = new AsyncLocalStorage<Scope>()

/**
 * Runs an action, and all that it starts, with a request context around it: through awaits, timers and streams that
 * it drives itself. A stream that it only returns is driven by its reader: give that one to `bindStream`.
 *
 * @example
 * await runWithContext({ conversation: messages, projectId }, () => agent.answer())
 */
export function runWithContext<T>(context: RequestContext, action: () => T): T {
  const { conversation, projectId } = context
  if (!Array.isArray(conversation)) {
    throw new InvalidOptionError('conversation', 'a request context needs the list of all messages')
  }
  // A project that got lost on the way must not mean that every project is allowed.
  if ('projectId' in context && (typeof projectId !== 'string' || projectId === '')) {
    throw new InvalidOptionError(
      'projectId',
      'must be a text that is not empty; leave it out if there are none',
    )
  }
  const own = [...conversation]
  const frozen = Object.freeze({ ...context, conversation: own })
  return storage.run({ context: frozen, conversation: own, remembered: new Map() }, action)
}

/** The context of the request that this runs in. Throws NoRequestContextError outside of any. */
export function getContext<Data = unknown>(): RequestContext<Data> {
  return currentScope().context as RequestContext<Data>
}

export function hasContext(): boolean {
  return storage.getStore() !== undefined
}

/** Adds what was said and done during the request: results in it are newer than what tools remembered before. */
export function appendToConversation(...messages: readonly MessageLike[]): void {
  const { conversation } = currentScope()
  for (const message of messages) conversation.push(message)
}

/** The action, to be called from anywhere: it runs in the request context of the place where it was bound. */
export function bindContext<Parameters extends readonly unknown[], T>(
  action: (...parameters: Parameters) => T,
): (...parameters: Parameters) => T {
  const scope = currentScope()
  return (...parameters) => storage.run(scope, action, ...parameters)
}

export function currentScope(): Scope {
  const scope = storage.getStore()
  if (scope === undefined) throw new NoRequestContextError()
  return scope
}
