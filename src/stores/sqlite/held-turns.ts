import type { Lease, ThreadKey } from '../store.ts'

/** Where an open turn stands, as the file has it. */
export interface HeldTurn {
  readonly branchId: number
  readonly head: number
  readonly turn: number
  readonly lease: Lease
}

/**
 * The open turns that this process wrote to last, so that an append need not look them up again. It may, since a file
 * has one writer. Only what is committed comes in here, and all of it goes with any error.
 */
export interface HeldTurns {
  get(thread: ThreadKey): HeldTurn | undefined
  set(thread: ThreadKey, held: HeldTurn): void
  delete(thread: ThreadKey): void
  clear(): void
}

export function createHeldTurns(limit = 1_000): HeldTurns {
  const turns = new Map<string, HeldTurn>()
  return {
    get: thread => turns.get(keyOf(thread)),
    set(thread, held) {
      if (turns.size >= limit) turns.clear()
      turns.set(keyOf(thread), held)
    },
    delete: thread => turns.delete(keyOf(thread)),
    clear: () => turns.clear(),
  }
}

/** A name that was stored has no NUL in it: no other four names give the same key, not even unchecked ones. */
const keyOf = ({ tenant, conversation, actor, branch }: ThreadKey) =>
  `${tenant}\0${conversation}\0${actor}\0${branch}`
