import { toBase64 } from '@throughline/core/values'
import { toDescription } from '../check-input.ts'
import { branchWrites } from '../rules/branch-writes.ts'
import { isLaterUse, lastUseOf } from '../rules/last-use.ts'
import { leaseTime } from '../rules/lease-time.ts'
import { type Change, isUse } from '../rules/write-rules.ts'
import type { Mark, NewEntry, Store, StoredCall, TurnEnd } from '../store.ts'
import { NoConversationError } from '../store-error.ts'
import type {
  BranchDocument,
  ConversationDocument,
  DocumentSource,
} from './conversation-document.ts'
import * as stored from './conversation-document.ts'
import { documentReads, toInfo } from './document-reads.ts'

export function storeOfDocuments(source: DocumentSource): Store {
  return {
    migrate: async () => [],
    ...documentWrites(source),
    ...documentReads(source),
    saveCall: (thread, call) =>
      source.change(thread, document => keepCall(stored.needBranch(document, thread), call)),
    saveCache: (thread, key, at, bytes) =>
      source.change(thread, document =>
        keepCache(stored.needBranch(document, thread), { key, at, base64: toBase64(bytes) }),
      ),
    saveMarks: (thread, marks) =>
      source.change(thread, document =>
        keepMarks(stored.needBranch(document, thread), marks, source.now()),
      ),
    async describeConversation(tenant, conversation, description) {
      const { title, metadata, person } = toDescription(description)
      await source.change({ tenant, conversation }, document => {
        if (document.branches.length === 0)
          throw new NoConversationError(conversation, document.isDeleted === true)
        if (title !== undefined) document.title = title
        if (metadata !== undefined) document.metadata = metadata
        if (person !== undefined) document.person = person
        const now = source.now()
        if (isLaterUse(now, document.usedAt)) document.usedAt = now
      })
    },
    async deleteCalls(tenant, before) {
      let count = 0
      for await (const { conversation, branches } of source.all(tenant)) {
        if (branches.some(({ calls }) => calls.some(({ time }) => time < before)))
          count += await source.change({ tenant, conversation }, document =>
            removeCalls(document, before),
          )
      }
      return count
    },
    deleteConversation: (tenant, conversation, { unusedSince } = {}) =>
      source.change({ tenant, conversation }, document => {
        const { branches } = document
        const isHeld = () => branches.some(branch => stored.heldMs(branch, source.now()) > 0)
        const isOld = unusedSince !== undefined
        const isUsed = isOld && (lastUseOf(toInfo(document)) >= unusedSince || isHeld())
        if (branches.length === 0 || isUsed) return false
        const nothing = {
          title: null,
          metadata: null,
          person: null,
          usedAt: undefined,
          branches: [],
        }
        Object.assign(document, nothing, { isDeleted: !isOld })
        return true
      }),
    erase: (thread, seq, mark) =>
      source.change(thread, document => {
        const branch = stored.ownerOf(document, stored.needBranch(document, thread), seq)
        const at = seq - 1 - (branch.forkOf?.at ?? 0)
        const entry = branch.entries[at]
        if (!entry) return false
        branch.entries[at] = { ...entry, ...mark }
        for (const one of document.branches.filter(({ actor }) => actor === thread.actor)) {
          one.caches.length = 0
          one.calls = one.calls.filter(({ turn }) => turn < entry.turn)
        }
        return true
      }),
    check: async () => [],
    close: async () => {},
  }
}

function removeCalls({ branches }: ConversationDocument, before: number): number {
  let count = 0
  for (const branch of branches) {
    const kept = branch.calls.filter(({ time }) => time >= before)
    count += branch.calls.length - kept.length
    branch.calls = kept
  }
  return count
}

const documentWrites = ({ now, nextNumber, change }: DocumentSource) =>
  branchWrites<ConversationDocument, BranchDocument>({
    write: change,
    now,
    find: stored.findBranch,
    need: stored.needBranch,
    make(document, thread, time) {
      const { conversation } = thread
      if (document.isDeleted) throw new NoConversationError(conversation, true)
      if (document.branches.length === 0) document.createdAt = time
      return (
        stored.findBranch(document, thread) ??
        stored.newBranch(thread, nextNumber(), { updatedAt: time })
      )
    },
    addFork: (_, { branch }, thread, { at, turns, time }) =>
      stored.newBranch(thread, nextNumber(), {
        forkOf: { branch, at },
        pastTurns: turns,
        updatedAt: time,
      }),
    keep({ branches }, branch) {
      if (!branches.includes(branch)) branches.push(branch)
    },
    stateOf: (document, _, branch) => stored.stateOf(document, branch, now()),
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
      return stored.headOf(branch)
    },
  })

/** Changes a branch. `isStored` says whether it or its shared past has an entry. */
function applyChange(
  branch: BranchDocument,
  change: Change,
  now: number,
  isStored: (id: string) => boolean,
) {
  const { closes, opens, entries, ends, lease, call, marks = [] } = change
  const add = (added: readonly NewEntry[]) => addEntries(branch, added, isStored)
  if (closes) {
    add(closes.entries)
    closeTurn(branch, closes, now, 0)
  }
  const head = stored.headOf(branch)
  if (opens) {
    const turn = branch.pastTurns + branch.turns.length + 1
    const place = { first: head + 1, last: head, startedAt: now, epoch: lease!.epoch }
    branch.turns.push({ turn, status: 'open', ...place, ...opens })
  }
  add(entries)
  const isDone = entries.length > 0 && stored.headOf(branch) === head && !opens && !ends
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
) {
  const turn = stored.openTurn(branch)?.turn ?? 0
  for (const { id, role, time, payload, tokens } of entries) {
    if (isStored(id)) continue
    branch.entries.push({
      id,
      role,
      time,
      payload,
      tokens: { ...tokens },
      seq: stored.headOf(branch) + 1,
      turn,
    })
  }
}

function closeTurn(
  branch: BranchDocument,
  { status, error }: TurnEnd,
  now: number,
  epoch?: number,
): void {
  const turn = branch.turns.pop()!
  const end = {
    status,
    last: stored.headOf(branch),
    endedAt: now,
    ...(error !== undefined && { error }),
  }
  branch.turns.push({ ...turn, ...end, ...(epoch !== undefined && { epoch }) })
}

const keepCall = ({ calls }: BranchDocument, call: StoredCall): void =>
  replace(calls, call, ({ id }) => id === call.id)

const keepCache = ({ caches }: BranchDocument, cache: BranchDocument['caches'][number]): void =>
  replace(caches, cache, ({ key }) => key === cache.key)

/** Puts an item in the place of the one before, or at the end. Mostly that is one of the last. */
function replace<Item>(list: Item[], item: Item, isBefore: (one: Item) => boolean): void {
  const at = list.findLastIndex(isBefore)
  list.splice(at < 0 ? list.length : at, 1, item)
}

/** Keeps the marks that are not there yet. Their places are counted from the one after `head`. */
function keepMarks(branch: BranchDocument, marks: readonly Mark[], now: number, head = 0): void {
  for (const { mark, at } of marks) {
    const place = { mark, at: head + at, time: now }
    if (!stored.indexOf(branch.marks, keyOf).has(keyOf(place))) branch.marks.push(place)
  }
}

const keyOf = ({ mark, at }: Mark) => `${at} ${mark}`
