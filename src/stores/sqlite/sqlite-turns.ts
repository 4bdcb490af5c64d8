import { type BranchState, begunOf } from '../rules/branch-state.ts'
import {
  appendEntries,
  beginTurn,
  type Change,
  endTurn,
  isUse,
  renewLease,
  resumeTurn,
  seedEntries,
} from '../rules/write-rules.ts'
import type { Begun, MayBeFollowed, NewEntry, Store, ThreadKey, TurnEnd } from '../store.ts'
import { stateOf } from './branch-state.ts'
import { keepCall } from './call-rows.ts'
import type { Connection } from './connection.ts'
import type { BranchRow } from './conversation-rows.ts'
import { findBranch, makeBranch, needBranch, rememberBranch, saveBranch } from './conversation-rows.ts'
import { addEntries } from './entry-rows.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { keepMarks } from './sqlite-sides.ts'
import { insertTurn, saveTurn, turnByNumber } from './turn-rows.ts'

/** Writes to turns, and entries outside of them. Each method is one transaction: the rules decide, and it is done. */
export function sqliteTurns(
  context: SqliteContext,
): Pick<Store, 'begin' | 'resume' | 'append' | 'end' | 'renew' | 'seed'> {
  const { now, leases } = context
  const make = (connection: Connection, thread: ThreadKey) => makeBranch(connection, thread, now())
  const toHead = (_: unknown, { head }: BranchState) => ({ head })
  return {
    begin: (thread, turn) =>
      write(
        thread,
        make,
        state => beginTurn(state, turn),
        (begin, state): Begun =>
          'replayed' in begin ? { kind: 'replayed', turn: begin.replayed, head: state.head } : begunOf(state),
        turn,
      ),
    resume: (thread, turn) =>
      write(
        thread,
        findBranch,
        state => resumeTurn(state, turn),
        (change, state) => change && begunOf(state),
        turn,
      ),
    append: (thread, append) =>
      write(thread, needBranch, state => appendEntries(state, append), toHead, append),
    end: (thread, end) => write(thread, needBranch, state => endTurn(state, end), toHead),
    async renew(thread, lease, leaseMs) {
      await write(thread, needBranch, state => renewLease(state, lease, leaseMs), toHead)
    },
    seed: (thread, seed) => write(thread, make, state => seedEntries(state, seed), toHead, seed),
  }

  /** One transaction on a branch: what a rule decides is done. Nothing where there is no branch. */
  async function write<
    Branch extends BranchRow | undefined,
    Decision extends ReturnType<typeof beginTurn> | undefined,
    Answer,
  >(
    thread: ThreadKey,
    find: (connection: Connection, thread: ThreadKey) => Branch,
    decide: (state: BranchState) => Decision,
    toAnswer: (decision: Decision, state: BranchState) => Answer,
    { isFollowed }: MayBeFollowed = {},
  ): Promise<Answer | Extract<Branch, undefined>> {
    const work = (connection: Connection) => {
      const branch = find(connection, thread)
      if (!branch) return undefined
      const state = stateOf(connection, thread, branch, leases)
      const decision = decide(state)
      const change = decision && !('replayed' in decision) ? (decision as Change) : undefined
      const changed = change && applyChange(connection, branch, change)
      const after = changed ? stateOf(connection, thread, changed, leases) : state
      return { branch: changed, change, answer: toAnswer(decision, after) }
    }
    const done = await context.write(thread, work, {
      onCommit: write => write?.branch && settle(write.branch, write.change!),
      isFollowed,
    })
    return done?.answer as Answer | Extract<Branch, undefined>
  }

  /** Remembers in this process what a commit has changed. */
  function settle({ id, open_turn: open }: BranchRow, { opens, ends, lease }: Change): void {
    if (lease) leases.give(id, lease.ms)
    if (ends) leases.take(id)
    if (ends || opens) context.appendedAt.delete(id)
    else if (!lease && open !== null) context.appendedAt.set(id, now())
  }

  /** The row of the branch after a change; undefined if the change was done before. */
  function applyChange(connection: Connection, branch: BranchRow, change: Change): BranchRow | undefined {
    const { closes, opens, entries, ends, lease, call, marks = [] } = change
    const { id, open_turn: open } = branch
    const first = closes ? add(connection, branch, open!, closes.entries) : branch.head
    if (closes) close(connection, branch, closes, first, { epoch: 0 })
    const turn = opens ? branch.turns + 1 : (open ?? 0)
    const head = add(connection, { ...branch, head: first }, turn, entries)
    if (entries.length > 0 && head === branch.head && !opens && !ends) return undefined
    if (opens) {
      const place = { first: first + 1, last: head, startedAt: now() }
      insertTurn(connection, id, { turn, status: 'open', ...place, ...opens }, lease!.epoch)
    } else if (lease && lease.epoch !== branch.epoch) {
      saveTurn(connection, turnByNumber(connection, branch, turn), { epoch: lease.epoch })
    }
    if (ends) close(connection, branch, ends, head)
    if (call) keepCall(connection, id, call)
    keepMarks(connection, id, marks, first)
    // Half of what a store does is this: the row is saved later, and until then its entries say where the head is.
    if (open !== null && !opens && !ends && !lease) return rememberBranch(connection, { ...branch, head })
    return saveBranch(connection, branch, {
      head,
      ...(opens && { turns: turn, open_turn: turn }),
      ...(ends && { open_turn: null }),
      ...(lease && { owner: lease.owner, epoch: lease.epoch, lease_until: now() + lease.ms }),
      ...(isUse(change) && { updated_at: now() }),
    })
  }

  function close(
    connection: Connection,
    branch: BranchRow,
    { status, error = null }: Omit<TurnEnd, 'error'> & { readonly error?: string | null },
    last: number,
    more: { readonly epoch?: number } = {},
  ): void {
    const turn = turnByNumber(connection, branch, branch.open_turn!)
    saveTurn(connection, turn, { status, error, last, ended_at: now(), ...more })
  }

  function add(connection: Connection, branch: BranchRow, turn: number, entries: readonly NewEntry[]) {
    return addEntries(connection, branch, turn, entries, context.isIndexed())
  }
}
