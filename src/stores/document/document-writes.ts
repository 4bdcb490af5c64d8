import { type BranchState, begunOf } from '../rules/branch-state.ts'
import { planRestore, timesOf } from '../rules/plan-restore.ts'
import { branchExists, forkedElsewhere, noParent, notAPlace } from '../rules/refusals.ts'
import {
  appendEntries,
  beginTurn,
  endTurn,
  isForkPlace,
  renewLease,
  resumeTurn,
  seedEntries,
} from '../rules/write-rules.ts'
import type { RestoreEntries, Store, ThreadKey } from '../store.ts'
import { addStretch, applyChange } from './apply-change.ts'
import type { BranchDocument, ConversationDocument } from './conversation-document.ts'
import { findBranch, headOf, needBranch, newBranch, stateOf, turnsOf } from './conversation-document.ts'
import type { DocumentSource } from './document-source.ts'

/** Writes to branches. The rules refuse before anything is changed. */
export function documentWrites(source: DocumentSource) {
  return {
    async begin(thread, turn) {
      const [begin, state] = await write(thread, branchOrNew, state => beginTurn(state, turn))
      if ('replayed' in begin) return { kind: 'replayed', turn: begin.replayed, head: state.head }
      return begunOf(state)
    },
    async resume(thread, turn) {
      const find = (document: ConversationDocument) => findBranch(document, thread) ?? newBranch(thread, 0)
      const [change, state] = await write(thread, find, state => resumeTurn(state, turn))
      return change && begunOf(state)
    },
    append: async (thread, append) => toHead(await write(thread, needBranch, s => appendEntries(s, append))),
    end: async (thread, end) => toHead(await write(thread, needBranch, s => endTurn(s, end))),
    async renew(thread, lease, leaseMs) {
      await write(thread, needBranch, state => renewLease(state, lease, leaseMs))
    },
    seed: async (thread, seed) => toHead(await write(thread, branchOrNew, s => seedEntries(s, seed))),
    async fork(thread, { at, branch: name }) {
      await source.change(thread, document => {
        const parent = needBranch(document, thread)
        const existing = findBranch(document, { ...thread, branch: name })
        if (existing && isFork(existing, thread.branch, at)) return
        if (existing) throw branchExists(name)
        const fork = forkBranch(document, parent, { ...thread, branch: name }, at)
        fork.updatedAt = source.now()
        document.branches.push(fork)
      })
    },
    restore: (thread, stretch) =>
      source.change(thread, document => {
        const branch = branchFor(document, thread, stretch)
        const fresh = planRestore(stateOf(document, branch, source.now()), stretch)
        const times = timesOf(fresh)
        if (document.branches.length === 0) document.createdAt = times?.first ?? source.now()
        addStretch(branch, fresh)
        // A branch is not older than its conversation.
        branch.updatedAt = Math.max(branch.updatedAt, document.createdAt, times?.last ?? 0)
        put(document, branch)
        return { head: headOf(branch) }
      }),
  } satisfies Partial<Store>

  /** One transaction on a branch: what a rule decides is done. Gives the decision, and the state of the branch after it. */
  function write<Decision extends ReturnType<typeof beginTurn> | undefined>(
    thread: ThreadKey,
    find: (document: ConversationDocument, thread: ThreadKey) => BranchDocument,
    decide: (state: BranchState) => Decision,
  ): Promise<readonly [Decision, BranchState]> {
    return source.change(thread, document => {
      const branch = find(document, thread)
      const now = source.now()
      const state = stateOf(document, branch, now)
      const decision = decide(state)
      if (!decision || 'replayed' in decision) return [decision, state]
      applyChange(branch, decision, now, id => state.seqOf(id) !== undefined)
      put(document, branch)
      return [decision, stateOf(document, branch, now)]
    })
  }

  /** The branch to write to, or an empty one, which is put into the document once nothing was refused. */
  function branchOrNew(document: ConversationDocument, thread: ThreadKey): BranchDocument {
    if (document.isDeleted) return needBranch(document, thread)
    return findBranch(document, thread) ?? newBranch(thread, source.nextNumber())
  }

  function forkBranch(
    document: ConversationDocument,
    parent: BranchDocument,
    thread: ThreadKey,
    at: number,
  ): BranchDocument {
    if (!isForkPlace(stateOf(document, parent, source.now()), at)) throw notAPlace(at)
    const pastTurns = turnsOf(document, parent).filter(({ first }) => first <= at).length
    return newBranch(thread, source.nextNumber(), { forkOf: { branch: parent.branch, at }, pastTurns })
  }

  /** The existing branch, or a new one: empty, or with its shared past. */
  function branchFor(
    document: ConversationDocument,
    thread: ThreadKey,
    { forkOf }: RestoreEntries,
  ): BranchDocument {
    const branch = branchOrNew(document, thread)
    if (!forkOf || isFork(branch, forkOf.branch, forkOf.at)) return branch
    if (document.branches.includes(branch)) throw forkedElsewhere(thread.branch)
    const parent = findBranch(document, { ...thread, branch: forkOf.branch })
    if (!parent) throw noParent(forkOf.branch)
    return forkBranch(document, parent, thread, forkOf.at)
  }
}

const isFork = ({ forkOf }: BranchDocument, branch: string, at: number) =>
  forkOf?.branch === branch && forkOf.at === at

function put(document: ConversationDocument, branch: BranchDocument): void {
  if (!document.branches.includes(branch)) document.branches.push(branch)
}

const toHead = ([, { head }]: readonly [unknown, BranchState]) => ({ head })
