import type { Store, StoredTurn, ThreadKey } from '../stores/store.ts'

/** Where a thread stands. */
export type ThreadStatus =
  /** No turn is open. */
  | { readonly state: 'idle' }
  /** A writer holds a turn for `expiresInMs` more milliseconds, and longer if he renews his lease. */
  | {
      readonly state: 'open'
      readonly turn: number
      readonly startedAt: number
      readonly owner: string
      readonly expiresInMs: number
    }
  /** The writer of the open turn is gone. The next `begin` closes the turn; `resume` goes on with it. */
  | { readonly state: 'interrupted'; readonly turn: number; readonly startedAt: number }

export async function readStatus(store: Store, key: ThreadKey): Promise<ThreadStatus> {
  const open = (await store.head(key))?.open
  if (!open) return { state: 'idle' }
  const { turn, startedAt, lease, expiresInMs } = open
  if (expiresInMs === 0) return { state: 'interrupted', turn, startedAt }
  return { state: 'open', turn, startedAt, owner: lease.owner, expiresInMs }
}

/** All turns. A turn that was left open is `interrupted`, also before the next turn closes it. */
export async function readTurns(store: Store, key: ThreadKey): Promise<readonly StoredTurn[]> {
  const turns = await store.turns(key)
  const last = turns.at(-1)
  if (last?.status !== 'open') return turns
  const status = await readStatus(store, key)
  const isLeft = status.state === 'interrupted' && status.turn === last.turn
  return isLeft ? [...turns.slice(0, -1), { ...last, status: 'interrupted' }] : turns
}
