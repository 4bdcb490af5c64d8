import { leaseTime } from '../lease-time.ts'
import { planRestore, timesOf } from '../plan-restore.ts'
import { branchExists, forkedElsewhere, leaseLost, nameOf, noParent, turnOpen } from '../refusals.ts'
import type { Lease, Mark, NewEntry, RestoreEntries, Store, StoredTurn, ThreadKey } from '../store.ts'
import { ConflictError, KeyReusedError } from '../store-error.ts'
import type { Branch, Memory } from './memory.ts'
import * as branches from './memory.ts'

/** Every method checks first and changes afterwards: a refused call leaves nothing behind. */
export function memoryWrites(memory: Memory) {
  const { now } = memory
  return {
    async begin(thread, { owner, leaseMs, expectedHead, key, body, closing = [], entries, marks = [] }) {
      const branch = memory.branchOrNew(thread)
      const known = key === undefined ? undefined : branch.turns.find(stored => stored.key === key)
      if (known && known.body !== body) throw new KeyReusedError(known.key!)
      if (known) return { kind: 'replayed', turn: known, ...headOf(branch) }
      const open = leftOpen(branch)
      expectHead(branch, expectedHead ?? branch.entries.length)

      memory.put(branch)
      if (open) {
        branches.addEntries(branch, open.turn, closing)
        branches.closeTurn(branch, { status: 'interrupted', endedAt: now() })
      }
      const number = branch.turns.length + 1
      const first = branch.entries.length + 1
      branches.addEntries(branch, number, entries)
      const lease = branches.giveLease(branch, number, owner, leaseTime(now(), leaseMs))
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
      memory.mark(branch, marks, first - 1)
      return { kind: 'begun', turn: begun, lease, ...headOf(branch) }
    },
    async resume(thread, { owner, leaseMs }) {
      const branch = memory.peek(thread)
      const turn = branch && leftOpen(branch)
      if (!branch || !turn) return undefined
      const lease = branches.giveLease(branch, turn.turn, owner, leaseTime(now(), leaseMs))
      return { kind: 'begun', turn, lease, ...headOf(branch) }
    },
    async append(thread, { lease, expectedHead, entries, call, marks = [] }) {
      const branch = memory.branch(thread)
      // A repeated append: all of it is stored, whoever holds the turn by now.
      if (!isRepeated(branch, entries)) write(branch, lease, expectedHead, entries, marks)
      if (call) branch.calls.set(call.id, call)
      return headOf(branch)
    },
    async end(thread, { lease, expectedHead, entries, call, marks = [], status, error }) {
      const branch = memory.branch(thread)
      if (isRepeatedEnd(branch, lease, status, entries)) return headOf(branch)
      write(branch, lease, expectedHead, entries, marks)
      branches.closeTurn(branch, { status, endedAt: now(), ...(error !== undefined && { error }) })
      if (call) branch.calls.set(call.id, call)
      return headOf(branch)
    },
    async renew(thread, lease, leaseMs) {
      const branch = memory.branch(thread)
      if (!branches.isHeldBy(branch, lease)) throw leaseLost(thread, lease)
      branch.leaseTime = leaseTime(now(), leaseMs)
    },
    async seed(thread, { expectedHead, entries }) {
      const branch = memory.branchOrNew(thread)
      if (isRepeated(branch, entries)) return headOf(branch)
      const open = branches.openTurn(branch)
      if (open) throw turnOpen(thread, open.turn, memory.heldMs(branch))
      expectHead(branch, expectedHead)
      memory.put(branch)
      branches.addEntries(branch, 0, entries)
      return headOf(branch)
    },
    async fork(thread, { at, branch: name }) {
      const source = memory.branch(thread)
      const existing = memory.peek({ ...thread, branch: name })
      if (existing && branches.isFork(existing, thread.branch, at)) return
      if (existing) throw branchExists(name)
      memory.put(branches.forkBranch(source, at, name, memory.nextNumber()))
    },
    async restore(thread, stretch) {
      const existing = memory.peek(thread)
      const branch = branchFor(thread, stretch)
      const fresh = planRestore(thread, stretch, {
        head: branch.entries.length,
        turns: branch.turns.length,
        open: branches.openTurn(branch)?.turn,
        entries: (from, to) => branch.entries.slice(from - 1, to),
        turnsFrom: turn => branch.turns.slice(turn - 1),
        seqOf: id => (branch.ids.has(id) ? branch.entries.find(entry => entry.id === id)?.seq : undefined),
        hasKey: key => branch.turns.some(turn => turn.key === key),
      })
      const times = timesOf(fresh)
      if (existing && !times) return headOf(branch)
      // A new branch is not older than its conversation.
      if (!existing) branch.updatedAt = timesOfConversation(thread)?.first ?? 0
      memory.put(branch, times ?? timesOfConversation(thread))
      for (const entry of fresh.entries) branches.addEntries(branch, entry.turn, [entry])
      for (const turn of fresh.turns) {
        branch.turns.push({ ...turn })
        // Nobody holds the turn: its lease has run out, and its former holder works on another store.
        branches.giveLease(branch, turn.turn, '', undefined)
      }
      return headOf(branch)
    },
  } satisfies Partial<Store>

  /** The turn that a writer who is gone has left open; throws while somebody holds it. */
  function leftOpen(branch: Branch): StoredTurn | undefined {
    const open = branches.openTurn(branch)
    const heldMs = memory.heldMs(branch)
    if (open && heldMs > 0) throw turnOpen(branch.thread, open.turn, heldMs)
    return open
  }

  function write(
    branch: Branch,
    lease: Lease,
    expectedHead: number,
    entries: readonly NewEntry[],
    marks: readonly Mark[],
  ): void {
    if (!branches.isHeldBy(branch, lease)) throw leaseLost(branch.thread, lease)
    if (!isRepeated(branch, entries)) expectHead(branch, expectedHead)
    memory.put(branch)
    const open = branch.turns.pop()!
    branches.addEntries(branch, open.turn, entries)
    memory.mark(branch, marks, expectedHead)
    branch.turns.push({ ...open, last: branch.entries.length })
  }

  /** The existing branch, or a new one: empty, or with its shared past. */
  function branchFor(thread: ThreadKey, { forkOf }: RestoreEntries): Branch {
    const branch = memory.branchOrNew(thread)
    if (!forkOf || branches.isFork(branch, forkOf.branch, forkOf.at)) return branch
    if (memory.peek(thread)) throw forkedElsewhere(thread.branch)
    const parent = memory.peek({ ...thread, branch: forkOf.branch })
    if (!parent) throw noParent(forkOf.branch)
    return branches.forkBranch(parent, forkOf.at, thread.branch, branch.number)
  }

  /** The times of a conversation. A branch without entries of its own does not count. */
  function timesOfConversation({ tenant, conversation }: ThreadKey) {
    const found = memory.find(tenant, conversation)
    return found && { first: found.createdAt, last: found.createdAt }
  }
}

const headOf = ({ entries }: Branch) => ({ head: entries.length })

const isRepeated = (branch: Branch, entries: readonly NewEntry[]) =>
  entries.length > 0 && branches.hasAll(branch, entries)

/** Whether this end was stored before, and only its answer was lost. */
function isRepeatedEnd(branch: Branch, lease: Lease, status: string, entries: readonly NewEntry[]): boolean {
  const turn = branch.turns.findLast(({ turn }) => branches.isLease(branch.leases.get(turn), lease))
  return turn?.status === status && status !== 'interrupted' && branches.hasAll(branch, entries)
}

function expectHead(branch: Branch, expected: number): void {
  const actual = branch.entries.length
  if (expected !== actual) throw new ConflictError(nameOf(branch.thread), expected, actual)
}
