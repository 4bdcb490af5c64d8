/** When a lease runs out by the store's clock, and for how long it was given. */
export interface LeaseTime {
  until: number
  readonly ms: number
}

export const leaseTime = (now: number, ms: number): LeaseTime => ({ until: now + ms, ms })

/** How long a lease holds; 0 without one. If the clock went back, it counts as given now, or a dead holder would be waited for. */
export function remainingMs(lease: LeaseTime | undefined, now: number): number {
  if (!lease) return 0
  lease.until = Math.min(lease.until, now + lease.ms)
  return Math.max(0, lease.until - now)
}
