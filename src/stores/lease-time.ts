/** When a lease runs out by the store's clock, and for how long it was given. */
export interface LeaseTime {
  until: number
  readonly ms: number
}

export const leaseTime = (now: number, ms: number): LeaseTime => ({ until: now + ms, ms })

/**
 * How long a lease still holds; 0 when it has run out, or was never given. One that would hold for longer than it was
 * given for was given before the clock went back: it begins anew. Whoever lives renews it, whoever does not is not waited
 * for until the clock is again where it was.
 */
export function remainingMs(lease: LeaseTime | undefined, now: number): number {
  if (!lease) return 0
  lease.until = Math.min(lease.until, now + lease.ms)
  return Math.max(0, lease.until - now)
}
