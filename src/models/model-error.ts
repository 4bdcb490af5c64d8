import { ThroughlineError } from '../log/error.ts'

export type ModelErrorCode =
  /** 429, or a quota: try again later. */
  | 'model_busy'
  /** 5xx, or no server answers at the address. */
  | 'model_unavailable'
  /** 404: the provider does not have this model. */
  | 'model_not_found'
  /** 400, 401, 403 and the like: trying again does not help. */
  | 'model_refused'
  /** The prompt is longer than the window. */
  | 'context_too_long'
  /** The model was silent for too long. */
  | 'model_stalled'
  /** The stream broke off, or cannot be read. */
  | 'model_stream_broken'
  /** An optional client library is not installed. */
  | 'client_missing'

/** Why a model did not answer, and whether to try again. Never holds the texts that were sent. */
export class ModelError extends ThroughlineError {
  /** The HTTP status, if there was one. */
  readonly status?: number
  readonly isRetryable: boolean
  /** How long the provider asks us to wait. */
  readonly retryAfterMs?: number
  /** For a prompt that is too long: its tokens and the window, if the provider told them. */
  readonly tokens?: OverflowTokens

  constructor(
    code: ModelErrorCode,
    message: string,
    { status, retryAfterMs, isRetryable = retryable.has(code), tokens, cause }: ModelErrorFacts = {},
  ) {
    super(code, message, { cause })
    if (status !== undefined) this.status = status
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs
    if (tokens !== undefined) this.tokens = tokens
    this.isRetryable = isRetryable
  }
}

export interface ModelErrorFacts {
  readonly status?: number | undefined
  readonly retryAfterMs?: number | undefined
  readonly isRetryable?: boolean | undefined
  readonly tokens?: OverflowTokens | undefined
  readonly cause?: unknown
}

/** What a provider counted in a prompt that it refused as too long. */
export interface OverflowTokens {
  readonly prompt: number
  readonly window: number
}

const retryable: ReadonlySet<ModelErrorCode> = new Set([
  'model_busy',
  'model_unavailable',
  'model_stalled',
  'model_stream_broken',
])
