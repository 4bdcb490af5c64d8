import { faultOf, type PlainFaultCode } from '../chat/fault-of.ts'
import { ContextOverflowError } from '../context/compose/finish.ts'
import { InvalidPlanError } from '../experiment/experiment-error.ts'
import type { ModelErrorCode } from '../models/model.ts'
import type { LeaseError } from '../stores/store-error.ts'
import type { FaceFault } from './faces/face.ts'
import { BusyError } from './guard/create-gate.ts'

/** An error as clients are told: a status, a stable code, and words that hold nothing of anybody's conversation. */
export function toFault(error: unknown): FaceFault {
  if (error instanceof BusyError) {
    const { code, message, retryAfterMs } = error
    return { status: 503, code, message, retryAfterMs, isRetryable: true }
  }
  const isTooLarge = error instanceof ContextOverflowError
  const fault = faultOf(isTooLarge ? new ContextOverflowError(error, largerRoom) : error, statuses)
  return error instanceof InvalidPlanError ? { ...fault, problems: error.problems } : fault
}

const largerRoom =
  'Give the model a larger window and say so to the server (the setting "window"), offer fewer tools, have their descriptions shortened ("maxToolTokens"), or have long texts cut ("overflow": "trim").'

/** The statuses of codes that only the server has. */
const statuses = {
  key_missing: 401,
  key_unknown: 401,
  no_scope: 403,
  name_not_allowed: 403,
  not_managed: 403,
  reply_cancelled: 499,
  client_left: 499,
  unsupported_encoding: 415,
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
} as const satisfies Readonly<Record<string, number>>

/** A code that clients may be told. */
export type FaultCode =
  | keyof typeof statuses
  | PlainFaultCode
  | ModelErrorCode
  | LeaseError['code']
  | BusyError['code']
  | 'no_model'
  | 'bad_request'
  | 'internal_error'
