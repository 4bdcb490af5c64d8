import type {
  AppendEntries,
  BeginTurn,
  Begun,
  EndTurn,
  Lease,
  Mark,
  NewEntry,
  StoredCall,
  StoredEntry,
  StoredTurn,
  ThreadKey,
  TurnEnd,
} from '../store.ts'
import { ConflictError, KeyReusedError, leaseLost, nameOf, turnOpen } from '../store-error.ts'

/** What a write changes, in this order. Stored entries are skipped; if all are stored and no turn opens or ends, so is the rest. */
export interface Change {
  /** Closes a turn that its writer left. The former writer can no longer end it. */
  readonly closes?: TurnEnd & { readonly entries: readonly NewEntry[] }
  /** Opens a turn with this key and body. */
  readonly opens?: Pick<StoredTurn, 'key' | 'body'>
  /** Added to the open turn; outside of turns where none is open. */
  readonly entries: readonly NewEntry[]
  /** Marks of these entries, counted from 1. */
  readonly marks?: readonly Mark[] | undefined
  /** Kept as by `saveCall`. */
  readonly call?: StoredCall | undefined
  /** Ends the open turn, after these entries. */
  readonly ends?: TurnEnd
  /** Gives the open turn a lease, or prolongs the one that it has. */
  readonly lease?: Lease & { readonly ms: number }
}

/** Whether a change counts as use of the conversation. Giving out a lease does not. */
export const isUse = ({ opens, lease }: Change): boolean =>
  opens !== undefined || lease === undefined

// Each rule throws what it refuses, and returns undefined if the write is already stored.

/** The change that begins a turn, or the turn that this request has begun before. */
export function beginTurn(
  state: BranchState,
  begin: BeginTurn,
): Change | { readonly replayed: StoredTurn } {
  const {
    owner,
    leaseMs: ms,
    expectedHead = state.head,
    key,
    body,
    closing,
    entries,
    marks,
  } = begin
  if (isBegun(state, begin)) return { entries: [], lease: { owner, epoch: state.epoch, ms } }
  const earlierTurn = key === undefined ? undefined : state.turnByKey(key)
  if (earlierTurn && earlierTurn.body !== body) throw new KeyReusedError(earlierTurn.key!)
  if (earlierTurn) return { replayed: earlierTurn }
  refuseHeld(state)
  expectHead(state, expectedHead)
  return {
    ...(state.open !== undefined && {
      closes: { entries: [], ...closing, status: closing?.status ?? 'interrupted' },
    }),
    opens: { ...(key !== undefined && { key }), ...(body !== undefined && { body }) },
    entries,
    marks,
    lease: { owner, epoch: state.epoch + 1, ms },
  }
}

/** Whether the owner of the open turn asks for the same again: then its answer got lost. */
function isBegun(state: BranchState, { owner, key, body, entries }: BeginTurn): boolean {
  if (state.open === undefined || state.owner !== owner) return false
  const turn = state.turn(state.open)
  const places = entries.map(({ id }) => state.seqOf(id))
  const isStored =
    places.every(place => place !== undefined) && places.some(place => place! >= turn.first)
  return isStored && turn.key === key && turn.body === body
}

/** The change that takes over the open turn; undefined where none is open. */
export function resumeTurn(
  state: BranchState,
  { owner, leaseMs: ms }: Pick<BeginTurn, 'owner' | 'leaseMs'>,
): Change | undefined {
  if (state.open === undefined) return undefined
  refuseHeld(state)
  return { entries: [], lease: { owner, epoch: state.epoch + 1, ms } }
}

/** The change that adds entries to the open turn. */
export function appendEntries(state: BranchState, request: AppendEntries): Change | undefined {
  const { lease, expectedHead, entries, marks, call } = request
  const isFine = isHeldBy(state, lease) && expectedHead === state.head
  // What is stored may come again, whichever holder has the turn by now.
  if (!isFine && entries.length > 0 && hasAll(state, entries)) return undefined
  expectLease(state, lease)
  expectHead(state, expectedHead)
  return { entries, marks, call }
}

