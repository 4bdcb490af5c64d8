import type { Begun, StoredEntry, StoredTurn, ThreadKey } from '../store.ts'

/** What the rules ask of a branch, with its shared past. A new branch has no entries and no turns. */
export interface BranchState {
  readonly thread: ThreadKey
  readonly head: number
  readonly turns: number
  /** How many leases were given. The last one is that of the open turn. */
  readonly epoch: number
  /** The number of the open turn, the owner of its lease, and how long that still holds. */
  readonly open: number | undefined
  readonly owner: string | undefined
  heldMs(): number
  seqOf(id: string): number | undefined
  entries(from: number, to: number): Iterable<StoredEntry>
  turn(number: number): StoredTurn
  turnsFrom(number: number): readonly StoredTurn[]
  turnByKey(key: string): StoredTurn | undefined
  /** The turn that belongs to this lease. None for a turn that another writer has closed, or that was restored. */
  turnByEpoch(epoch: number): StoredTurn | undefined
}

export function begunOf(state: BranchState): Extract<Begun, { kind: 'begun' }> {
  const { open, owner, epoch, head, turn } = state
  return { kind: 'begun', turn: turn(open!), lease: { owner: owner!, epoch }, head }
}
