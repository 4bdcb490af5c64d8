import { faultOf, type PlainFaultCode } from '@throughline/chat/reply'
import { ContextOverflowError } from '@throughline/core/context'
import { ThroughlineError } from '@throughline/core/errors'
import { ImportStoppedError } from '@throughline/history/transfer'
import type { AdapterFault } from '@throughline/models/dialects'
import type { ModelErrorCode } from '@throughline/models/model'
import { isStoreFault, type LeaseError, type StoreProblem } from '@throughline/stores/errors'
import { BusyError } from './guard/create-gate.ts'

/**
 * An error as clients are told: a status, a stable code, and a message without texts of conversations. `more`: statuses of
 * further codes.
 */
export function toFault(error: unknown, more: Readonly<Record<string, number>> = {}): AdapterFault {
  if (error instanceof BusyError) {
    const { code, message, retryAfterMs } = error
    return { status: 503, code, message, retryAfterMs, isRetryable: true }
  }
  if (error instanceof ContextOverflowError) return overflowFault(error)
  const fault = faultOf(error, { ...statuses, ...more })
  // The operator reads what clients do not.
  const cause = error instanceof ImportStoppedError ? error.cause : error
  if (isStoreFault(cause)) return { ...fault, failure: (cause as Error).message }
  if (fault.code === 'internal_error') return { ...fault, failure: failureOf(error) }
  return error instanceof ThroughlineError && error.problems
    ? { ...fault, problems: error.problems }
    : fault
}

/** The kind of an error and where it was thrown. Its message may hold texts of conversations. */
function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const frames = (error.stack ?? '').split('\n').filter(line => /^\s+at /.test(line))
  return [error.name, ...frames.slice(0, mostFrames).map(line => line.trim())].join(' ')
}

const mostFrames = 4

/** An error in the words of our own API. */
export function errorBody({ code, message, field, problems }: AdapterFault) {
  return { error: { code, message, field, problems } }
}

/** A prompt that does not fit. If system prompt and tools alone do not, another code keeps programs from compacting in vain. */
function overflowFault(error: ContextOverflowError): AdapterFault {
  const { needed, capacity, window, parts } = error
  // What is kept free grows with the window.
  const share = capacity > 0 ? window / capacity : 2
  const least = Math.ceil((needed * share) / 1024) * 1024
  const advice = `Give the model a window of at least ${least} tokens and start the server with --window ${least}; or offer fewer tools, have their descriptions shortened (--max-tool-tokens), or have old long messages cut (--overflow trim).`
  const fault = faultOf(new ContextOverflowError(error, advice))
  const fixed = (parts.system ?? 0) + (parts.tools ?? 0)
  if (fixed <= capacity) return fault
  const message = `The window of the model is too small for this program: its system prompt and its tools take ${fixed} tokens, and the window has ${window}. ${advice} ${error.message.slice(0, error.message.indexOf('. ') + 1)}`
  return { status: 400, code: 'window_too_small', message, isRetryable: false }
}

/** The statuses of codes that only the server has. */
const statuses = {
  key_missing: 401,
  key_unknown: 401,
  no_scope: 403,
  name_not_allowed: 403,
  not_managed: 403,
  no_websocket: 426,
  reply_cancelled: 499,
  client_left: 499,
  unsupported_encoding: 415,
  pins_too_large: 400,
  invalid_import: 400,
  too_many_listeners: 503,
  too_slow: 503,
} as const satisfies Readonly<Record<string, number>>

export type FaultCode =
  | keyof typeof statuses
  | PlainFaultCode
  | ModelErrorCode
  | LeaseError['code']
  | StoreProblem
  | 'outcome_unknown'
  | BusyError['code']
  | 'no_model'
  | 'window_too_small'
  | 'bad_request'
  | 'internal_error'
