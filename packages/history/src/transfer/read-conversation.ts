import type { TokenCounter } from '@throughline/core/counters'
import type {
  ConversationDescription,
  ConversationKey,
  Store,
  StoredCall,
  StoredEntry,
  StoredTurn,
  ThreadKey,
} from '@throughline/stores/store'
import { atPlace, type FilePlace } from './import-error.ts'

export interface ImportTarget {
  readonly store: Store
  readonly tenant: string
  readonly count: TokenCounter
  /** The time of messages where the file has none. */
  readonly now: () => number
  readonly person?: string
}

/** A conversation of a file, read to its end and not yet written. */
export interface ReadConversation {
  readonly name: string
  readonly place: FilePlace
  readonly description: ConversationDescription
  readonly threads: readonly ReadThread[]
}

export interface ReadThread extends Pick<ThreadKey, 'actor' | 'branch'> {
  readonly forkOf?: { readonly branch: string; readonly at: number } | undefined
  readonly batches: Batch[]
  /** Calls by id, each with the last entry that its plan names. */
  readonly calls: Map<
    string,
    { readonly place: FilePlace; readonly call: StoredCall; readonly last: number }
  >
}

/** What is written in one step, and the place where it begins. */
interface Batch {
  readonly place: FilePlace
  readonly entries: StoredEntry[]
  readonly turns: StoredTurn[]
}

/** Entries are written in batches of about this many, each up to the end of a turn. */
const mostEntries = 256

/** The batch that the next turn, or the next entry outside of turns, belongs to. */
function nextBatch({ batches }: ReadThread, place: FilePlace): Batch {
  const batch = batches.at(-1)
  if (batch && batch.entries.length < mostEntries) return batch
  const next = { place, entries: [], turns: [] }
  batches.push(next)
  return next
}

export function addTurn(thread: ReadThread, turn: StoredTurn, place: FilePlace): void {
  nextBatch(thread, place).turns.push(turn)
}

export function addEntry(thread: ReadThread, entry: StoredEntry, place: FilePlace): void {
  const batch = thread.batches.at(-1)
  const isInTurn = batch !== undefined && entry.seq <= (batch.turns.at(-1)?.last ?? 0)
  const target = isInTurn ? batch : nextBatch(thread, place)
  target.entries.push(entry)
}

export const countEntries = ({ threads }: ReadConversation): number =>
  threads.reduce(
    (sum, { batches }) => batches.reduce((sum, { entries }) => sum + entries.length, sum),
    0,
  )

/** Writes a conversation; what is stored already stays. Returns how many entries were new. */
export async function writeConversation(
  store: Store,
  at: ConversationKey,
  { place, threads, description: { title, metadata, person } }: ReadConversation,
): Promise<number> {
  return atPlace(place, async () => {
    let added = 0
    for (const { actor, branch, forkOf, batches, calls } of threads) {
      const key = { ...at, actor, branch }
      const begin = batches[0]?.place ?? place
      const before = (await atPlace(begin, () => store.head(key)))?.head ?? forkOf?.at ?? 0
      let head = before
      for (const [n, { place, entries, turns }] of batches.entries()) {
        const batch = { entries, turns, forkOf: n === 0 ? forkOf : undefined }
        head = (await atPlace(place, () => store.restore(key, batch))).head
      }
      added += head - before
      for (const { place, call, last } of calls.values())
        await atPlace(place, () => {
          if (last <= head) return store.saveCall(key, call)
          throw new Error(`its plan names entry ${last}, but its thread ends at ${head}.`)
        })
    }
    const [info] =
      person === undefined ? [] : await store.conversations(at.tenant, { only: at.conversation })
    const description = { title, metadata, person: info?.person ?? person }
    // Also where nothing is to be described: an import counts as use, or retention would delete old chats at once.
    if (threads.length > 0)
      await store.describeConversation(at.tenant, at.conversation, description)
    return added
  })
}
