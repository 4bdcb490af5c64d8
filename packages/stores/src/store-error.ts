import { InvalidOptionError, showValue, ThroughlineError } from '@throughline/core/errors'
import type { Lease, ThreadKey } from './store.ts'

/** Another writer has written to the thread: read again and retry. */
export class ConflictError extends ThroughlineError {
  /** The place that the writer took for the last one. */
  readonly expected: number
  /** The place of the last entry. */
  readonly actual: number

  /** `thread` as people read it: `nameOf` gives it. */
  constructor(thread: string, expected: number, actual: number) {
    super(
      'conflict',
      `Thread ${thread} is at ${actual}, expected ${expected}: read again and retry.`,
    )
    this.expected = expected
    this.actual = actual
  }
}

/** Another writer holds the turn, or this one's lease ran out and another went on. */
export class LeaseError extends ThroughlineError {
  /** `turn_open`: another writer holds the turn. `lease_lost`: this lease was taken over. */
  declare readonly code: 'turn_open' | 'lease_lost'
  /** The time until the turn is free, unless its holder renews the lease. Absent where waiting does not help. */
  readonly retryAfterMs?: number

  /** Without `retryAfterMs`, or with 0, the error does not say how long to wait. */
  constructor(code: 'turn_open' | 'lease_lost', message: string, retryAfterMs = 0) {
    super(code, message)
    if (retryAfterMs > 0) this.retryAfterMs = retryAfterMs
  }
}

/** The same idempotency key came with another body. */
export class KeyReusedError extends ThroughlineError {
  /** `key` is the idempotency key. */
  constructor(key: string) {
    const problem = `The idempotency key "${key}" was used before with another body`
    super('key_reused', `${problem}: use a new key for a new request.`)
  }
}

/** The conversation was deleted, or never existed. */
export class NoConversationError extends ThroughlineError {
  /** The code is `conversation_deleted` or `no_conversation`. */
  constructor(conversation: string, isDeleted: boolean) {
    const what = isDeleted ? 'was deleted' : 'does not exist'
    const code = isDeleted ? 'conversation_deleted' : 'no_conversation'
    super(code, `The conversation "${conversation}" ${what}.`)
  }
}

/** The conversation has no such branch. Histories make only `main` by writing to it: others come from `fork`. */
export class NoBranchError extends ThroughlineError {
  /** The message says how to make the branch. */
  constructor(conversation: string, branch: string) {
    const problem = `The conversation ${showValue(conversation)} has no branch ${showValue(branch)}`
    super(
      'no_branch',
      `${problem}: make it with thread.fork({ at, branch }), or leave "branch" out.`,
    )
  }
}

/** A text is over the limit that keeps one entry from taking a store down. */
export class TooLargeError extends ThroughlineError {
  /** The most that is taken, in the unit that the message names. */
  readonly limit: number

  /** `what` names the text, as the beginning of a sentence. `unit` is that of the sizes. */
  constructor(what: string, size: number, limit: number, unit = 'bytes') {
    super('too_large', `${what} has ${size} ${unit}, the limit is ${limit}.`)
    this.limit = limit
  }
}

/** A stored entry cannot be right. Reading stops here: nothing is skipped in silence. */
export class CorruptEntryError extends ThroughlineError {
  /** The place of the entry in its thread. */
  readonly seq: number

  /** `problem` ends a sentence and has no words of the entry. */
  constructor(thread: string, seq: number, problem: string, options?: ErrorOptions) {
    const what = `Entry ${seq} of thread ${thread} cannot be read: ${problem}.`
    super('corrupt_entry', `${what} Run "throughline log check".`, options)
    this.seq = seq
  }
}

/** A text has NUL or a lone surrogate, which not every store can keep; callers remove them first. */
export class InvalidTextError extends ThroughlineError {
  /** `what` names the text, as the beginning of a sentence. */
  constructor(what: string) {
    super('invalid_text', `${what} has a NUL or a lone surrogate in it: remove it before storing.`)
  }
}

/** The `code` of a `StoreError`: `store_busy` and `store_unavailable` may pass by themselves. */
export type StoreProblem =
  | 'store_full'
  | 'store_io'
  | 'store_corrupt'
  | 'store_read_only'
  | 'store_locked'
  | 'store_busy'
  | 'store_not_durable'
  | 'store_schema'
  | 'store_closed'
  | 'store_unavailable'
  | 'store_failed'

/** The database could not do something. Nothing of the refused transaction is stored; reading may still work. */
export class StoreError extends ThroughlineError {
  /** `message` says what to do about it. */
  constructor(code: StoreProblem, message: string, options?: ErrorOptions) {
    super(code, message, options)
  }
}

/** A write broke off, and may be stored or not. Repeating the same write is safe. */
export class OutcomeUnknownError extends ThroughlineError {
  /** `problem` begins a sentence: what broke off. */
  constructor(problem: string, cause: unknown) {
    super('outcome_unknown', `${problem}: do the same again, with the same ids.`, { cause })
  }
}

/** Whether the store failed, whatever was asked of it. */
export const isStoreFault = (error: unknown): boolean =>
  error instanceof StoreError || error instanceof OutcomeUnknownError

/** A fault of the store in words for people outside: the error itself names files, addresses and options. */
export function storeFaultText(code: string): string {
  if (code === 'store_full') return 'The disk of the log is full: nothing more can be stored.'
  if (code === 'outcome_unknown')
    return 'The log did not say whether it has this: send the same request again.'
  return 'The log cannot be used at the moment: try again later. The log of the server says why.'
}

/** A thread's name in messages of errors. */
export const nameOf = ({ conversation, actor, branch }: ThreadKey) =>
  `"${conversation}/${actor}/${branch}"`

/** The error for an open turn; `heldMs` is the time its lease still holds, where waiting helps. */
export function turnOpen(thread: ThreadKey, turn: number, heldMs = 0): LeaseError {
  const advice =
    heldMs > 0
      ? `retry when it has ended, or in ${Math.ceil(heldMs / 1000)} s if its holder is gone`
      : 'end it first; if nobody holds it, the next turn that begins closes it'
  const problem = `Turn ${turn} of thread ${nameOf(thread)} is open: ${advice}.`
  return new LeaseError('turn_open', problem, heldMs)
}

export const leaseLost = (thread: ThreadKey, { owner, epoch }: Lease) =>
  new LeaseError(
    'lease_lost',
    `"${owner}" (epoch ${epoch}) no longer holds thread ${nameOf(thread)}: nothing was written, read again.`,
  )

/** The error of a fork inside a turn, or beyond the end. */
export const notAPlace = (at: number) =>
  new InvalidOptionError(
    'at',
    `a branch cannot begin at ${at}: use the end of a closed turn, or the place just before a user entry`,
  )

/** The error of a fork to a name that is taken. */
export const branchExists = (branch: string) =>
  new InvalidOptionError('branch', `"${branch}" exists already: choose another name`)

/** The error of restoring a branch whose name is that of another fork. */
export const forkedElsewhere = (branch: string) =>
  new InvalidOptionError(
    'forkOf',
    `"${branch}" was forked elsewhere: restore it under another name`,
  )

/** The error of restoring a branch before the one that it was forked from. */
export const noParent = (branch: string) =>
  new InvalidOptionError('forkOf', `"${branch}" is missing: restore it first`)
