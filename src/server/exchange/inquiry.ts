import type { History } from '../../history/index.ts'
import type { LogSource } from '../../history/log/read-log.ts'
import type { Store, ThreadKey } from '../../stores/store.ts'
import type { ChatRequest } from '../adapters/adapter.ts'
import type { HeadersOf } from '../identity/known-client.ts'

export interface Log {
  readonly store: Store
  readonly history: History
  readonly tenant: string
}

export const logOfPerson = (log: Log, person: string | undefined): Log =>
  person === undefined || person === log.history.person
    ? log
    : { ...log, history: log.history.of(log.tenant, { person }) }

/** The log as the person uses it whom the request names, else as this one does. */
export const logOfSpeaker = (log: Log, person: string | undefined): Log =>
  logOfPerson(log, log.history.person ?? person)

/** Where the messages of a thread are read from. */
export const sourceOf = ({ store, history }: Log, key: ThreadKey): LogSource => ({
  ...{ store, key, count: history.count },
})

/** A request for a reply, with everything that says where it belongs. */
export interface Inquiry {
  readonly log: Log
  /** Where it came in: the name of an adapter, or `ui-chat`. */
  readonly adapter: string
  readonly request: ChatRequest
  readonly headers: HeadersOf
  /** The client's key, and the person if no conversation is named: lists of different keys or people are never matched. */
  readonly keyId: string
  /** Aborted when the client has left, or the reply was cancelled. */
  readonly signal: AbortSignal
  readonly newId: () => string
  readonly now: () => number
}
