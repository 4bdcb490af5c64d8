import {
  ConflictError,
  type EndTurn,
  type Lease,
  type LeaseTime,
  leaseLost,
  leaseTime,
  type Mark,
  type NewEntry,
  nameOf,
  notAPlace,
  type Stored,
  type StoredCall,
  type StoredEntry,
  type StoredTurn,
  type ThreadKey,
} from 'throughline/stores'

/** A branch as it stands in the file of its conversation, with a copy of the past that it shares. */
export interface Branch {
  readonly actor: string
  readonly branch: string
  readonly forkOf?: { readonly branch: string; readonly at: number }
  readonly entries: StoredEntry[]
  readonly turns: StoredTurn[]
  /** How many leases were given; those of the turns by their number, to recognise an end that comes again. */
  epoch: number
  readonly leases: Record<number, Lease>
  /** The time of the last lease. Absent: nobody holds the open turn. */
  time?: LeaseTime
  calls: StoredCall[]
  marks: Mark[]
  /** The time of the last write. */
  updatedAt: number
  caches: { readonly key: string; readonly at: number; readonly base64: string }[]
}

export function newBranch({ actor, branch }: ThreadKey): Branch {
  const log = { entries: [], turns: [], epoch: 0, leases: {}, updatedAt: 0 }
  return { actor, branch, ...log, calls: [], caches: [], marks: [] }
}

/** A branch with the past of another. Calls, caches, marks, leases and idempotency keys stay where they are. */
export function forkBranch(parent: Branch, thread: ThreadKey, at: number): Branch {
  if (!isForkPlace(parent, at)) throw notAPlace(at)
  const turns = parent.turns
    .filter(({ first }) => first <= at)
    .map(({ key: _, body: __, ...turn }) => ({ ...turn, last: Math.min(turn.last, at) }))
  const forkOf = { branch: parent.branch, at }
  return { ...newBranch(thread), forkOf, entries: parent.entries.slice(0, at), turns }
}

/** Outside of turns, at the end of a closed one, or before a user entry of a closed one. */
function isForkPlace(parent: Branch, at: number): boolean {
  if (!Number.isInteger(at) || at < 0 || at > parent.entries.length) return false
  const turn = parent.turns.find(({ first, last }) => first <= at && at <= last)
  if (!turn) return true
  return turn.status !== 'open' && (turn.last === at || parent.entries[at]?.role === 'user')
}

export const openTurn = ({ turns }: Branch) => turns.find(({ status }) => status === 'open')

export const hasAll = ({ entries }: Branch, wanted: readonly NewEntry[]) =>
  wanted.every(({ id }) => entries.some(entry => entry.id === id))

/** Adds the entries that are not there yet: an id is stored once. */
export function addEntries(branch: Branch, turn: number, entries: readonly NewEntry[]): void {
  for (const entry of entries)
    if (!hasAll(branch, [entry])) branch.entries.push({ ...entry, seq: branch.entries.length + 1, turn })
}

/** Keeps a call, or what became of it: the same id again replaces it in its place. */
export function keepCall({ calls }: Branch, call: StoredCall | undefined): void {
  if (!call) return
  const at = calls.findIndex(({ id }) => id === call.id)
  calls.splice(at < 0 ? calls.length : at, 1, call)
}

/** Adds the marks that are not there yet; their places are counted behind `after`. */
export function addMarks(branch: Branch, given: readonly Mark[], after = 0): void {
  const marks = given.map(({ mark, at }) => ({ mark, at: after + at }))
  const isSaved = (one: Mark) => branch.marks.some(({ mark, at }) => mark === one.mark && at === one.at)
  branch.marks.push(...marks.filter(mark => !isSaved(mark)))
}

/** Adds entries to the open turn, for the one who holds it. A lease that ran out is good until another one is given. */
export function writeTurn(branch: Branch, thread: ThreadKey, write: Write): void {
  const { lease, expectedHead, entries, marks = [] } = write
  const turn = heldTurn(branch, thread, lease)
  if (entries.length === 0 || !hasAll(branch, entries)) checkHead(branch, thread, expectedHead)
  addEntries(branch, turn.turn, entries)
  addMarks(branch, marks, expectedHead)
  setTurn(branch, turn)
}

type Write = Pick<EndTurn, 'lease' | 'expectedHead' | 'entries' | 'marks'>

export function heldTurn(branch: Branch, thread: ThreadKey, lease: Lease): StoredTurn {
  const turn = openTurn(branch)
  if (!turn || !isLease(branch.leases[turn.turn], lease)) throw leaseLost(thread, lease)
  return turn
}

/** Puts a turn in the place of what it was; it ends with the last entry. */
export function setTurn(branch: Branch, turn: StoredTurn): void {
  branch.turns[turn.turn - 1] = { ...turn, last: branch.entries.length }
}

/** Whether this end was stored before, and only its answer was lost. */
export function wasEnded(branch: Branch, { lease, status, entries }: EndTurn): boolean {
  const turn = branch.turns.find(({ turn }) => isLease(branch.leases[turn], lease))
  return turn?.status === status && status !== 'interrupted' && hasAll(branch, entries)
}

const isLease = (given: Lease | undefined, { owner, epoch }: Lease) =>
  given?.owner === owner && given.epoch === epoch

export function checkHead({ entries }: Branch, thread: ThreadKey, expected: number): void {
  if (expected !== entries.length) throw new ConflictError(nameOf(thread), expected, entries.length)
}

/** Gives the open turn to an owner; a higher epoch fences whoever held it before. */
export function holdTurn(branch: Branch, turn: number, owner: string, now: number, leaseMs: number): Lease {
  branch.epoch += 1
  branch.leases[turn] = { owner, epoch: branch.epoch }
  branch.time = leaseTime(now, leaseMs)
  return branch.leases[turn]
}

/** What `planRestore` asks of a branch. */
export const toStored = (branch: Branch): Stored => ({
  head: branch.entries.length,
  turns: branch.turns.length,
  open: openTurn(branch)?.turn,
  entries: (from, to) => branch.entries.slice(from - 1, to),
  turnsFrom: turn => branch.turns.slice(turn - 1),
  seqOf: id => branch.entries.find(entry => entry.id === id)?.seq,
  hasKey: key => branch.turns.some(turn => turn.key === key),
})
