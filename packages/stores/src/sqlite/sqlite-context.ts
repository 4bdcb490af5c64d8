import { type LeaseTime, leaseTime, remainingMs } from '../rules/lease-time.ts'
import type { Connection } from './connection.ts'
import type { BranchRow } from './conversation-rows.ts'
import type { LogEmptier } from './empty-log.ts'
import type { About, GroupWriteOptions } from './group-writes.ts'
import type { SpareFile } from './spare-file.ts'

export interface SqliteContext {
  /** The connection; the first use migrates the file. */
  ready(): Connection
  /** Writes in a transaction, which writes to other conversations may share: see `groupWrites`. */
  write<T>(
    about: About,
    work: (connection: Connection) => T,
    how?: GroupWriteOptions<T>,
  ): Promise<T>
  readonly now: () => number
  readonly leases: SqliteLeases
  /** When branches with an open turn were last appended to, by id, where their rows do not say it yet. */
  readonly appendedAt: Map<number, number>
  isIndexed(): boolean
  readonly spare: SpareFile
  readonly log: LogEmptier
}

/** Leases given by this process. A file has one writer: those in the file count for readers only. */
export type SqliteLeases = ReturnType<typeof createLeases>

export function createLeases(now: () => number, readOnly: boolean) {
  const leases = new Map<number, LeaseTime>()
  return {
    give: (branchId: number, ms: number) => leases.set(branchId, leaseTime(now(), ms)),
    take: (branchId: number) => leases.delete(branchId),
    /** How long the open turn of a branch is still held; 0 if it has no holder. */
    heldMs: ({ id, lease_until: until }: Pick<BranchRow, 'id' | 'lease_until'>) =>
      readOnly ? Math.max(0, until - now()) : remainingMs(leases.get(id), now()),
  }
}
