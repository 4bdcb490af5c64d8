import type { Lease, Store, ThreadKey } from '../../stores/store.ts'

/** A turn is renewed for so long at most: a forgotten turn must not block its thread for ever. */
const mostSilenceMs = 60 * 60 * 1000

/** Codes of errors after which the turn cannot be written to any more. */
const final: ReadonlySet<unknown> = new Set([
  'lease_lost',
  'conversation_deleted',
  'no_conversation',
  'store_closed',
])

/** Renews a lease until the returned function is called. */
export function keepLease({
  store,
  key,
  lease,
  leaseMs,
  onLost,
}: {
  readonly store: Store
  readonly key: ThreadKey
  readonly lease: Lease
  readonly leaseMs: number
  readonly onLost: (error: unknown) => void
}): () => void {
  let left = Math.ceil(mostSilenceMs / leaseMs) * 3
  // Every third of the lease: two renewals may fail before it runs out.
  const timer = setInterval(() => {
    left -= 1
    if (left < 0) return stop()
    store.renew(key, lease, leaseMs).catch(error => {
      if (!final.has((error as { code?: unknown }).code)) return
      stop()
      onLost(error)
    })
  }, leaseMs / 3)
  timer.unref?.()
  const stop = () => clearInterval(timer)
  return stop
}
