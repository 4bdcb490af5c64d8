import { createHistory, type History, type HistoryOptions } from '../../history/index.ts'
import type { LogSource } from '../../history/log/read-log.ts'
import type { Store, ThreadKey } from '../../stores/store.ts'
import type { ChatRequest } from '../adapters/adapter.ts'
import type { HeadersOf } from '../identity/known-client.ts'

export interface Log {
  readonly store: Store
  readonly history: History
  readonly tenant: string
}

/** The logs of all tenants on a store; those used last are held, with what they have in memory. */
export function createLogs(options: HistoryOptions & Pick<Log, 'store'>) {
  // One history for all: what it holds in memory is bounded once.
  const history = createHistory(options)
  const logs = new Map<string, Log>()
  return (tenant: string): Log => {
    const log = logs.get(tenant) ?? { store: options.store, tenant, history: history.of(tenant) }
    logs.delete(tenant)
    logs.set(tenant, log)
    if (logs.size > mostLogs) logs.delete(logs.keys().next().value!)
    return log
  }
}

const mostLogs = 100

export const logOfPerson = (log: Log, person: string | undefined): Log =>
  person === undefined || person === log.history.person
    ? log
    : { ...log, history: log.history.of(log.tenant, { person }) }

/** The log as the person uses it whom the request names, else as this one does. */
export const logOfSpeaker = (log: Log, person: string | undefined): Log =>
  logOfPerson(log, log.history.person ?? person)

export const sourceOf = ({ store, history: { count } }: Log, key: ThreadKey): LogSource => ({
  store,
  key,
  count,
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
