import { InvalidOptionError } from '../../log/error.ts'
import type { Lease, ThreadKey } from '../store.ts'
import { LeaseError } from '../store-error.ts'

/** A thread's name in messages of errors. */
export const nameOf = ({ conversation, actor, branch }: ThreadKey) => `"${conversation}/${actor}/${branch}"`

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

export const notAPlace = (at: number) =>
  new InvalidOptionError(
    'at',
    `a branch cannot begin at ${at}: use the end of a closed turn, or the place just before a user entry`,
  )

export const branchExists = (branch: string) =>
  new InvalidOptionError('branch', `"${branch}" exists already: choose another name`)

export const forkedElsewhere = (branch: string) =>
  new InvalidOptionError(
    'forkOf',
    `"${branch}" exists already and was forked elsewhere: restore it under another name`,
  )

export const noParent = (branch: string) =>
  new InvalidOptionError('forkOf', `"${branch}" is missing: restore it first`)
