import { EntryNeeded, fillEntry, isAbsent, type Transcript } from '@throughline/core/conversation'
import { type MessageLike, stampEntry } from '@throughline/core/messages'
import { indexTranscript, shareIndex } from '@throughline/core/recall'
import { CorruptEntryError } from '@throughline/stores/errors'
import { type LogSource, readLog, threadName } from './read-log.ts'
import { breathe } from './rests.ts'

/** Loads the texts of a transcript that are not in memory. */
export interface Loading {
  readonly source: LogSource
  /** How many system messages the log begins with: they stand before the transcript. */
  readonly lead: number
  readonly places: WeakMap<object, number>
  readonly onLoad: (place: number) => void
}

/** Few neighbours are loaded too: a recalled unit stands alone, and pages grow where a reader walks on, as digests do. */
const pageBefore = 4
const pageAfter = 2

/** After this many attempts, pages are twice as large: work is not repeated for each of thousands of scattered texts. */
const attemptsPerDoubling = 16

class RestNeeded extends Error {}

/** The most rests of one piece of work: parts that undo what the other remembered would otherwise need rests for ever. */
const mostRests = ({ units }: Transcript) => 16 + units.length / 256

/** Repeats work until all texts that it reads are loaded, and until it needs no rest. Each attempt gets further. */
export async function whileLoading<T>(
  transcript: Transcript,
  { source, lead, places, onLoad }: Loading,
  work: (rest: () => void) => T,
): Promise<T> {
  let [before, first, to, pages] = [-1, -1, Number.POSITIVE_INFINITY, 1]
  let rests = mostRests(transcript)
  /** To be called by work that has more to do than others should wait for. */
  const rest = () => {
    if (rests-- > 0) throw new RestNeeded()
  }
  for (let attempts = 1; ; attempts++) {
    try {
      return work(rest)
    } catch (error) {
      if (error instanceof RestNeeded) {
        await breathe()
        continue
      }
      if (!(error instanceof EntryNeeded)) throw error
      const { at } = error
      if (at === before)
        throw new CorruptEntryError(threadName(source.key), lead + at + 1, 'it is missing')
      before = at
      // Pages grow while a reader walks on, back or forth.
      const isBack = at < first && at >= first - pageBefore * pages
      const isForth = at >= to && at < to + pageAfter * pages
      pages = isBack || isForth ? 4 * pages : 2 ** Math.floor(attempts / attemptsPerDoubling)
      first = Math.max(0, at - (isForth ? 0 : pageBefore * pages))
      to = Math.min(transcript.entries.length, at + pageAfter * (isBack ? 1 : pages))
      for await (const { view, seq } of readLog(source, {
        from: lead + first + 1,
        to: lead + to,
      })) {
        const place = seq - lead - 1
        if (!isAbsent(transcript.entries[place])) continue
        fillEntry(transcript, place, stampEntry(view, seq, source.count))
        places.set(view, seq)
        onLoad(place)
      }
    }
  }
}

/** The most units that are indexed before others get their turn. */
const unitsInRow = 64

/** Indexes ahead, in pieces, what recall may need: a long new list at once would hold up other requests. */
export async function indexAhead(transcript: Transcript, loading: Loading): Promise<void> {
  // The last unit may still grow.
  const end = transcript.units.length - 1
  for (;;) {
    const { size } = indexTranscript(transcript, 0)
    // What is left is read where it is needed.
    if (size + unitsInRow >= end) return
    await whileLoading(transcript, loading, () => indexTranscript(transcript, size + unitsInRow))
    await breathe()
  }
}

/** A copy as of an earlier entry, or with a few more messages. It shares the known words. */
export async function pastTranscript(
  transcript: Transcript,
  loading: Loading,
  at: number | undefined,
  tail: readonly MessageLike[],
): Promise<Transcript> {
  const { lead } = loading
  const length = at === undefined ? transcript.entries.length : Math.max(0, at - lead)
  const past = transcript.fork(length)
  shareIndex(transcript, past)
  // The copy ends where a unit ends; the missing entries of the next unit are read again.
  for (let next = past.entries.length; next < length; next++) {
    const message = await whileLoading(transcript, loading, () => transcript.entries[next]!.source)
    past.append(message, lead + next + 1)
  }
  for (const [n, message] of tail.entries()) past.append(message, lead + length + n + 1)
  return past
}
