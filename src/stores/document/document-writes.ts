import { branchWrites } from '../rules/branch-writes.ts'
import { leaseTime } from '../rules/lease-time.ts'
import { type Change, isUse } from '../rules/write-rules.ts'
import type { Mark, NewEntry, StoredCall, TurnEnd } from '../store.ts'
import { NoConversationError } from '../store-error.ts'
import type { BranchDocument, ConversationDocument, DocumentSource } from './conversation-document.ts'
import {
  findBranch,
  headOf,
  indexOf,
  needBranch,
  newBranch,
  openTurn,
  stateOf,
} from './conversation-document.ts'

export const documentWrites = ({ now, nextNumber, change }: DocumentSource) =>
  branchWrites<ConversationDocument, BranchDocument>({
    write: change,
    now,
    find: findBranch,
    need: needBranch,
    make(document, thread, time) {
      const { conversation } = thread
      if (document.isDeleted) throw new NoConversationError(conversation, true)
      if (document.branches.length === 0) document.createdAt = time
      return findBranch(document, thread) ?? newBranch(thread, nextNumber(), { updatedAt: time })
    },
    addFork: (_, { branch }, thread, { at, turns, time }) =>
      newBranch(thread, nextNumber(), { forkOf: { branch, at }, pastTurns: turns, updatedAt: time }),
    keep({ branches }, branch) {
      if (!branches.includes(branch)) branches.push(branch)
    },
    stateOf: (document, _, branch) => stateOf(document, branch, now()),
    forkOf: (_, { forkOf }) => forkOf,
    createdAt({ branches, createdAt, isDeleted }, { conversation }) {
      if (isDeleted) throw new NoConversationError(conversation, true)
      return branches.length > 0 ? createdAt : undefined
    },
    apply(_, branch, change, { seqOf }) {
      applyChange(branch, change, now(), id => seqOf(id) !== undefined)
      return branch
    },
    addStretch(_, branch, { entries, turns }, last) {
      for (const { id, role, time, payload, tokens, seq, turn } of entries)
        branch.entries.push({ id, role, time, payload, tokens: { ...tokens }, seq, turn })
      // The turns have no holder: their former holders work on another store.
      branch.epoch += 1
      branch.lease = { owner: '', ...leaseTime(0, 0) }
      for (const turn of turns)
        branch.turns.push({ ...turn, epoch: turn.status === 'open' ? branch.epoch : 0 })
      branch.updatedAt = Math.max(branch.updatedAt, last)
      return headOf(branch)
    },
  })

/** Changes a branch. `isStored` says whether it or its shared past has an entry. */
function applyChange(branch: BranchDocument, change: Change, now: number, isStored: (id: string) => boolean) {
  const { closes, opens, entries, ends, lease, call, marks = [] } = change
  const add = (added: readonly NewEntry[]) => addEntries(branch, added, isStored)
  if (closes) {
    add(closes.entries)
    closeTurn(branch, closes, now, 0)
  }
  const head = headOf(branch)
  if (opens) {
    const turn = branch.pastTurns + branch.turns.length + 1
    const place = { first: head + 1, last: head, startedAt: now, epoch: lease!.epoch }
    branch.turns.push({ turn, status: 'open', ...place, ...opens })
  }
  add(entries)
  const isDone = entries.length > 0 && headOf(branch) === head && !opens && !ends
  if (isDone) return
  if (ends) closeTurn(branch, ends, now)
  if (lease) {
    branch.epoch = lease.epoch
    branch.lease = { ...leaseTime(now, lease.ms), owner: lease.owner }
    branch.turns.push({ ...branch.turns.pop()!, epoch: lease.epoch })
  }
  if (isUse(change)) branch.updatedAt = Math.max(branch.updatedAt, now)
  if (call) keepCall(branch, call)
  keepMarks(branch, marks, now, head)
}

function addEntries(branch: BranchDocument, entries: readonly NewEntry[], isStored: (id: string) => boolean) {
  const turn = openTurn(branch)?.turn ?? 0
  for (const { id, role, time, payload, tokens } of entries) {
    if (isStored(id)) continue
    branch.entries.push({ id, role, time, payload, tokens: { ...tokens }, seq: headOf(branch) + 1, turn })
  }
}

function closeTurn(branch: BranchDocument, { status, error }: TurnEnd, now: number, epoch?: number): void {
  const turn = branch.turns.pop()!
  const end = { status, last: headOf(branch), endedAt: now, ...(error !== undefined && { error }) }
  branch.turns.push({ ...turn, ...end, ...(epoch !== undefined && { epoch }) })
}

export const keepCall = ({ calls }: BranchDocument, call: StoredCall): void =>
  replace(calls, call, ({ id }) => id === call.id)

export const keepCache = ({ caches }: BranchDocument, cache: BranchDocument['caches'][number]): void =>
  replace(caches, cache, ({ key }) => key === cache.key)

/** Puts an item in the place of the one before, or at the end. Mostly that is one of the last. */
function replace<Item>(list: Item[], item: Item, isBefore: (one: Item) => boolean): void {
  const at = list.findLastIndex(isBefore)
  list.splice(at < 0 ? list.length : at, 1, item)
}

/** Keeps the marks that are not there yet. Their places are counted from the one after `head`. */
export function keepMarks(branch: BranchDocument, marks: readonly Mark[], now: number, head = 0): void {
  for (const { mark, at } of marks) {
    const place = { mark, at: head + at, time: now }
    if (!indexOf(branch.marks, keyOf).has(keyOf(place))) branch.marks.push(place)
  }
}

const keyOf = ({ mark, at }: Mark) => `${at} ${mark}`
