import type { ServerKind } from '@throughline/models/dialects'
import type { ModelServer, ServerQuestion } from '@throughline/models/wire'

/** The server or the built-in model that answers. It comes from the configuration, never from a request. */
export interface Upstream
  extends Pick<ModelServer, 'model' | 'models' | 'count'>,
    Partial<Pick<ModelServer, 'forms' | 'speaks' | 'refuseKinds' | 'passReply' | 'wishWindow'>> {
  readonly kind: ServerKind | 'reader'
  /** The address without credentials, for messages; undefined for the reader inside this process. */
  readonly address?: string
  /** Whether it has a key of its own. Else it is asked with the keys of clients. */
  readonly isKeyed?: boolean
  /** Asks it what is no reply. Absent for the reader inside this process. */
  ask?(question: ServerQuestion, isFact?: boolean): Promise<unknown>
  /** Sends a request on as it is, and gives the answer back byte for byte. */
  pass(request: PassedRequest): Promise<PassedAnswer>
  close(): Promise<void>
}

export interface PassedRequest {
  readonly method: string
  /** The path with its query, as the upstream knows it: `/api/tags`. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: AsyncIterable<Uint8Array> | Uint8Array
  readonly signal?: AbortSignal
}

export interface PassedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: AsyncIterable<Uint8Array>
}
