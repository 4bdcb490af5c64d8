import { leaseLost, turnOpen } from '../refusals.ts'
import type { Begun, Lease, NewEntry, Store, StoredTurn } from '../store.ts'
import { KeyReusedError } from '../store-error.ts'
import { type BranchRow, expectHead, isHeldBy, makeBranch, needBranch, saveBranch } from './branch-rows.ts'
import type { Connection } from './connection.ts'
import { insertEntries, newOnes } from './entry-rows.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { closeTurn, insertTurn, toTurn, turnByEpoch, turnByKey } from './turn-rows.ts'

/** Begins, renews and ends turns. Each method is one transaction; an error rolls it back. */
export function sqliteTurns(context: SqliteContext): Pick<Store, 'begin' | 'end' | 'renew'> {
  const { now, leases } = context
  return {
    async begin(thread, { owner, leaseMs, expectedHead, key, body, closing = [], entries }) {
      const connection = context.ready()
      const begun = connection.write((): Begun & { branch: BranchRow } => {
        const branch = makeBranch(connection, thread, now())
        const known = key === undefined ? undefined : turnByKey(connection, branch, key)
        if (known && known.body !== (body ?? null)) throw new KeyReusedError(known.key!)
        if (known) return { kind: 'replayed', turn: toTurn(known, branch.head), head: branch.head, branch }
        const heldMs = leases.heldMs(branch)
        if (branch.open_turn !== null && heldMs > 0) throw turnOpen(thread, branch.open_turn, heldMs)
        expectHead(thread, branch, expectedHead ?? branch.head)
        const closed = interrupt(connection, branch, closing)
        const lease = { owner, epoch: branch.epoch + 1 }
        const number = branch.turns + 1
        const target = { ...branch, head: closed }
        const head = insert(connection, target, number, newOnes(connection, target, entries))
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
        const saved = saveBranch(connection, branch, { ...open, updated_at: now() })
        return { kind: 'begun', turn, lease, head, branch: saved }
      })
      const { branch, ...answer } = begun
      if (answer.kind === 'begun') {
        leases.give(branch.id, leaseMs)
        context.held.set(thread, branch)
      }
      return answer
    },
    async end(thread, { lease, expectedHead, entries, status, error }) {
      const connection = context.ready()
      context.held.delete(thread)
      const ended = connection.write(() => {
        const branch = needBranch(connection, thread)
        const fresh = newOnes(connection, branch, entries)
        if (!isHeldBy(branch, lease)) {
          if (fresh.length === 0 && isRepeatedEnd(connection, branch, lease, status))
            return { head: branch.head, branch: undefined }
          throw leaseLost(thread, lease)
        }
        if (entries.length === 0 || fresh.length > 0) expectHead(thread, branch, expectedHead)
        const head = insert(connection, branch, branch.open_turn!, fresh)
        const end = { status, last: head, endedAt: now(), ...(error !== undefined && { error }) }
        closeTurn(connection, branch, branch.open_turn!, end)
        saveBranch(connection, branch, { head, open_turn: null, updated_at: now() })
        return { head, branch }
      })
      if (ended.branch) leases.take(ended.branch.id)
      return { head: ended.head }
    },
    async renew(thread, lease, leaseMs) {
      const connection = context.ready()
      const renewed = connection.write(() => {
        const branch = needBranch(connection, thread)
        if (!isHeldBy(branch, lease)) throw leaseLost(thread, lease)
        return saveBranch(connection, branch, { lease_until: now() + leaseMs })
      })
      leases.give(renewed.id, leaseMs)
      context.held.set(thread, renewed)
    },
  }

  function insert(
    connection: Connection,
    { id, head }: BranchRow,
    turn: number,
    fresh: readonly NewEntry[],
  ): number {
    return insertEntries(connection, { id, head }, turn, fresh, context.queue())
  }

  /** Closes a turn whose writer's lease ran out; returns the head. */
  function interrupt(connection: Connection, branch: BranchRow, closing: readonly NewEntry[]): number {
    if (branch.open_turn === null) return branch.head
    const last = insert(connection, branch, branch.open_turn, newOnes(connection, branch, closing))
    closeTurn(connection, branch, branch.open_turn, { status: 'interrupted', last, endedAt: now() })
    return last
  }
}

/** Whether this end was stored before, and only its answer was lost. An interrupted turn was ended by somebody else. */
function isRepeatedEnd(connection: Connection, branch: BranchRow, lease: Lease, status: string): boolean {
  const turn = turnByEpoch(connection, branch, lease.epoch)
  return turn?.owner === lease.owner && turn.status === status && status !== 'interrupted'
}
