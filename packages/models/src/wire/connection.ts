/** Sends requests to one model server. It knows neither what they say nor what the answers mean. */
export interface ServerConnection {
  /** The address that all paths follow, without credentials. */
  readonly address: string
  secrets(): readonly string[]
  /** Gives the answer, whatever its status is. Redirects are not followed. Throws if there is none. */
  send(request: {
    readonly method: 'GET' | 'POST'
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string | Uint8Array<ArrayBuffer>
    readonly signal?: AbortSignal | undefined
    /** Whether no model is needed to answer: then the answer must come soon. */
    readonly isFact: boolean
  }): Promise<HttpAnswer>
}

export interface HttpAnswer {
  readonly status: number
  header(name: string): string | undefined
  /** All of them that may be handed on. */
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: AsyncIterable<Uint8Array>
  /** Ends the answer. If all of it was wanted, the connection is used again; else it is closed, so that the server stops. */
  close(isWhole: boolean): void
}
