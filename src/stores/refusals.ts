import { InvalidOptionError } from '../log/error.ts'
import type { Lease, ThreadKey } from './store.ts'
import { LeaseError } from './store-error.ts'

export const nameOf = ({ conversation, actor, branch }: ThreadKey) => `"${conversation}/${actor}/${branch}"`

/** The error for an open turn; `heldMs` is the time its lease still holds, where waiting helps. */
export function turnOpen(thread: ThreadKey, turn: number, heldMs = 0): LeaseError {
  const advice =
    heldMs > 0
      ? `retry when it has ended, or in ${Math.ceil(heldMs / 1000)} s if whoever holds it is gone`
      : 'it must end first, and if nobody holds it the next turn that begins closes it'
  const problem = `Turn ${turn} of thread ${nameOf(thread)} is open: ${advice}.`
  return new LeaseError('turn_open', problem, heldMs)
}

export const leaseLost = (thread: ThreadKey, { owner, epoch }: Lease) =>
  new LeaseError(
    'lease_lost',
    `"${owner}" (epoch ${epoch}) no longer holds thread ${nameOf(thread)}: nothing was written, read again.`,
  )

export const notAPlace = (at: number) =>
  new InvalidOptionError('at', `${at} is not the end of a closed turn, nor just before a user entry`)
