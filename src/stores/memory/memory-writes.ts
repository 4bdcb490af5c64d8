import { checkEntries, checkNames, checkThread } from '../check-input.ts'
import { leaseTime } from '../lease-time.ts'
import { branchExists, leaseLost, nameOf, notAPlace, turnOpen } from '../refusals.ts'
import type { Lease, NewEntry, Store, StoredTurn } from '../store.ts'
import { ConflictError, KeyReusedError } from '../store-error.ts'
import type { Memory } from './memory.ts'
import type { Branch } from './memory-branch.ts'
import * as branches from './memory-branch.ts'

type Writes = Pick<Store, 'begin' | 'resume' | 'append' | 'end' | 'renew' | 'seed' | 'fork'>

/** Every method checks first and changes afterwards: a refused call leaves nothing behind. */
export function memoryWrites(memory: Memory): Writes {
  const { now } = memory
  return {
    async begin(thread, turn) {
      const { owner, leaseMs, expectedHead, key, body, closing = [], entries } = turn
      checkEntries([...closing, ...entries], memory.maxEntryBytes)
      checkNames({ owner, key, body })
      const branch = memory.branchOrNew(thread)
      const known = key === undefined ? undefined : branch.turns.find(stored => stored.key === key)
      if (known && known.body !== body) throw new KeyReusedError(known.key!)
      if (known) return { kind: 'replayed', turn: known, head: branch.entries.length }
      const open = branches.openTurn(branch)
      const heldMs = branches.heldMs(branch, now())
      if (open && heldMs > 0) throw turnOpen(thread, open.turn, heldMs)
      expectHead(branch, expectedHead ?? branch.entries.length)

      memory.put(branch)
      if (open) {
        branches.addEntries(branch, open.turn, closing)
        branches.closeTurn(branch, { status: 'interrupted', endedAt: now() })
      }
      const number = branch.turns.length + 1
      const first = branch.entries.length + 1
      branches.addEntries(branch, number, entries)
      const lease = { owner, epoch: ++branch.epoch }
      branch.leases.set(number, lease)
      branch.leaseTime = leaseTime(now(), leaseMs)
      const begun: StoredTurn = {
        turn: number,
        status: 'open',
        first,
        last: branch.entries.length,
        startedAt: now(),
        ...(key !== undefined && { key }),
        ...(body !== undefined && { body }),
      }
      branch.turns.push(begun)
      return { kind: 'begun', turn: begun, lease, head: branch.entries.length }
    },
    async resume(thread, { owner, leaseMs }) {
      checkNames({ owner })
      const branch = memory.peek(thread)
      const open = branch && branches.openTurn(branch)
      if (!branch || !open) return undefined
      const heldMs = branches.heldMs(branch, now())
      if (heldMs > 0) throw turnOpen(thread, open.turn, heldMs)
      const lease = { owner, epoch: ++branch.epoch }
      branch.leases.set(open.turn, lease)
      branch.leaseTime = leaseTime(now(), leaseMs)
      return { kind: 'begun', turn: open, lease, head: branch.entries.length }
    },
    async append(thread, { lease, expectedHead, entries }) {
      checkEntries(entries, memory.maxEntryBytes)
      const branch = memory.branch(thread)
      // A repeated append: all of it is stored, whoever holds the turn by now.
      if (entries.length > 0 && branches.hasAll(branch, entries)) return { head: branch.entries.length }
      write(branch, lease, expectedHead, entries)
      return { head: branch.entries.length }
    },
    async end(thread, { lease, expectedHead, entries, status, error }) {
      checkNames({ error })
      checkEntries(entries, memory.maxEntryBytes)
      const branch = memory.branch(thread)
      if (isRepeatedEnd(branch, lease, status, entries)) return { head: branch.entries.length }
      write(branch, lease, expectedHead, entries)
      branches.closeTurn(branch, { status, endedAt: now(), ...(error !== undefined && { error }) })
      return { head: branch.entries.length }
    },
    async renew(thread, lease, leaseMs) {
      const branch = memory.branch(thread)
      if (!branches.isHeldBy(branch, lease)) throw leaseLost(thread, lease)
      branch.leaseTime = leaseTime(now(), leaseMs)
    },
    async seed(thread, { expectedHead, entries }) {
      checkEntries(entries, memory.maxEntryBytes)
      const branch = memory.branchOrNew(thread)
      if (entries.length > 0 && branches.hasAll(branch, entries)) return { head: branch.entries.length }
      const open = branches.openTurn(branch)
      if (open) throw turnOpen(thread, open.turn, branches.heldMs(branch, now()))
      expectHead(branch, expectedHead)
      memory.put(branch)
      branches.addEntries(branch, 0, entries)
      return { head: branch.entries.length }
    },
    async fork(thread, { at, branch: name }) {
      const source = memory.branch(thread)
      checkThread({ ...thread, branch: name })
      const existing = memory.peek({ ...thread, branch: name })
      const isSame = existing?.forkOf?.branch === thread.branch && existing.forkOf.at === at
      if (existing && isSame) return
      if (existing) throw branchExists(name)
      if (!branches.isForkPlace(source, at)) throw notAPlace(at)
      memory.put(branches.forkBranch(source, at, name, memory.nextNumber()))
    },
  }

  function write(branch: Branch, lease: Lease, expectedHead: number, entries: readonly NewEntry[]): void {
    if (!branches.isHeldBy(branch, lease)) throw leaseLost(branch.thread, lease)
    if (entries.length === 0 || !branches.hasAll(branch, entries)) expectHead(branch, expectedHead)
    memory.put(branch)
    const open = branch.turns.pop()!
    branches.addEntries(branch, open.turn, entries)
    branch.turns.push({ ...open, last: branch.entries.length })
  }
}

/** Whether this end was stored before, and only its answer was lost. */
function isRepeatedEnd(branch: Branch, lease: Lease, status: string, entries: readonly NewEntry[]): boolean {
  const turn = branch.turns.findLast(({ turn }) => branches.isLease(branch.leases.get(turn), lease))
  return turn?.status === status && status !== 'interrupted' && branches.hasAll(branch, entries)
}

function expectHead(branch: Branch, expected: number): void {
  const actual = branch.entries.length
  if (expected !== actual) throw new ConflictError(nameOf(branch.thread), expected, actual)
}
