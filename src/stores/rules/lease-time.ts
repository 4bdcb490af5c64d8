/** When a lease runs out by the store's clock, and for how long it was given. */
export interface LeaseTime {
  until: number
  readonly ms: number
}

export const leaseTime = (now: number, ms: number): LeaseTime => ({ until: now + ms, ms })

/**
 * How long a lease still holds; 0 when it has run out or was never given. A lease that seems to hold for longer than it
 * was given for is older than a clock that went back: it counts as given now, so that a dead holder is not waited for
 * until the clock has caught up.
 */
export function remainingMs(lease: LeaseTime | undefined, now: number): number {
  if (!lease) return 0
  lease.until = Math.min(lease.until, now + lease.ms)
  return Math.max(0, lease.until - now)
}