/** The change that ends the open turn and frees its lease. */
export function endTurn(state: BranchState, request: EndTurn): Change | undefined {
  const { lease, expectedHead, entries, marks, call, status, error } = request
  const isHeld = isHeldBy(state, lease)
  const isEnded = !isHeld && state.turnByEpoch(lease.epoch)?.status === status
  if (isEnded && hasAll(state, entries)) return undefined
  expectLease(state, lease)
  expectHead(state, expectedHead)
  return { entries, marks, call, ends: { status, ...(error !== undefined && { error }) } }
}

/** The change that prolongs a lease, also one that has run out. */
export function renewLease(state: BranchState, lease: Lease, ms: number): Change {
  expectLease(state, lease)
  return { entries: [], lease: { ...lease, ms } }
}

/** The change that adds entries outside of turns. */
export function seedEntries(
  state: BranchState,
  { expectedHead, entries }: Pick<AppendEntries, 'expectedHead' | 'entries'>,
): Change | undefined {
  const isFine = state.open === undefined && expectedHead === state.head
  if (!isFine && entries.length > 0 && hasAll(state, entries)) return undefined
  if (state.open !== undefined) throw turnOpen(state.thread, state.open, state.heldMs())
  expectHead(state, expectedHead)
  return { entries }
}

/** Whether a branch may be forked here: between closed turns, or just before a user entry that is to be edited. */
export function isForkPlace(state: BranchState, at: number): boolean {
  if (at > state.head) return false
  if (state.open !== undefined && at >= state.turn(state.open).first) return false
  if (at === 0 || at === state.head) return true
  const [before, after] = [...state.entries(at, at + 1)]
  return before!.turn === 0 || before!.turn !== after!.turn || after!.role === 'user'
}

const isHeldBy = ({ open, owner, epoch }: BranchState, lease: Lease) =>
  open !== undefined && owner === lease.owner && epoch === lease.epoch

const hasAll = (state: BranchState, entries: readonly NewEntry[]) =>
  entries.every(({ id }) => state.seqOf(id) !== undefined)

function expectLease(state: BranchState, lease: Lease): void {
  if (!isHeldBy(state, lease)) throw leaseLost(state.thread, lease)
}

function expectHead({ thread, head }: BranchState, expected: number): void {
  if (expected !== head) throw new ConflictError(nameOf(thread), expected, head)
}

function refuseHeld(state: BranchState): void {
  const heldMs = state.open === undefined ? 0 : state.heldMs()
  if (heldMs > 0) throw turnOpen(state.thread, state.open!, heldMs)
}

/** What the rules ask of a branch, with its shared past. A new branch has no entries and no turns. */
export interface BranchState {
  /** The name of the branch. */
  readonly thread: ThreadKey
  /** The place of the last entry, 0 without one. */
  readonly head: number
  /** How many turns there are, with those of the shared past. */
  readonly turns: number
  /** How many leases were given. The last one is that of the open turn. */
  readonly epoch: number
  /** The number of the open turn, the owner of its lease, and how long that still holds. */
  readonly open: number | undefined
  /** The owner of the open turn's lease; undefined where none is given. */
  readonly owner: string | undefined
  /** How long the lease of the open turn still holds, in milliseconds; 0 if it has run out. */
  heldMs(): number
  /** The place of an entry; undefined if it is not stored. */
  seqOf(id: string): number | undefined
  /** The entries from a place to another, both included. */
  entries(from: number, to: number): Iterable<StoredEntry>
  /** One turn by its number, counted from 1. */
  turn(number: number): StoredTurn
  /** This turn and all later ones, oldest first. */
  turnsFrom(number: number): readonly StoredTurn[]
  /** The turn that began with an idempotency key. */
  turnByKey(key: string): StoredTurn | undefined
  /** The turn that belongs to this lease. None for a turn that another writer has closed, or that was restored. */
  turnByEpoch(epoch: number): StoredTurn | undefined
}

export function begunOf(state: BranchState): Extract<Begun, { kind: 'begun' }> {
  const { open, owner, epoch, head, turn } = state
  return { kind: 'begun', turn: turn(open!), lease: { owner: owner!, epoch }, head }
}
