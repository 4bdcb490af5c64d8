import { InvalidOptionError } from '../log/error.ts'
import type { Lease, ThreadKey } from './store.ts'
import { LeaseError } from './store-error.ts'

export const nameOf = ({ conversation, actor, branch }: ThreadKey) => `"${conversation}/${actor}/${branch}"`

export const turnOpen = (thread: ThreadKey, { turn }: { readonly turn: number }) =>
  new LeaseError(
    'turn_open',
    `Turn ${turn} of thread ${nameOf(thread)} is open: wait until it has ended, then retry.`,
  )

export const leaseLost = (thread: ThreadKey, { owner, epoch }: Lease) =>
  new LeaseError(
    'lease_lost',
    `"${owner}" (epoch ${epoch}) no longer holds thread ${nameOf(thread)}: nothing was written, read again.`,
  )

export const notAPlace = (at: number) =>
  new InvalidOptionError('at', `${at} is not the end of a closed turn, nor just before a user entry`)
