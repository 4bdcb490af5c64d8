import type { BranchState } from '../rules/branch-state.ts'
import { nameOf } from '../rules/refusals.ts'
import type { ThreadKey } from '../store.ts'
import type { Connection } from './connection.ts'
import { type BranchRow, type Segment, segmentsOf } from './conversation-rows.ts'
import { readEntries, seqOf, toEntry } from './entry-rows.ts'
import type { SqliteLeases } from './sqlite-context.ts'
import { type TurnRow, toTurn, turnByEpoch, turnByKey, turnByNumber, turnsOf } from './turn-rows.ts'

/** What the rules ask of a branch. Rows are read only where a rule asks for them. */
export function stateOf(
  connection: Connection,
  thread: ThreadKey,
  branch: BranchRow,
  leases: SqliteLeases,
): BranchState {
  const { head, turns, epoch, open_turn: open, owner } = branch
  const asTurn = (row: TurnRow | undefined) => row && toTurn(row, head)
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
      segments ??= segmentsOf(connection, branch)
      return seqOf(connection, segments, id)
    },
    *entries(from, to) {
      for (const row of readEntries(connection, branch, { from, to })) yield toEntry(row, nameOf(thread))
    },
    turn: number => toTurn(turnByNumber(connection, branch, number), head),
    turnsFrom: number => turnsOf(connection, branch).slice(number - 1),
    turnByKey: key => asTurn(turnByKey(connection, branch, key)),
    turnByEpoch: value => asTurn(value === 0 ? undefined : turnByEpoch(connection, branch, value)),
  }
}
