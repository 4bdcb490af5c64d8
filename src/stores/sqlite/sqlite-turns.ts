import { leaseLost, turnOpen } from '../refusals.ts'
import type { BeginTurn, Begun, Lease, NewEntry, Store, StoredTurn, ThreadKey } from '../store.ts'
import { KeyReusedError } from '../store-error.ts'
import { keepCall } from './call-rows.ts'
import type { Connection } from './connection.ts'
import {
  type BranchRow,
  expectHead,
  findBranch,
  isHeldBy,
  makeBranch,
  needBranch,
  rememberBranch,
  saveBranch,
} from './conversation-rows.ts'
import { addEntries } from './entry-rows.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { keepMarks } from './sqlite-sides.ts'
import {
  insertTurn,
  saveTurn,
  type TurnRow,
  toTurn,
  turnByEpoch,
  turnByKey,
  turnByNumber,
} from './turn-rows.ts'

/**
 * Writes to turns. Each method is one transaction. Entries are added before a write is refused: an error takes them back,
 * and only adding them shows whether all of them were stored before.
 */
export function sqliteTurns(
  context: SqliteContext,
): Pick<Store, 'begin' | 'resume' | 'append' | 'end' | 'renew'> {
  const { now, leases } = context
  return {
    async begin(thread, turn) {
      const { branch: _, ...begun } = await context.write(
        thread,
        connection => begin(connection, thread, turn),
        ({ kind, branch }) => kind === 'begun' && leases.give(branch.id, turn.leaseMs),
      )
      return begun
    },
    async resume(thread, { owner, leaseMs }) {
      const work = (connection: Connection) => {
        const branch = findBranch(connection, thread)
        if (!branch || branch.open_turn === null) return undefined
        const { head, open_turn: open } = branch
        refuseHeld(thread, branch)
        const lease = { owner, epoch: branch.epoch + 1 }
        saveBranch(connection, branch, { ...lease, lease_until: now() + leaseMs })
        const row = saveTurn(connection, turnByNumber(connection, branch, open), lease)
        return { branch, begun: { kind: 'begun' as const, turn: toTurn(row, head), lease, head } }
      }
      const resumed = await context.write(
        thread,
        work,
        given => given && leases.give(given.branch.id, leaseMs),
      )
      return resumed?.begun
    },
    async append(thread, { lease, expectedHead, entries, call, marks = [] }) {
      const work = (connection: Connection) => {
        const branch = needBranch(connection, thread)
        const head = add(connection, branch, branch.open_turn ?? 0, entries)
        // A repeated append: all of it is stored, whoever holds the turn by now.
        if (entries.length > 0 && head === branch.head) return { head }
        if (!isHeldBy(branch, lease)) throw leaseLost(thread, lease)
        expectHead(thread, branch, expectedHead)
        // Half of what a store does is this: the row is saved later, and until then its entries say where the head is.
        rememberBranch(connection, { ...branch, head })
        if (call) keepCall(connection, branch.id, call)
        keepMarks(connection, branch.id, marks, expectedHead)
        return { head, appended: branch.id }
      }
      const { head } = await context.write(
        thread,
        work,
        ({ appended }) => appended !== undefined && context.appendedAt.set(appended, now()),
      )
      return { head }
    },
    async end(thread, { lease, expectedHead, entries, call, marks = [], status, error = null }) {
      const work = (connection: Connection) => {
        const branch = needBranch(connection, thread)
        const { open_turn: open } = branch
        const head = add(connection, branch, open ?? 0, entries)
        const isStored = head === branch.head
        if (open === null || !isHeldBy(branch, lease)) {
          if (isStored && isRepeatedEnd(connection, branch, lease, status)) return { head }
          throw leaseLost(thread, lease)
        }
        if (entries.length === 0 || !isStored) expectHead(thread, branch, expectedHead)
        close(connection, branch, open, { status, last: head, error })
        saveBranch(connection, branch, { head, open_turn: null, updated_at: now() })
        if (call) keepCall(connection, branch.id, call)
        keepMarks(connection, branch.id, marks, expectedHead)
        return { head, ended: branch.id }
      }
      const { head } = await context.write(thread, work, ({ ended }) => {
        if (ended === undefined) return
        leases.take(ended)
        context.appendedAt.delete(ended)
      })
      return { head }
    },
    async renew(thread, lease, leaseMs) {
      const work = (connection: Connection) => {
        const branch = needBranch(connection, thread)
        if (!isHeldBy(branch, lease)) throw leaseLost(thread, lease)
        return saveBranch(connection, branch, { lease_until: now() + leaseMs })
      }
      await context.write(thread, work, ({ id }) => leases.give(id, leaseMs))
    },
  }

  function begin(
    connection: Connection,
    thread: ThreadKey,
    { owner, leaseMs, expectedHead, key, body, closing = [], entries, marks = [] }: BeginTurn,
  ): Begun & { readonly branch: BranchRow } {
    const branch = makeBranch(connection, thread, now())
    const known = key === undefined ? undefined : turnByKey(connection, branch, key)
    if (known && known.body !== (body ?? null)) throw new KeyReusedError(known.key!)
    if (known) return { kind: 'replayed', turn: toTurn(known, branch.head), head: branch.head, branch }
    refuseHeld(thread, branch)
    expectHead(thread, branch, expectedHead ?? branch.head)
    const closed = interrupt(connection, branch, closing)
    const lease = { owner, epoch: branch.epoch + 1 }
    const number = branch.turns + 1
    const head = add(connection, { ...branch, head: closed }, number, entries)
    const turn: StoredTurn = {
      turn: number,
      status: 'open',
      first: closed + 1,
      last: head,
      startedAt: now(),
      ...(key !== undefined && { key }),
      ...(body !== undefined && { body }),
    }
    insertTurn(connection, branch.id, turn, lease)
    const open = { head, turns: number, open_turn: number, ...lease, lease_until: now() + leaseMs }
    saveBranch(connection, branch, { ...open, updated_at: now() })
    keepMarks(connection, branch.id, marks, closed)
    return { kind: 'begun', turn, lease, head, branch }
  }

  function refuseHeld(thread: ThreadKey, branch: BranchRow): void {
    const heldMs = branch.open_turn === null ? 0 : leases.heldMs(branch)
    if (heldMs > 0) throw turnOpen(thread, branch.open_turn!, heldMs)
  }

  /** Closes a turn whose writer's lease ran out; returns the head. */
  function interrupt(connection: Connection, branch: BranchRow, closing: readonly NewEntry[]): number {
    if (branch.open_turn === null) return branch.head
    const last = add(connection, branch, branch.open_turn, closing)
    close(connection, branch, branch.open_turn, { status: 'interrupted', last, error: null })
    return last
  }

  function close(
    connection: Connection,
    branch: BranchRow,
    turn: number,
    end: Pick<TurnRow, 'status' | 'last' | 'error'>,
  ): void {
    saveTurn(connection, turnByNumber(connection, branch, turn), { ...end, ended_at: now() })
  }

  function add(connection: Connection, branch: BranchRow, turn: number, entries: readonly NewEntry[]) {
    return addEntries(connection, branch, turn, entries, context.isIndexed())
  }
}

/** Whether this end was stored before, and only its answer was lost. An interrupted turn was ended by somebody else. */
function isRepeatedEnd(connection: Connection, branch: BranchRow, lease: Lease, status: string): boolean {
  const turn = turnByEpoch(connection, branch, lease.epoch)
  return turn?.owner === lease.owner && turn.status === status && status !== 'interrupted'
}
