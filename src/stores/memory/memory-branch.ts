import { type LeaseTime, remainingMs } from '../lease-time.ts'
import type { Lease, NewEntry, StoredCall, StoredEntry, StoredTurn, ThreadKey } from '../store.ts'

/** A branch. A fork has copies of the lists, with the same entry objects. */
export interface Branch {
  readonly thread: ThreadKey
  readonly number: number
  readonly forkOf?: { readonly branch: string; readonly at: number }
  readonly entries: StoredEntry[]
  readonly turns: StoredTurn[]
  /** Owner and epoch of every turn that this branch began, to recognise a repeated end. */
  readonly leases: Map<number, Lease>
  readonly ids: Set<string>
  readonly calls: Map<string, StoredCall>
  readonly caches: Map<string, { at: number; bytes: Uint8Array }>
  epoch: number
  leaseTime: LeaseTime | undefined
}

export function newBranch(thread: ThreadKey, number: number): Branch {
  return {
    thread,
    number,
    entries: [],
    turns: [],
    leases: new Map(),
    ids: new Set(),
    calls: new Map(),
    caches: new Map(),
    epoch: 0,
    leaseTime: undefined,
  }
}

/** A fork takes the shared past along, but no calls, leases or idempotency keys. */
export function forkBranch(from: Branch, at: number, branch: string, number: number): Branch {
  const entries = from.entries.slice(0, at)
  const turns = from.turns
    .filter(({ first }) => first <= at)
    .map(({ key: _, body: __, ...turn }) => ({ ...turn, last: Math.min(turn.last, at) }))
  return {
    ...newBranch({ ...from.thread, branch }, number),
    forkOf: { branch: from.thread.branch, at },
    entries,
    turns,
    ids: new Set(entries.map(({ id }) => id)),
  }
}

/** Whether a branch may be forked here: between closed turns, or just before a user entry that is to be edited. */
export function isForkPlace({ entries, turns }: Branch, at: number): boolean {
  if (!Number.isInteger(at) || at < 0 || at > entries.length) return false
  const last = turns.at(-1)
  if (last?.status === 'open' && at >= last.first) return false
  const [before, after] = [entries[at - 1], entries[at]]
  if (!before || !after || before.turn === 0) return true
  return before.turn !== after.turn || after.role === 'user'
}

export const openTurn = ({ turns }: Branch) => (turns.at(-1)?.status === 'open' ? turns.at(-1) : undefined)

export const hasAll = ({ ids }: Branch, entries: readonly NewEntry[]) =>
  entries.every(({ id }) => ids.has(id))

export function addEntries(branch: Branch, turn: number, entries: readonly NewEntry[]): void {
  for (const { id, role, time, payload, tokens } of entries) {
    if (branch.ids.has(id)) continue
    branch.ids.add(id)
    const seq = branch.entries.length + 1
    branch.entries.push({ id, role, time, payload, tokens: { ...tokens }, seq, turn })
  }
}

export function closeTurn(branch: Branch, end: Pick<StoredTurn, 'status' | 'endedAt' | 'error'>): void {
  branch.turns.push({ ...branch.turns.pop()!, ...end, last: branch.entries.length })
}

export function isHeldBy(branch: Branch, lease: Lease): boolean {
  const open = openTurn(branch)
  return open !== undefined && isLease(branch.leases.get(open.turn), lease)
}

export const heldMs = ({ leaseTime }: Branch, now: number) => remainingMs(leaseTime, now)

export const isLease = (held: Lease | undefined, lease: Lease) =>
  held?.owner === lease.owner && held.epoch === lease.epoch
