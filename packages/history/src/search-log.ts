import { showEach } from '@throughline/core/notes'
import { CorruptEntryError } from '@throughline/stores/errors'
import type { StoredEntry, ThreadPlace, WordPlace } from '@throughline/stores/store'
import { payloadTexts, textsIn } from '@throughline/stores/words'
import { promptActor } from './calls/calls.ts'
import type { LoggedMessage } from './log/logged-message.ts'
import { isTelling, matchTexts, type TextMatch, toQuery } from './log/match-text.ts'
import { toDateTests } from './log/query-dates.ts'
import { rankPlaces, sortPlaces } from './log/rank-places.ts'
import { type LogSource, listLog, placeId } from './log/read-log.ts'
import { isSideThread } from './side-name.ts'
import { beginsRound, withoutTries } from './views.ts'

/** What a search finds, and how much of a message it shows. */
export interface SearchOptions {
  /** The most messages to find. Default 20. */
  readonly limit?: number
  /**
   * `shown` finds only what `thread.display()` shows a user, and no side requests. `everything` is for operators: it also finds
   * notes, the calls that write them, views, and the `data` that an application stores with its messages. Default `shown`.
   */
  readonly scope?: 'shown' | 'everything'
  /** Only messages of this conversation. Default: of all. */
  readonly conversation?: string | undefined
  /** About how many characters of a message its snippet has. Default 120. */
  readonly characters?: number
  /** Whether a snippet has whole lines, with their breaks: the line that matches, and those around it. Default false. */
  readonly lines?: boolean
}

/** A message that was found. */
export interface Found extends ThreadPlace, Pick<StoredEntry, 'role' | 'time'> {
  /** The place of the message that matches best. */
  readonly snippet: string
}

type SearchSource = Omit<LogSource, 'key'> & { readonly tenant: string; readonly person?: string }

/** The most places of a word that are ranked, the newest. */
const perWord = 512

/** At least this many of the best messages are read: their texts say which of them match best. */
const leastRead = 24

/** How much the length of a message matters: little, as a long one may hold what is asked for and more. */
const lengthShare = 0.1

/** No more messages than these are read, so that a log of hidden matches does not take for ever. */
const mostRead = 2_000

/**
 * Finds messages that have words of the query, the best first. The store tells which entries have which words, and they are
 * ranked by that; then the best are read. What must not be shown has no say: it is taken out, and the rest is ranked again.
 */
export async function searchLog(
  source: SearchSource,
  query: string,
  {
    limit = 20,
    scope = 'shown',
    conversation,
    characters = 120,
    lines = false,
  }: SearchOptions = {},
): Promise<readonly Found[]> {
  const { store, tenant, person } = source
  const words = toQuery(query)
  if (words.length === 0 || limit === 0) return []
  const isSearched = ({ thread }: ThreadPlace) =>
    thread.actor !== promptActor && (scope === 'everything' || !isSideThread(thread))
  const dates = toDateTests(query)
  const times = dates.length > 0
  const listed = await store.findWords(tenant, words, {
    person,
    conversation,
    limit: perWord,
    times,
  })
  let places = listed.map(list => list.filter(isSearched))
  // Words without a meaning of their own are found where all of them are.
  if (!words.some(([word]) => isTelling(word!))) places = inEvery(places)
  /** By place. Undefined: it must not be shown, or what may be shown has no word of the query. */
  const messages = new Map<string, WordMatch | undefined>()
  const most = Math.max(limit, leastRead)
  for (;;) {
    const { places: ranked, weights } = rankPlaces([...places, ...dates.map(placesAt)])
    const best = ranked.slice(0, most)
    const unread =
      messages.size < mostRead ? best.filter(place => !messages.has(nameOf(place))) : []
    await Promise.all(unread.map(async place => messages.set(nameOf(place), await read(place))))
    if (unread.some(isHidden)) {
      places = places.map(list => list.filter(place => !isHidden(place)))
      continue
    }
    const matches = best.flatMap(place => {
      const message = messages.get(nameOf(place))
      return message ? [{ ...place, ...message }] : []
    })
    const mean = matches.reduce((sum, { length }) => sum + length, 0) / matches.length
    const weighed = matches.map(one => ({
      ...one,
      weight:
        (one.weigh(weights) + datesWeight(one.time, weights)) /
        (1 - lengthShare + (lengthShare * one.length) / mean),
    }))
    return sortPlaces(weighed)
      .slice(0, limit)
      .map(({ thread, seq, role, time, quote }) => {
        const snippet = quote(weights, { characters, lines })
        return { thread, seq, role, time, snippet }
      })
  }

  /** A date of the query counts as a word that the messages of its time have. */
  function placesAt(isAt: (time: number) => boolean) {
    return places.flat().filter(({ time }) => time !== undefined && isAt(time))
  }

  function datesWeight(time: number, weights: readonly number[]): number {
    return dates.reduce((sum, isAt, at) => sum + (isAt(time) ? weights[words.length + at]! : 0), 0)
  }

  function isHidden(place: ThreadPlace): boolean {
    const name = nameOf(place)
    return messages.has(name) && messages.get(name) === undefined
  }

  async function read(place: ThreadPlace): Promise<WordMatch | undefined> {
    const entry = await (scope === 'shown' ? readShown : readStored)(source, place)
    const match = entry && matchTexts(entry.texts, words)
    return match && { ...match, role: entry.role, time: entry.time }
  }
}

/** Only the places that are in every list. */
function inEvery(lists: readonly (readonly WordPlace[])[]): WordPlace[][] {
  const names = lists.map(list => new Set(list.map(nameOf)))
  return lists.map(list => list.filter(place => names.every(has => has.has(nameOf(place)))))
}

interface Visible extends Pick<StoredEntry, 'role' | 'time'> {
  readonly texts: readonly string[]
}

type WordMatch = TextMatch & Pick<Visible, 'role' | 'time'>

const nameOf = ({ thread, seq }: ThreadPlace) => placeId(thread, seq)

async function readStored({ store }: SearchSource, { thread, seq }: ThreadPlace) {
  for await (const { role, time, payload } of store.entries(thread, { from: seq, to: seq }))
    return { role, time, texts: payloadTexts(payload) }
  return undefined
}

async function readShown({ store, count }: SearchSource, { thread, seq }: ThreadPlace) {
  const source = { store, key: thread, count }
  const round = await readRound(source, seq)
  // Whether a part was tried again says the entry behind it.
  const next = round.at(-1)?.isBroken ? await listLog(source, { from: seq + 1, to: seq + 1 }) : []
  const logged = withoutTries([...round, ...next])
  const at = logged.findIndex(one => one.seq === seq)
  const messages = logged.map(({ message }) => message)
  const shown = showEach(messages, { isPart: true })[at]
  if (!shown) return undefined
  const { reading, time } = logged[at]!
  return { role: reading.role, time, texts: textsIn(shown) }
}

/** Reads an entry with its round so far: whether a result may be seen depends on its call. Most rounds are short. */
async function readRound(source: LogSource, seq: number): Promise<readonly LoggedMessage[]> {
  try {
    for (let size = 1; ; size *= 4) {
      const round = await listLog(source, { from: seq - size + 1, to: seq })
      const start = round.findLastIndex(beginsRound)
      if (start >= 0 || size >= seq) return round.slice(Math.max(0, start))
    }
  } catch (error) {
    // A corrupt entry is never shown; `check` names it.
    if (!(error instanceof CorruptEntryError)) throw error
    return []
  }
}
