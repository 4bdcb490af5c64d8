import type {
  ConversationInfo,
  ConversationKey,
  Head,
  Store,
  StoredEntry,
} from '@throughline/stores/store'
import { parentsFirst } from './export-conversation.ts'

/** A turn that is stored, and the turns that follow it in its branch and in those that were forked after it. */
export interface StoredTurnNode {
  readonly branch: string
  /** The place of its last entry, and its number; 0 for entries outside of turns. */
  readonly last: number
  readonly turn: number
  readonly times: readonly number[]
  /** By the ids of their entries. */
  readonly next: Map<string, StoredTurnNode>
}

export interface StoredTurns {
  readonly root: StoredTurnNode
  readonly branches: ReadonlyMap<string, StoredBranch>
}

/** Where a branch was forked, and where it ends; no end where a turn is open. */
interface StoredBranch extends Pick<Head, 'forkOf'> {
  readonly end: number | undefined
}

export const turnKey = (entries: readonly { readonly id: string }[]): string =>
  entries.map(({ id }) => id).join(' ')

/** Reads the turns of an actor's thread, as a tree. Undefined if there is none. */
export async function readStoredTurns(
  store: Store,
  at: ConversationKey,
  { threads }: Pick<ConversationInfo, 'threads'>,
  actor: string,
): Promise<StoredTurns | undefined> {
  const ofActor = threads.filter(thread => thread.actor === actor)
  if (ofActor.length === 0) return undefined
  const root: StoredTurnNode = { branch: 'main', last: 0, turn: 0, times: [], next: new Map() }
  const branches = new Map<string, StoredBranch>()
  const ends = new Map<string, Map<number, StoredTurnNode>>()
  for (const { key, forkOf, head, open } of await parentsFirst(store, at, ofActor)) {
    branches.set(key.branch, { forkOf, end: open ? undefined : head })
    const nodes = new Map<number, StoredTurnNode>()
    ends.set(key.branch, nodes)
    let before = forkOf ? find(forkOf.branch, forkOf.at) : root
    let entries: StoredEntry[] = []
    const close = () => {
      const { seq, turn } = entries.at(-1) ?? { seq: 0, turn: 0 }
      if (entries.length === 0 || !before) return
      const times = entries.map(({ time }) => time)
      const node = { branch: key.branch, last: seq, turn, times, next: new Map() }
      before.next.set(turnKey(entries), node)
      nodes.set(seq, node)
      before = node
      entries = []
    }
    for await (const entry of store.entries(key, { from: (forkOf?.at ?? 0) + 1, to: head })) {
      if (entry.turn !== entries.at(-1)?.turn) close()
      entries.push(entry)
    }
    close()
  }
  return { root, branches }

  /** The turn that ends at a place of a branch, which may be in the past that it shares. */
  function find(branch: string, at: number): StoredTurnNode | undefined {
    if (at === 0) return root
    const node = ends.get(branch)?.get(at)
    const fork = branches.get(branch)?.forkOf
    return node ?? (fork && find(fork.branch, at))
  }
}
