import { type LeaseTime, remainingMs } from '../rules/lease-time.ts'
import type { BranchState } from '../rules/write-rules.ts'
import type {
  ConversationKey,
  Mark,
  StoredCall,
  StoredEntry,
  StoredTurn,
  ThreadKey,
} from '../store.ts'
import { NoConversationError } from '../store-error.ts'

/** A conversation with all that belongs to it, as plain JSON. */
export interface ConversationDocument {
  readonly format: 1
  readonly tenant: string
  readonly conversation: string
  createdAt: number
  /** Only the names are left, so that late writes are refused. One without branches that is not deleted counts as not there. */
  isDeleted?: boolean
  title?: string | null
  /** As JSON text. */
  metadata?: string | null
  person?: string | null
  usedAt?: number
  branches: BranchDocument[]
}

/** A branch without its shared past: that stands in the branch that it was forked from. */
export interface BranchDocument {
  readonly actor: string
  readonly branch: string
  /** Branches that were made later have a higher number. */
  readonly number: number
  readonly forkOf?: { readonly branch: string; readonly at: number }
  /** How many turns its shared past has. */
  readonly pastTurns: number
  updatedAt: number
  /** How many leases were given, and the last one. */
  epoch: number
  lease?: LeaseTime & { readonly owner: string }
  readonly entries: StoredEntry[]
  readonly turns: TurnDocument[]
  calls: StoredCall[]
  readonly marks: (Mark & { readonly time: number })[]
  readonly caches: { readonly key: string; readonly at: number; readonly base64: string }[]
}

/** A turn with the epoch of its lease; 0 where no writer of this store may end it again. */
export type TurnDocument = StoredTurn & { readonly epoch: number }

/** Where documents are kept: in memory, or wherever a user of `documentStore` keeps them. */
export interface DocumentSource {
  readonly now: () => number
  readonly nextNumber: () => number
  /** Undefined for a conversation that was never written to. */
  read(names: ConversationKey): Promise<ConversationDocument | undefined>
  /** One transaction. `work` changes the document, or a new empty one; if it throws, only a lease's time may have changed. */
  readonly change: <T>(
    names: ConversationKey,
    work: (document: ConversationDocument) => T,
  ) => Promise<T>
  /** The conversations of a tenant, or of all, also those that were deleted. */
  all(tenant?: string): AsyncIterable<ConversationDocument>
}

export const emptyDocument = (
  { tenant, conversation }: ConversationKey,
  now: number,
): ConversationDocument => ({ format: 1, tenant, conversation, createdAt: now, branches: [] })

export function newBranch(
  { actor, branch }: ThreadKey,
  number: number,
  more: Pick<BranchDocument, 'updatedAt'> & Partial<BranchDocument>,
): BranchDocument {
  const log = { entries: [], turns: [], calls: [], marks: [], caches: [] }
  return { actor, branch, number, pastTurns: 0, epoch: 0, ...log, ...more }
}

export const findBranch = (document: ConversationDocument | undefined, thread: ThreadKey) =>
  document?.branches.find(({ actor, branch }) => actor === thread.actor && branch === thread.branch)

export function needBranch(document: ConversationDocument, thread: ThreadKey): BranchDocument {
  const branch = findBranch(document, thread)
  if (branch) return branch
  throw new NoConversationError(thread.conversation, document.isDeleted === true)
}

export const headOf = ({ forkOf, entries }: BranchDocument) => (forkOf?.at ?? 0) + entries.length

export const openTurn = ({ turns }: BranchDocument) =>
  turns.at(-1)?.status === 'open' ? turns.at(-1) : undefined

export const heldMs = (branch: BranchDocument, now: number) =>
  openTurn(branch) ? remainingMs(branch.lease, now) : 0

const parentOf = (
  document: ConversationDocument,
  { actor, forkOf }: BranchDocument,
): BranchDocument =>
  document.branches.find(one => one.actor === actor && one.branch === forkOf!.branch)!

/** The branch that wrote the entry at a place: this one, or one whose past it shares. */
export const ownerOf = (
  document: ConversationDocument,
  branch: BranchDocument,
  at: number,
): BranchDocument =>
  at > (branch.forkOf?.at ?? 0) ? branch : ownerOf(document, parentOf(document, branch), at)

export function entriesOf(
  document: ConversationDocument,
  branch: BranchDocument,
  from = 1,
  to = headOf(branch),
): StoredEntry[] {
  const at = branch.forkOf?.at ?? 0
  const entries = branch.entries.slice(Math.max(0, from - 1 - at), Math.max(0, to - at))
  if (from > at) return entries
  return entriesOf(document, parentOf(document, branch), from, Math.min(to, at)).concat(entries)
}

/** The turns of a branch, with those of its shared past: without their keys, and cut where the branch was forked. */
export function turnsOf(document: ConversationDocument, branch: BranchDocument): StoredTurn[] {
  const turns = branch.turns.map(turn => toTurn(branch, turn))
  const at = branch.forkOf?.at ?? 0
  if (at === 0) return turns
  return turnsOf(document, parentOf(document, branch))
    .slice(0, branch.pastTurns)
    .map(({ key: _, body: __, ...turn }) => ({ ...turn, last: Math.min(turn.last, at) }))
    .concat(turns)
}

/** A turn as stores give it. The last place of an open one is the head. */
const toTurn = (branch: BranchDocument, { epoch: _, ...turn }: TurnDocument): StoredTurn =>
  turn.status === 'open' ? { ...turn, last: headOf(branch) } : turn

export function stateOf(
  document: ConversationDocument,
  branch: BranchDocument,
  now: number,
): BranchState {
  const { tenant, conversation } = document
  const { actor, branch: name, pastTurns, turns, epoch, lease } = branch
  const asTurn = (turn: TurnDocument | undefined) => turn && toTurn(branch, turn)
  return {
    thread: { tenant, conversation, actor, branch: name },
    head: headOf(branch),
    turns: pastTurns + turns.length,
    epoch,
    open: openTurn(branch)?.turn,
    owner: lease?.owner,
    heldMs: () => heldMs(branch, now),
    seqOf: id => seqOf(document, branch, id),
    entries: (from, to) => entriesOf(document, branch, from, to),
    turn: number => toTurn(branch, turns[number - 1 - pastTurns]!),
    turnsFrom: number => turnsOf(document, branch).slice(number - 1),
    turnByKey: key => asTurn(turns.find(turn => turn.key === key)),
    turnByEpoch: value =>
      asTurn(value === 0 ? undefined : turns.findLast(turn => turn.epoch === value)),
  }
}

const indexes = new WeakMap<readonly unknown[], Map<string, number>>()

/** Where the items of a list stand, by their keys. Lists only grow: the index is kept, and items that came since are added. */
export function indexOf<Item>(list: readonly Item[], keyOf: (item: Item) => string) {
  const index = indexes.get(list) ?? new Map<string, number>()
  indexes.set(list, index)
  for (let at = index.size; at < list.length; at++) index.set(keyOf(list[at]!), at)
  return index
}

function seqOf(
  document: ConversationDocument,
  branch: BranchDocument,
  id: string,
): number | undefined {
  const index = indexOf(branch.entries, entry => entry.id).get(id)
  if (index !== undefined) return branch.entries[index]!.seq
  if (!branch.forkOf) return undefined
  const shared = seqOf(document, parentOf(document, branch), id)
  return shared !== undefined && shared <= branch.forkOf.at ? shared : undefined
}
