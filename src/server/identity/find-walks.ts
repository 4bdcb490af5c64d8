import type { MarkedPlace } from '../../stores/store.ts'
import {
  type Front,
  isUser,
  type ListItem,
  lastUsers,
  markNames,
  marksOf,
  type ThreadName,
  type UserMarks,
} from './chain.ts'
import { type Meeting, nameOfThread, type Walk, type WalkLog, walkOn } from './walk.ts'

export interface Lookup extends WalkLog {
  readonly tenant: string
  /** Marks are made and searched within a scope only: the key of a client, and the conversation that it names. */
  readonly scope: string
  readonly items: readonly ListItem[]
  /** The conversation that the client names. Only its threads are looked at. */
  readonly named?: ThreadName
}

/** How many of the newest user messages are looked up at once. Nearly always the last but one is known. */
const firstLook = 3
const laterLook = 256

/** The marks of the newest user messages, and those of all if they are needed. */
export async function createMarks({ items, scope }: Lookup) {
  const newest = await marksOf(items, scope, lastUsers(items, firstLook))
  let all: readonly UserMarks[] | undefined
  return {
    newest,
    async older() {
      all ??= newest.length < firstLook ? newest : await marksOf(items, scope)
      return all.slice(0, all.length - newest.length)
    },
  }
}

export type Marks = Awaited<ReturnType<typeof createMarks>>

/**
 * How far the list agrees with the threads that may have begun it, by the newest known mark of each kind. Those of a whole list say
 * that all before agrees, those of words only where to compare. `before`: only user messages before this item are looked up.
 */
export async function findWalks(lookup: Lookup, marks: Marks, before?: number): Promise<readonly Walk[]> {
  const all = (one: UserMarks) => [...names.whole(one), ...names.less(one), ...names.words(one)]
  for await (const { meet } of looks(lookup, marks, all, before)) {
    const exact = meet(names.whole, 'same')
    const lessening = meet(names.less, 'less')
    const worded = meet(names.words, 'same')
    // What was left out is compared where more than one conversation may have it.
    const isClear = isOne([...lessening, ...worded])
    const meetings = isClear ? [...exact, ...lessening] : [...exact]
    const met = new Set(meetings.map(({ thread }) => nameOfThread(thread)))
    for (const { thread } of [...lessening, ...worded]) {
      if (met.has(nameOfThread(thread))) continue
      met.add(nameOfThread(thread))
      meetings.push({ thread, item: -1, at: 0, front: 'same' })
    }
    const walks = await Promise.all(meetings.map(meeting => walkOn(lookup, lookup.items, meeting)))
    const agreeing = walks.filter(({ items }) => items > 0)
    if (agreeing.length > 0) return agreeing
  }
  return []
}

const isOne = ([first, ...others]: readonly Meeting[]) =>
  others.every(({ thread }) => nameOfThread(thread) === nameOfThread(first!.thread))

/** Where the newest user message stands that came after the same words before. */
export async function findPairs(lookup: Lookup, marks: Marks, before?: number): Promise<readonly Meeting[]> {
  for await (const { meet } of looks(lookup, marks, names.pair, before)) {
    const meetings = meet(names.pair, 'cut')
    if (meetings.length > 0) return meetings
  }
  return []
}

/** Where the newest user message stands that is not behind this item, whatever came before it. */
export async function findAlone(
  { items, scope, ...lookup }: Lookup,
  last: number,
): Promise<readonly Meeting[]> {
  const item = items.findLastIndex((one, at) => at <= last && isUser(one))
  const [alone] = item < 0 ? [] : await marksOf(items.slice(item, item + 1), scope)
  if (!alone) return []
  const places = await lookup.store.findMarks(lookup.tenant, names.alone(alone), { limit: mostAlone })
  return places
    .filter(place => isOf(place, lookup.named))
    .map(({ at, thread }) => ({ thread, item, at, front: 'cut' }))
}

/** A message alone stands at more places than one with what came before it. */
const mostAlone = 64

const names = {
  whole: ({ whole }: UserMarks) => [markNames.whole(whole)],
  less: ({ whole }: UserMarks) => [markNames.less(whole)],
  // A list without details has no mark of its words but that of its whole.
  words: ({ words }: UserMarks) => [markNames.words(words), markNames.whole(words)],
  pair: ({ pair }: UserMarks) => (pair === undefined ? [] : [markNames.pair(pair)]),
  alone: ({ alone }: UserMarks) => [markNames.alone(alone)],
}

/** Looks up the marks of the newest user messages, then those of older ones. `meet`: where the newest one stands. */
async function* looks(
  { store, tenant, named }: Lookup,
  marks: Marks,
  wanted: (one: UserMarks) => readonly string[],
  before = Number.POSITIVE_INFINITY,
) {
  let look = marks.newest
  for (let end: number | undefined; ; ) {
    const texts = look.filter(({ item }) => item < before).flatMap(wanted)
    const marked = texts.length > 0 ? await store.findMarks(tenant, [...new Set(texts)]) : []
    const places = new Map<string, MarkedPlace[]>()
    for (const place of marked) {
      if (!isOf(place, named)) continue
      const row = places.get(place.mark)
      if (row) row.push(place)
      else places.set(place.mark, [place])
    }
    const meet = (namesOf: (one: UserMarks) => readonly string[], front: Front): readonly Meeting[] => {
      for (const one of look.filter(({ item }) => item < before).toReversed()) {
        const at = namesOf(one).flatMap(name => places.get(name) ?? [])
        if (at.length > 0) return at.map(({ at, thread }) => ({ item: one.item, at, thread, front }))
      }
      return []
    }
    yield { meet }
    const older = await marks.older()
    end ??= older.length
    if (end <= 0) return
    look = older.slice(Math.max(0, end - laterLook), end)
    end -= laterLook
  }
}

const isOf = ({ thread }: MarkedPlace, named: Lookup['named']) =>
  !named || (thread.conversation === named.conversation && thread.actor === named.actor)
