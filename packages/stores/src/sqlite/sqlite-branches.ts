import { type BranchWriter, branchWrites } from '../rules/branch-writes.ts'
import { type BranchState, type Change, isUse } from '../rules/write-rules.ts'
import type { NewEntry, ThreadKey, TurnEnd } from '../store.ts'
import { nameOf } from '../store-error.ts'
import type { Connection } from './connection.ts'
import type { BranchRow, Segment, TurnRow } from './conversation-rows.ts'
import * as stored from './conversation-rows.ts'
import { addEntries, insertEntry, readEntries, seqOf, toEntry } from './entry-rows.ts'
import type { SqliteContext, SqliteLeases } from './sqlite-context.ts'
import { keepCall, keepMarks } from './sqlite-sides.ts'
import { queueEntry } from './word-index.ts'

export function sqliteBranches(context: SqliteContext) {
  const { now, leases, isIndexed } = context
  return branchWrites<Connection, BranchRow>({
    write: context.write,
    now,
    find: stored.findBranch,
    need: stored.needBranch,
    make: stored.makeBranch,
    addFork: (connection, { id, conversation_id }, thread, { at, turns, time }) =>
      stored.insertBranch(connection, thread, {
        conversation_id,
        parent_id: id,
        fork_at: at,
        head: at,
        turns,
        updated_at: time,
      }),
    stateOf: (connection, thread, branch) => stateOf(connection, thread, branch, leases),
    forkOf: stored.forkOf,
    createdAt: (connection, thread) => stored.refuseDeleted(connection, thread)?.created_at,
    apply,
    addStretch,
    settle({ id, open_turn: open }, { opens, ends, lease }) {
      if (lease) leases.give(id, lease.ms)
      if (ends) leases.take(id)
      if (ends || opens) context.appendedAt.delete(id)
      else if (!lease && open !== null) context.appendedAt.set(id, now())
    },
  })

  function apply(connection: Connection, branch: BranchRow, change: Change): BranchRow | undefined {
    const { closes, opens, entries, ends, lease, call, marks = [] } = change
    const { id, open_turn: open } = branch
    const first = closes ? add(connection, branch, open!, closes.entries) : branch.head
    if (closes) close(connection, branch, closes, first, { epoch: 0 })
    const turn = opens ? branch.turns + 1 : (open ?? 0)
    const head = add(connection, { ...branch, head: first }, turn, entries)
    if (entries.length > 0 && head === branch.head && !opens && !ends) return undefined
    if (opens) {
      const place = { first: first + 1, last: head, startedAt: now() }
      stored.insertTurn(connection, id, { turn, status: 'open', ...place, ...opens }, lease!.epoch)
    } else if (lease && lease.epoch !== branch.epoch) {
      stored.saveTurn(connection, stored.turnByNumber(connection, branch, turn), {
        epoch: lease.epoch,
      })
    }
    if (ends) close(connection, branch, ends, head)
    if (call) keepCall(connection, id, call)
    keepMarks(connection, id, marks, first)
    // Half of what a store does is this: the row is saved later, and until then its entries say where the head is.
    if (open !== null && !opens && !ends && !lease)
      return stored.rememberBranch(connection, { ...branch, head })
    return stored.saveBranch(connection, branch, {
      head,
      ...(opens && { turns: turn, open_turn: turn }),
      ...(ends && { open_turn: null }),
      ...(lease && { owner: lease.owner, epoch: lease.epoch, lease_until: now() + lease.ms }),
      ...(isUse(change) && { updated_at: now() }),
    })
  }

  function addStretch(...[connection, branch, { entries, turns }, last]: AddStretch): number {
    for (const entry of entries) {
      insertEntry(connection, branch.id, entry)
      if (isIndexed()) queueEntry(connection, branch.id, entry)
    }
    // Restored turns have no holder: the former holders work on another store.
    const epoch = branch.epoch + 1
    for (const turn of turns)
      stored.insertTurn(connection, branch.id, turn, turn.status === 'open' ? epoch : 0)
    const latest = turns.at(-1)
    const open = latest?.status === 'open' ? latest.turn : null
    const head = branch.head + entries.length
    const lease = { owner: '', epoch, lease_until: 0 }
    const changes = {
      head,
      turns: latest?.turn ?? branch.turns,
      open_turn: open,
      ...lease,
      updated_at: last,
    }
    stored.saveBranch(connection, branch, changes)
    return head
  }

  function close(
    connection: Connection,
    branch: BranchRow,
    { status, error = null }: Omit<TurnEnd, 'error'> & { readonly error?: string | null },
    last: number,
    more: { readonly epoch?: number } = {},
  ): void {
    const turn = stored.turnByNumber(connection, branch, branch.open_turn!)
    stored.saveTurn(connection, turn, { status, error, last, ended_at: now(), ...more })
  }

  function add(
    connection: Connection,
    branch: BranchRow,
    turn: number,
    entries: readonly NewEntry[],
  ) {
    return addEntries(connection, branch, turn, entries, isIndexed())
  }
}

type AddStretch = Parameters<BranchWriter<Connection, BranchRow>['addStretch']>

/** What the rules ask of a branch. Rows are read only where a rule asks for them. */
export function stateOf(
  connection: Connection,
  thread: ThreadKey,
  branch: BranchRow,
  leases: SqliteLeases,
): BranchState {
  const { head, turns, epoch, open_turn: open, owner } = branch
  const asTurn = (row: TurnRow | undefined) => row && stored.toTurn(row, head)
  let segments: readonly Segment[] | undefined
  return {
    thread,
    head,
    turns,
    epoch,
    open: open ?? undefined,
    owner: owner ?? undefined,
    heldMs: () => (open === null ? 0 : leases.heldMs(branch)),
    seqOf(id) {
      segments ??= stored.segmentsOf(connection, branch)
      return seqOf(connection, segments, id)
    },
    *entries(from, to) {
      for (const row of readEntries(connection, branch, { from, to }))
        yield toEntry(row, nameOf(thread))
    },
    turn: number => stored.toTurn(stored.turnByNumber(connection, branch, number), head),
    turnsFrom: number => stored.turnsOf(connection, branch).slice(number - 1),
    turnByKey: key => asTurn(stored.turnByKey(connection, branch, key)),
    turnByEpoch: value =>
      asTurn(value === 0 ? undefined : stored.turnByEpoch(connection, branch, value)),
  }
}
