import type { Begun, Head, MayBeFollowed, RestoreEntries, Store, ThreadKey } from '../store.ts'
import { branchExists, forkedElsewhere, noParent, notAPlace } from '../store-error.ts'
import { planRestore, timesOf } from './plan-restore.ts'
import type { BranchState } from './write-rules.ts'
import * as rules from './write-rules.ts'

/** How a store works on its branches, inside a transaction: the rules decide, and it reads and writes. */
export interface BranchWriter<Transaction, Branch> {
  write<T>(thread: ThreadKey, work: (on: Transaction) => T, how?: WriteOptions<T>): Promise<T>
  now(): number
  find(on: Transaction, thread: ThreadKey): Branch | undefined
  /** The branch to write to; throws if it does not exist or was deleted. */
  need(on: Transaction, thread: ThreadKey): Branch
  /** The branch, or an empty one with this time. Throws if the conversation was deleted. */
  make(on: Transaction, thread: ThreadKey, time: number): Branch
  addFork(on: Transaction, parent: Branch, thread: ThreadKey, fork: ForkPlace): Branch
  /** Keeps a branch that was made, once nothing was refused. */
  keep?(on: Transaction, branch: Branch): void
  stateOf(on: Transaction, thread: ThreadKey, branch: Branch): BranchState
  forkOf(on: Transaction, branch: Branch): Head['forkOf']
  /** When the conversation was created, if it is there; throws if it was deleted. */
  createdAt(on: Transaction, thread: ThreadKey): number | undefined
  /** Returns the branch as it is then; undefined if the change was done before. */
  apply(
    on: Transaction,
    branch: Branch,
    change: rules.Change,
    state: BranchState,
  ): Branch | undefined
  /** Adds restored entries and turns; `last` is their latest time. Returns the head. */
  addStretch(
    on: Transaction,
    branch: Branch,
    fresh: Omit<RestoreEntries, 'forkOf'>,
    last: number,
  ): number
  /** Remembers in this process what a commit has changed. */
  settle?(branch: Branch, change: rules.Change): void
}

interface WriteOptions<T> extends MayBeFollowed {
  readonly onCommit?: (result: T) => void
}

/** Where a branch is forked, how many turns its shared past has, and the time that it gets. */
export interface ForkPlace {
  readonly at: number
  readonly turns: number
  readonly time: number
}

export function branchWrites<Transaction, Branch>(writer: BranchWriter<Transaction, Branch>) {
  const { now, find, need } = writer
  const make = (on: Transaction, thread: ThreadKey) => writer.make(on, thread, now())
  const headAfter = (_: unknown, { head }: BranchState) => ({ head })
  return {
    begin: (thread, turn) =>
      write(thread, make, state => rules.beginTurn(state, turn), toBegun, turn),
    resume: (thread, turn) =>
      write(thread, find, state => rules.resumeTurn(state, turn), toResumed, turn),
    append: (thread, append) =>
      write(thread, need, state => rules.appendEntries(state, append), headAfter, append),
    end: (thread, end) => write(thread, need, state => rules.endTurn(state, end), headAfter),
    async renew(thread, lease, leaseMs) {
      await write(thread, need, state => rules.renewLease(state, lease, leaseMs), headAfter)
    },
    seed: (thread, seed) =>
      write(thread, make, state => rules.seedEntries(state, seed), headAfter, seed),
    fork: (thread, { at, branch }) =>
      writer.write(thread, on => {
        const parent = need(on, thread)
        const existing = find(on, { ...thread, branch })
        if (existing && isFork(on, existing, { branch: thread.branch, at })) return
        if (existing) throw branchExists(branch)
        const fork = addFork(on, thread, parent, branch, at, now())
        writer.keep?.(on, fork)
      }),
    restore: (thread, stretch) =>
      writer.write(thread, on => {
        // A branch is not older than its conversation, and without entries of its own does not make it newer.
        const time = writer.createdAt(on, thread) ?? timesOf(stretch)?.first ?? now()
        const branch = branchFor(on, thread, stretch, time)
        const state = writer.stateOf(on, thread, branch)
        const fresh = planRestore(state, stretch)
        const times = timesOf(fresh)
        // Else no entries or turns are new, at most the branch itself.
        const head = times ? writer.addStretch(on, branch, fresh, times.last) : state.head
        writer.keep?.(on, branch)
        return { head }
      }),
  } satisfies Partial<Store>

  /** One transaction on a branch: what a rule decides is done. Nothing where there is no branch. */
  async function write<Decision extends ReturnType<typeof rules.beginTurn> | undefined, Answer>(
    thread: ThreadKey,
    findOne: (on: Transaction, thread: ThreadKey) => Branch | undefined,
    decide: (state: BranchState) => Decision,
    toAnswer: (decision: Decision, state: BranchState) => Answer,
    { mayDeferSync }: MayBeFollowed = {},
  ): Promise<Answer> {
    const work = (on: Transaction) => {
      const branch = findOne(on, thread)
      if (!branch) return undefined
      const state = writer.stateOf(on, thread, branch)
      const decision = decide(state)
      const change = decision && !('replayed' in decision) ? (decision as rules.Change) : undefined
      const changed = change && writer.apply(on, branch, change, state)
      if (changed) writer.keep?.(on, branch)
      const after = changed ? writer.stateOf(on, thread, changed) : state
      return { branch: changed, change, answer: toAnswer(decision, after) }
    }
    const done = await writer.write(thread, work, {
      onCommit: write => write?.branch && writer.settle?.(write.branch, write.change!),
      mayDeferSync,
    })
    return done?.answer as Answer
  }

  function isFork(
    on: Transaction,
    branch: Branch,
    { branch: name, at }: NonNullable<Head['forkOf']>,
  ) {
    const forkOf = writer.forkOf(on, branch)
    return forkOf?.branch === name && forkOf.at === at
  }

  function addFork(
    on: Transaction,
    of: ThreadKey,
    parent: Branch,
    branch: string,
    at: number,
    time: number,
  ) {
    const state = writer.stateOf(on, of, parent)
    if (!rules.isForkPlace(state, at)) throw notAPlace(at)
    const turns = state.turnsFrom(1).filter(({ first }) => first <= at).length
    return writer.addFork(on, parent, { ...of, branch }, { at, turns, time })
  }

  /** The existing branch, or a new one: empty, or with its shared past. */
  function branchFor(
    on: Transaction,
    thread: ThreadKey,
    { forkOf }: RestoreEntries,
    time: number,
  ): Branch {
    if (!forkOf) return writer.make(on, thread, time)
    const existing = find(on, thread)
    if (existing && isFork(on, existing, forkOf)) return existing
    if (existing) throw forkedElsewhere(thread.branch)
    const of = { ...thread, branch: forkOf.branch }
    const parent = find(on, of)
    if (!parent) throw noParent(forkOf.branch)
    return addFork(on, of, parent, thread.branch, forkOf.at, time)
  }
}

const toBegun = (decision: ReturnType<typeof rules.beginTurn>, state: BranchState): Begun =>
  'replayed' in decision
    ? { kind: 'replayed', turn: decision.replayed, head: state.head }
    : rules.begunOf(state)

const toResumed = (change: rules.Change | undefined, state: BranchState) =>
  change && rules.begunOf(state)

export function toHead(state: BranchState, forkOf: Head['forkOf']): Head {
  const { head, turns, open, owner = '', epoch } = state
  const lease = { owner, epoch }
  return {
    head,
    turns,
    ...(open !== undefined && {
      open: { ...state.turn(open), lease, expiresInMs: state.heldMs() },
    }),
    ...(forkOf && { forkOf }),
  }
}
