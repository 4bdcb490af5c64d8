import { type LeaseTime, remainingMs } from '../lease-time.ts'
import { notAPlace } from '../refusals.ts'
import type {
  Lease,
  Mark,
  MarkedPlace,
  NewEntry,
  StoredCall,
  StoredEntry,
  StoredTurn,
  ThreadKey,
} from '../store.ts'
import { NoConversationError } from '../store-error.ts'

export interface Conversation {
  readonly tenant: string
  readonly conversation: string
  readonly createdAt: number
  updatedAt: number
  isDeleted: boolean
  title: string | null
  metadata: string | null
  readonly branches: Map<string, Branch>
}

export type Memory = ReturnType<typeof createMemory>

/** Conversations and their branches by name. Nothing here is asynchronous, so every store method is one transaction. */
export function createMemory(now: () => number) {
  const conversations = new Map<string, Conversation>()
  /** By tenant and mark, the newest last: a list of a client is looked for by thousands of marks. */
  const marked = new Map<string, MarkedPlace[]>()
  let count = 0

  const find = (tenant: string, conversation: string) => conversations.get(keyOf(tenant, conversation))

  function peek(thread: ThreadKey): Branch | undefined {
    return find(thread.tenant, thread.conversation)?.branches.get(keyOf(thread.actor, thread.branch))
  }

  /** The branch to write to; throws if it does not exist or was deleted. */
  function branch(thread: ThreadKey): Branch {
    const found = peek(thread)
    if (found) return found
    const isDeleted = find(thread.tenant, thread.conversation)?.isDeleted ?? false
    throw new NoConversationError(thread.conversation, isDeleted)
  }

  /** The branch to write to, or an empty one that `put` adds to the store once nothing was refused. */
  function branchOrNew(thread: ThreadKey): Branch {
    const found = peek(thread)
    if (found) return found
    if (find(thread.tenant, thread.conversation)?.isDeleted) return branch(thread)
    const { tenant, conversation, actor, branch: name } = thread
    return newBranch({ tenant, conversation, actor, branch: name }, ++count)
  }

  function put(branch: Branch, times = { first: now(), last: now() }): void {
    const { tenant, conversation, actor, branch: name } = branch.thread
    const created = { tenant, conversation, createdAt: times.first, updatedAt: times.last, title: null }
    const fresh = { ...created, metadata: null, isDeleted: false, branches: new Map() }
    const found: Conversation = find(tenant, conversation) ?? fresh
    found.updatedAt = Math.max(found.updatedAt, times.last)
    branch.updatedAt = Math.max(branch.updatedAt, times.last)
    found.branches.set(keyOf(actor, name), branch)
    conversations.set(keyOf(tenant, conversation), found)
  }

  /** Empties a conversation. Its name stays, so that late writes are refused. */
  function remove(tenant: string, conversation: string): boolean {
    const found = find(tenant, conversation)
    if (!found || found.isDeleted) return false
    for (const { marks } of found.branches.values())
      for (const { mark } of marks.values()) forget(found, mark)
    found.branches.clear()
    Object.assign(found, { isDeleted: true, title: null, metadata: null })
    return true
  }

  function forget({ tenant, conversation }: Conversation, mark: string): void {
    const key = keyOf(tenant, mark)
    const rest = marked.get(key)?.filter(({ thread }) => thread.conversation !== conversation) ?? []
    if (rest.length > 0) marked.set(key, rest)
    else marked.delete(key)
  }

  const nextNumber = () => ++count

  /** Marks places that are counted from the one after `head`. */
  function mark(branch: Branch, marks: readonly Mark[], head = 0): void {
    for (const { mark, at: place } of marks) {
      const at = head + place
      const key = JSON.stringify([mark, at])
      if (branch.marks.has(key)) continue
      branch.marks.set(key, { mark, at })
      const name = keyOf(branch.thread.tenant, mark)
      const places = marked.get(name) ?? []
      places.push({ mark, at, thread: branch.thread })
      marked.set(name, places)
    }
  }

  /** The places with a mark, the newest first. */
  const placesOf = (tenant: string, mark: string): readonly MarkedPlace[] =>
    marked.get(keyOf(tenant, mark))?.toReversed() ?? []

  const heldMs = ({ leaseTime }: Branch) => remainingMs(leaseTime, now())
  const ofTenant = (tenant: string) =>
    [...conversations.values()].filter(found => found.tenant === tenant && !found.isDeleted)
  return { now, heldMs, find, peek, branch, branchOrNew, put, remove, mark, placesOf, nextNumber, ofTenant }
}

const keyOf = (...names: string[]) => JSON.stringify(names)

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
  /** By mark and place. */
  readonly marks: Map<string, Mark>
  updatedAt: number
  epoch: number
  leaseTime: LeaseTime | undefined
}

function newBranch(thread: ThreadKey, number: number): Branch {
  const log = { entries: [], turns: [], ids: new Set<string>(), epoch: 0, updatedAt: 0 }
  const sides = { calls: new Map(), caches: new Map(), marks: new Map() }
  return { thread, number, ...log, ...sides, leases: new Map(), leaseTime: undefined }
}

/** A fork takes the shared past along, but no calls, leases or idempotency keys. */
export function forkBranch(from: Branch, at: number, branch: string, number: number): Branch {
  if (!isForkPlace(from, at)) throw notAPlace(at)
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
function isForkPlace({ entries, turns }: Branch, at: number): boolean {
  if (!Number.isInteger(at) || at < 0 || at > entries.length) return false
  const last = turns.at(-1)
  if (last?.status === 'open' && at >= last.first) return false
  const [before, after] = [entries[at - 1], entries[at]]
  if (!before || !after || before.turn === 0) return true
  return before.turn !== after.turn || after.role === 'user'
}

/** Whether a branch is this fork. */
export const isFork = ({ forkOf }: Branch, branch: string, at: number) =>
  forkOf?.branch === branch && forkOf.at === at

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

export function giveLease(branch: Branch, turn: number, owner: string, time: LeaseTime | undefined): Lease {
  const lease = { owner, epoch: ++branch.epoch }
  branch.leases.set(turn, lease)
  branch.leaseTime = time
  return lease
}

export function isHeldBy(branch: Branch, lease: Lease): boolean {
  const open = openTurn(branch)
  return open !== undefined && isLease(branch.leases.get(open.turn), lease)
}

export const isLease = (held: Lease | undefined, lease: Lease) =>
  held?.owner === lease.owner && held.epoch === lease.epoch
