import type { ThreadKey } from '../store.ts'
import type { BranchRow } from './branch-rows.ts'

/**
 * The branches whose open turns this process wrote to last, so that an append need not look them up again. It may, since a file
 * has one writer. Only what is committed comes in here, and all of it goes with any error.
 */
export interface HeldTurns {
  get(thread: ThreadKey): BranchRow | undefined
  /** The branch as committed. Not that of a fork: its new entries must be looked up in two. */
  set(thread: ThreadKey, branch: BranchRow): void
  delete(thread: ThreadKey): void
  clear(): void
}

export function createHeldTurns(limit = 1_000): HeldTurns {
  const turns = new Map<string, BranchRow>()
  return {
    get: thread => turns.get(keyOf(thread)),
    set(thread, branch) {
      if (turns.size >= limit) turns.clear()
      if (branch.open_turn === null || branch.parent_id !== null) turns.delete(keyOf(thread))
      else turns.set(keyOf(thread), branch)
    },
    delete: thread => turns.delete(keyOf(thread)),
    clear: () => turns.clear(),
  }
}

/** A name that was stored has no NUL in it: no other four names give the same key, not even unchecked ones. */
const keyOf = ({ tenant, conversation, actor, branch }: ThreadKey) =>
  `${tenant}\0${conversation}\0${actor}\0${branch}`
