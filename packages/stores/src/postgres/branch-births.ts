import { isForkPlace } from '../rules/write-rules.ts'
import type { RestoreEntries, Store, StoredEntry, ThreadKey } from '../store.ts'
import { notAPlace } from '../store-error.ts'
import { type BranchFacts as Facts, withStretch } from './branch-facts.ts'
import type { Birth } from './branch-statements.ts'

/** Where a branch is forked, as a branch to be made. */
export async function toBirth(
  reads: Pick<Store, 'entries'>,
  parent: Facts,
  at: number,
  time?: number,
): Promise<Birth> {
  const { thread, pastLines, pastEnds, line, head } = parent
  const around =
    at < head ? await listOf(reads.entries(thread, { from: Math.max(at, 1), to: at + 1 })) : []
  if (!isForkPlace(withStretch(parent, around), at)) throw notAPlace(at)
  const ends = [...pastEnds, head]
  // Lines that begin behind the fork give nothing.
  const count = at === 0 ? 0 : ends.findIndex(end => end >= at) + 1
  const past = { of: thread.branch, lines: [...pastLines, line!].slice(0, count) }
  const cut = ends.slice(0, count).map(end => Math.min(end, at))
  return { head: at, turns: parent.turnsAt, time, past: { ...past, ends: cut } }
}

/** A fork as it would be, with the past that it shares. */
export const unborn = (thread: ThreadKey, parent: Facts, { head, turns }: Birth): Facts => ({
  ...parent,
  ...{ thread, line: undefined, head, turns, epoch: 0, open: undefined, owner: undefined },
  seqOf: id => (parent.seqOf(id)! <= head ? parent.seqOf(id) : undefined),
  turnByKey: () => undefined,
})

/** Entries and turns that are stored where a stretch goes. */
export async function storedStretch(
  reads: Pick<Store, 'entries' | 'turns'>,
  facts: Facts,
  of: ThreadKey,
  { entries, turns }: RestoreEntries,
) {
  const from = entries[0]?.seq ?? 1
  const to = Math.min(facts.head, from + entries.length - 1)
  const isNewer = turns.every(({ turn }) => turn > facts.turns)
  const stored = isNewer ? [] : (await reads.turns(of)).slice(0, facts.turns)
  const isOwn = facts.line !== undefined
  const cut = stored.map(({ key, body, ...turn }) =>
    isOwn
      ? { ...turn, ...(key && { key }), ...(body && { body }) }
      : { ...turn, last: Math.min(turn.last, facts.head) },
  )
  return withStretch(facts, from > to ? [] : await listOf(reads.entries(of, { from, to })), cut)
}

export async function listOf(entries: AsyncIterable<StoredEntry>): Promise<readonly StoredEntry[]> {
  const list: StoredEntry[] = []
  for await (const entry of entries) list.push(entry)
  return list
}
