import { leaseTime } from '../rules/lease-time.ts'
import { type Change, isUse } from '../rules/write-rules.ts'
import type { Mark, NewEntry, RestoreEntries, StoredCall, TurnEnd } from '../store.ts'
import { type BranchDocument, headOf, indexOf, openTurn } from './conversation-document.ts'

/** Changes a branch. `isStored` says whether it or its shared past has an entry. */
export function applyChange(
  branch: BranchDocument,
  change: Change,
  now: number,
  isStored: (id: string) => boolean,
): void {
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

function addEntries(
  branch: BranchDocument,
  entries: readonly NewEntry[],
  isStored: (id: string) => boolean,
): void {
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

/** Adds restored entries. Their turns have no holder: the former holders work on another store. */
export function addStretch(branch: BranchDocument, { entries, turns }: RestoreEntries): void {
  for (const { id, role, time, payload, tokens, seq, turn } of entries)
    branch.entries.push({ id, role, time, payload, tokens: { ...tokens }, seq, turn })
  if (entries.length + turns.length === 0) return
  branch.epoch += 1
  branch.lease = { owner: '', ...leaseTime(0, 0) }
  for (const turn of turns) branch.turns.push({ ...turn, epoch: turn.status === 'open' ? branch.epoch : 0 })
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
