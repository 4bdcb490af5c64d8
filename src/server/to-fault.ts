import { ContextOverflowError } from '../context/compose/finish.ts'
import { InvalidPlanError } from '../experiment/index.ts'
import { InvalidMessageError, InvalidOptionError, ThroughlineError } from '../log/error.ts'
import { ModelError } from '../models/model.ts'
import { LeaseError } from '../stores/store-error.ts'
import { BadRequestError } from './bad-request-error.ts'
import type { FaceFault } from './faces/face.ts'
import { BusyError } from './guard/create-gate.ts'
import { NotFoundError } from './not-found-error.ts'

/** An error as clients are told: a status, a stable code, and words that hold nothing of anybody's conversation. */
export function toFault(error: unknown): FaceFault {
  if (error instanceof BadRequestError) {
    const { field } = error
    return { status: 400, code: error.code, message: error.message, ...(field !== undefined && { field }) }
  }
  if (error instanceof NotFoundError) {
    const { field, code, message } = error
    return { status: 404, code, message, isRetryable: false, ...(field !== undefined && { field }) }
  }
  if (error instanceof InvalidMessageError)
    return { status: 400, code: 'bad_request', message: error.message }
  if (error instanceof ModelError) return modelFault(error)
  if (error instanceof LeaseError) {
    const { retryAfterMs } = error
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
    return { status: 409, code: error.code, message: error.message, isRetryable: true, ...wait }
  }
  if (error instanceof BusyError) {
    const { code, message, retryAfterMs } = error
    return { status: 503, code, message, retryAfterMs, isRetryable: true }
  }
  if (error instanceof ContextOverflowError) {
    const tokens = { prompt: error.needed + error.reserve, window: error.window }
    return { status: 400, code: 'context_too_long', message: error.message, tokens, isRetryable: false }
  }
  if (error instanceof ThroughlineError) {
    const status = statuses[error.code] ?? 500
    return {
      ...{ status, code: error.code, message: error.message, isRetryable: status === 503 },
      ...(error instanceof InvalidOptionError && { field: error.option }),
      ...(error instanceof InvalidPlanError && { problems: error.problems }),
    }
  }
  return {
    status: 500,
    code: 'internal_error',
    message: 'Something failed inside of the server: see its log.',
  }
}

function modelFault({ code, message, status, retryAfterMs, isRetryable, tokens }: ModelError): FaceFault {
  return {
    status: modelStatus(code, status),
    code,
    message,
    isRetryable,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(tokens && { tokens }),
  }
}

function modelStatus(code: string, status: number | undefined): number {
  if (code === 'context_too_long') return 400
  if (code === 'model_not_found') return 404
  if (code === 'model_busy') return status === 429 ? 429 : 503
  if (code === 'model_stalled') return 504
  if (status !== undefined && status >= 400 && status < 600) return status
  return 502
}

const statuses: Readonly<Record<string, number>> = {
  key_missing: 401,
  key_unknown: 401,
  no_scope: 403,
  name_not_allowed: 403,
  not_managed: 403,
  no_route: 404,
  key_reused: 422,
  reply_cancelled: 499,
  no_conversation: 404,
  no_branch: 404,
  conversation_deleted: 410,
  too_large: 413,
  unsupported_encoding: 415,
  conflict: 409,
  invalid_option: 400,
  invalid_text: 400,
  store_full: 507,
  store_unavailable: 503,
  outcome_unknown: 503,
  store_busy: 503,
  store_locked: 503,
  invalid_import: 400,
  invalid_plan: 400,
  invalid_variable: 400,
  no_experiment: 404,
  unknown_role: 404,
  experiment_exists: 409,
  experiment_ended: 409,
  plan_changed: 409,
  too_many_listeners: 503,
  too_many_experiments: 503,
  too_slow: 503,
}
