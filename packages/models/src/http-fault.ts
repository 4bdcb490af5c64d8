/** An error as clients are told over HTTP. */
export interface HttpFault {
  readonly status: number
  /** Our own stable code: `bad_request`, `context_too_long`, `model_unavailable` … */
  readonly code: string
  readonly message: string
  /** Where in the body: `messages[3].content`. */
  readonly field?: string
  readonly retryAfterMs?: number
  /** For a prompt that is too long. */
  readonly tokens?: { readonly prompt: number; readonly window: number }
  /** What takes the room, and what to do: told behind the words that clients look for. */
  readonly details?: string
  /** Whether trying again may help; a client library is told so. */
  readonly isRetryable?: boolean
}
