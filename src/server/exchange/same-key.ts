import { createHash } from 'node:crypto'
import { orAborted } from '../../log/or-aborted.ts'
import type { Store } from '../../stores/store.ts'
import { oneByOne } from '../../turn/wait/one-by-one.ts'
import { within } from '../../turn/wait/within.ts'
import { knownClient } from '../identity/known-client.ts'
import type { Inquiry } from './inquiry.ts'
import type { LogPlace } from './log-place.ts'
import { keyOf, patienceOf } from './retry.ts'

const orders = new WeakMap<Store, ReturnType<typeof oneByOne>>()

/**
 * Waits while this process answers a request with the same idempotency key: what the log then has is the answer to this one
 * too. The wait is limited: a request that goes on before the first is done gets the error of an open turn. Resolves with a
 * function that lets the next one go on. Rejects when the client leaves.
 */
export async function untilAlone(inquiry: Inquiry): Promise<() => void> {
  const key = keyOf(inquiry)
  if (key === undefined) return () => {}
  const { store, tenant } = inquiry.log
  const order = orders.get(store) ?? oneByOne()
  orders.set(store, order)
  const { conversation } = knownClient(inquiry.request, inquiry.headers) ?? {}
  const name = JSON.stringify([tenant, inquiry.keyId, key, conversation])
  return order(name, before => orAborted(within(before, patienceOf(inquiry)), inquiry.signal))
}

/**
 * The place of a request that begins an unnamed conversation, or a branch. With an idempotency key the conversation or
 * the branch is named after the key, so that two servers on one store that get the same request at once cannot both begin one.
 */
export function placeOfKey(inquiry: Inquiry, place: LogPlace): LogPlace {
  const key = keyOf(inquiry)
  const { kind, thread, fork, isNamed, isSide } = place
  if (key === undefined || isSide) return place
  if (kind === 'new' && !isNamed)
    return { ...place, thread: { ...thread, conversation: nameOf(inquiry, key) }, head: 0 }
  if (!fork) return place
  return { ...place, thread: { ...thread, branch: nameOf(inquiry, key, fork) }, head: fork.at }
}

/** A name that looks like every other id. */
function nameOf({ log, keyId }: Inquiry, ...of: readonly unknown[]): string {
  const text = JSON.stringify([log.tenant, keyId, ...of])
  const hash = createHash('sha256').update(text).digest('hex')
  const cuts = [0, 8, 12, 16, 20, 32]
  return cuts
    .slice(1)
    .map((end, at) => hash.slice(cuts[at], end))
    .join('-')
}
