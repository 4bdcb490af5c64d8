import { EntryNeeded, fillEntry, isAbsent } from '../../context/checkpoint/absent-entry.ts'
import type { Context, FitOptions } from '../../context/context.ts'
import type { Conversation } from '../../context/conversation/conversation.ts'
import { stampEntry } from '../../context/conversation/stamp-entry.ts'
import type { Transcript } from '../../context/conversation/transcript.ts'
import { fitConversation } from '../../context/fit-conversation.ts'
import { CorruptEntryError } from '../../stores/store-error.ts'
import { type LogSource, readLog, threadName } from './read-log.ts'

/** Loads the texts of a transcript that are not in memory. */
export interface Loading {
  readonly source: LogSource
  /** How many system messages the log begins with: they stand before the transcript. */
  readonly lead: number
  readonly places: WeakMap<object, number>
  readonly onLoad: (place: number) => void
}

/** Neighbours are loaded too: digests walk back from an entry, a unit goes on after it. */
const pageBefore = 16
const pageAfter = 8

/** Pages grow while a reader walks back, up to so many times their size. */
const mostPages = 96

/**
 * Fits a conversation whose texts are not all in memory: loads what the fit lacks, and fits again. Undefined when a
 * message was changed since it was read.
 */
export function fitLoading(
  conversation: Conversation,
  options: FitOptions,
  loading: Loading,
): Promise<Context | undefined> {
  return whileLoading(conversation.transcript, loading, () => fitConversation(conversation, options))
}

/** Repeats work until all texts that it reads are loaded. Each attempt gets further. */
export async function whileLoading<T>(transcript: Transcript, loading: Loading, work: () => T): Promise<T> {
  let [before, first, pages] = [-1, -1, 1]
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof EntryNeeded)) throw error
      if (error.at === before) throw missing(loading, error.at)
      before = error.at
      pages = error.at === first - 1 ? Math.min(2 * pages, mostPages) : 1
      first = await loadAround(transcript, loading, error.at, pages)
    }
  }
}

/** Returns the first place that was loaded. */
async function loadAround(
  transcript: Transcript,
  { source, lead, places, onLoad }: Loading,
  at: number,
  pages: number,
): Promise<number> {
  const from = Math.max(0, at - pageBefore * pages)
  const to = Math.min(transcript.entries.length, at + pageAfter)
  for await (const { view, seq } of readLog(source, { from: lead + from + 1, to: lead + to })) {
    const place = seq - lead - 1
    if (!isAbsent(transcript.entries[place])) continue
    fillEntry(transcript, place, stampEntry(view, seq, source.count))
    places.set(view, seq)
    onLoad(place)
  }
  return from
}

function missing({ source, lead }: Loading, at: number): Error {
  return new CorruptEntryError(threadName(source.key), lead + at + 1, 'it is missing')
}
