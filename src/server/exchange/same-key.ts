import { createHash } from 'node:crypto'
import { orAborted } from '../../log/or-aborted.ts'
import type { Store } from '../../stores/store.ts'
import { knownClient } from '../identity/known-client.ts'
import type { Asked } from './asked.ts'
import type { Place } from './place.ts'
import { keyOf, patienceOf } from './retry.ts'

/** The last request of each idempotency key that this process answers, by store. */
const running = new WeakMap<Store, Map<string, Promise<void>>>()

/**
 * Waits while this process answers a request with the same idempotency key: what the log then has is the answer to this one
 * too. Resolves with a function that lets the next one go on. Rejects when the client leaves.
 */
export async function untilAlone(asked: Asked): Promise<() => void> {
  const key = keyOf(asked)
  if (key === undefined) return () => {}
  const { store, tenant } = asked.log
  const known = running.get(store) ?? new Map<string, Promise<void>>()
  running.set(store, known)
  const { conversation } = knownClient(asked.request, asked.headers) ?? {}
  const name = JSON.stringify([tenant, asked.keyId, key, conversation])
  const before = known.get(name)
  let leave = () => {}
  const own = new Promise<void>(resolve => {
    leave = resolve
  })
  const all = Promise.all([before, own]).then(() => {
    if (known.get(name) === all) known.delete(name)
  })
  known.set(name, all)
  if (!before) return leave
  try {
    await orAborted(withinPatience(before, patienceOf(asked)), asked.signal)
  } catch (error) {
    leave()
    throw error
  }
  return leave
}

/** Waits for a promise, but not for ever: whoever goes on before the other is done finds its turn open, and is told so. */
async function withinPatience(promise: Promise<void>, mostMs: number): Promise<void> {
  let late: NodeJS.Timeout | undefined
  const pause = new Promise<void>(resolve => {
    late = setTimeout(resolve, mostMs)
  })
  await Promise.race([promise, pause])
  clearTimeout(late)
}

/**
 * The place of a request that begins a conversation nobody named. With an idempotency key the conversation is named after the
 * key, so that two servers on one store that get the same request at once cannot both begin one.
 */
export function placeOfKey({ log, headers, keyId }: Asked, place: Place): Place {
  const key = headers['idempotency-key']
  if (key === undefined || place.kind !== 'new' || place.isNamed || place.isSide) return place
  const hash = createHash('sha256')
    .update(JSON.stringify([log.tenant, keyId, key]))
    .digest('hex')
  const conversation = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    hash.slice(12, 16),
    hash.slice(16, 20),
    hash.slice(20, 32),
  ].join('-')
  return { ...place, thread: { ...place.thread, conversation }, head: 0 }
}
