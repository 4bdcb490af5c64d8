import type { History } from '../../history/index.ts'
import type { Store } from '../../stores/store.ts'
import type { ChatRequest, Face } from '../faces/face.ts'
import type { HeadersOf } from '../identity/known-client.ts'

/** The log of one tenant, as requests use it. */
export interface Log {
  readonly store: Store
  readonly history: History
  readonly tenant: string
}

/** A request for a reply, with everything that says where it belongs. */
export interface Asked {
  readonly log: Log
  readonly face: Face['name'] | 'ui-chat'
  readonly request: ChatRequest
  readonly headers: HeadersOf
  /** The client's key: lists of different keys are never taken for one another. */
  readonly keyId: string
  /** Aborted when the client has left. */
  readonly signal: AbortSignal
  readonly newId: () => string
  readonly now: () => number
}
