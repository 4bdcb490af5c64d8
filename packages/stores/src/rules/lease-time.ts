/** When a lease runs out by the store's clock, and for how long it was given. */
export interface LeaseTime {
  /** In milliseconds by the store's clock. `remainingMs` lowers it if that clock went back. */
  until: number
  /** The length of the lease when it was given. */
  readonly ms: number
}

/** A lease that is given now. */
export const leaseTime = (now: number, ms: number): LeaseTime => ({ until: now + ms, ms })

/** How long a lease holds; 0 without one. If the clock went back, it counts as given now, or a dead holder would be waited for. */
export function remainingMs(lease: LeaseTime | undefined, now: number): number {
  if (!lease) return 0
  lease.until = Math.min(lease.until, now + lease.ms)
  return Math.max(0, lease.until - now)
}
