import { type LeaseTime, leaseTime, remainingMs } from '../lease-time.ts'
import type { BranchRow } from './branch-rows.ts'

/**
 * The leases that this process has given, by the id of the branch. A file has one writer, so any other lease is one of a
 * writer who is gone, and has run out. The file has them for readers only, who cannot know that.
 */
export interface SqliteLeases {
  /** Once it is committed. */
  give(branchId: number, ms: number): void
  take(branchId: number): void
  /** How long the open turn of a branch is still held; 0 when nobody holds it. */
  heldMs(branch: Pick<BranchRow, 'id' | 'lease_until'>): number
}

export function createLeases(now: () => number, readOnly: boolean): SqliteLeases {
  const given = new Map<number, LeaseTime>()
  return {
    give: (branchId, ms) => given.set(branchId, leaseTime(now(), ms)),
    take: branchId => given.delete(branchId),
    heldMs: ({ id, lease_until: until }) =>
      readOnly ? Math.max(0, until - now()) : remainingMs(given.get(id), now()),
  }
}
