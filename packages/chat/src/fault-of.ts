import { ContextOverflowError } from '@throughline/core/context'
import {
  BadRequestError,
  InvalidMessageError,
  InvalidOptionError,
  NotFoundError,
  ThroughlineError,
} from '@throughline/core/errors'
import { ImportStoppedError } from '@throughline/history/transfer'
import type { HttpFault } from '@throughline/models/http'
import { ModelError } from '@throughline/models/model'
import { ConflictError, isStoreFault, LeaseError, storeFaultText } from '@throughline/stores/errors'

/** A status, a stable code, and words that hold nothing of a conversation. `more`: statuses of further codes. */
export function faultOf(error: unknown, more: Readonly<Record<string, number>> = {}): HttpFault {
  const otherwise = 'Something failed inside of the server: see its log.'
  if (!(error instanceof ThroughlineError))
    return { status: 500, code: 'internal_error', message: otherwise }
  const { code, message } = error
  if (error instanceof BadRequestError) return { status: 400, code, message, field: error.field }
  if (error instanceof NotFoundError)
    return { status: 404, code, message, isRetryable: false, field: error.field }
  if (error instanceof InvalidMessageError) return { status: 400, code: 'bad_request', message }
  if (error instanceof ModelError) {
    const { isRetryable, retryAfterMs, tokens: { prompt, window } = {} } = error
    const tokens = prompt === undefined || window === undefined ? undefined : { prompt, window }
    return { status: modelStatus(error), code, message, isRetryable, retryAfterMs, tokens }
  }
  if (error instanceof LeaseError) {
    // Errors of our own are in words for people already.
    const text = / thread /.test(message) ? leaseTexts[error.code] : message
    return { status: 409, code, message: text, isRetryable: true, retryAfterMs: error.retryAfterMs }
  }
  if (error instanceof ConflictError)
    return { status: 409, code, message: leaseTexts.lease_lost, isRetryable: false }
  if (error instanceof ContextOverflowError) {
    const { window, capacity, needed } = error
    // What is kept free for the reply and for miscounts belongs to the prompt: else it would be shorter than the window.
    const tokens = { prompt: needed + window - capacity, window }
    return {
      status: 400,
      code: 'context_too_long',
      message,
      details: message,
      tokens,
      isRetryable: false,
    }
  }
  if (error instanceof ImportStoppedError) {
    const cause = faultOf(error.cause, more)
    return { ...cause, code, message: `${error.progress} ${cause.message}` }
  }
  if (isStoreFault(error)) {
    const status = code === 'store_full' ? 507 : 503
    return { status, code, message: storeFaultText(code), isRetryable: status === 503 }
  }
  const status = more[code] ?? (statuses as Readonly<Record<string, number>>)[code] ?? 500
  const field = error instanceof InvalidOptionError ? error.option : undefined
  return { status, code, message, isRetryable: status === 503, field }
}

/** For people who chat: what the store says names threads and leases. */
const leaseTexts = {
  turn_open:
    'This chat is still being answered. Wait for the reply or stop it, then send your message again.',
  lease_lost:
    'This chat has gone on elsewhere meanwhile. Load it again, then send your message once more.',
} as const

function modelStatus({ code, status }: ModelError): number {
  if (code === 'context_too_long' || code === 'files_refused' || code === 'system_refused')
    return 400
  if (code === 'model_not_found') return 404
  if (code === 'model_busy') return status === 429 ? 429 : 503
  if (code === 'model_stalled') return 504
  if (status !== undefined && status >= 400 && status < 600) return status
  return 502
}

const statuses = {
  no_user: 401,
  no_route: 404,
  no_conversation: 404,
  no_branch: 404,
  conflict: 409,
  conversation_deleted: 410,
  too_large: 413,
  unsupported_type: 415,
  key_reused: 422,
  invalid_option: 400,
  invalid_text: 400,
} as const satisfies Readonly<Record<string, number>>

/** The codes of errors that have no class of their own. */
export type PlainFaultCode = keyof typeof statuses
