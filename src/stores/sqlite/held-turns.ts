import type { ThreadKey } from '../store.ts'
import type { BranchRow } from './branch-rows.ts'

/**
 * Remembers the branches whose open turns this process wrote to last, so that an append need not look them up: possible
 * because a file has one writer. Holds only committed rows, and is emptied by any error.
 */
export interface HeldTurns {
  get(thread: ThreadKey): BranchRow | undefined
  /** Remembers a committed branch, but not a fork: its new entries must be looked up in two branches. */
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

/** Stored names have no NUL, so no other four names give the same key, even unchecked ones. */
const keyOf = ({ tenant, conversation, actor, branch }: ThreadKey) =>
  `${tenant}\0${conversation}\0${actor}\0${branch}`
