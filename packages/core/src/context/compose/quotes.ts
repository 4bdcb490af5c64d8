import { quotesTitle, toDay } from '../../log/texts.ts'
import { neutralizeNotes } from '../../notes/neutralize.ts'
import { rangeAt } from '../conversation/first-place.ts'
import type { Quote } from '../conversation/transcript.ts'
import { textCost } from '../draft/cost.ts'
import type { Draft } from '../draft/draft.ts'
import { findSpan } from '../draft/span.ts'

/**
 * Adds what a message has brought back from other conversations, just before that message, if there is room beside all that a
 * policy sends: nothing goes for it. It stays there for as long as all of it has room, and no later message brings back other
 * quotes. For the newest message the best that have room are enough.
 */
export function withQuotes(draft: Draft, room: number): Draft {
  const { frame, spans, tokens } = draft
  const { transcript, origin } = frame
  if (!transcript.quotes) return draft
  const { at, quotes } = transcript.quotes
  const before = rangeAt(transcript.units, at)
  if (findSpan(spans, before) && !frame.fixed.has(before)) return draft
  let chosen = quotes.flatMap((quote, place) => (quote ? [place] : []))
  for (; chosen.length > 0; chosen = chosen.slice(0, -1)) {
    const text = renderQuotes(quotes, chosen)
    const cost = textCost(frame, 'user', text)
    if (tokens + cost <= room) {
      const remembered = { for: origin + at, quotes: chosen }
      const why = 'asked for by the message after it'
      const block = {
        part: 'recall',
        before,
        role: 'user',
        text,
        tokens: cost,
        why,
        of: [],
      } as const
      return draft.insert([{ ...block, remembered }], 'recalled')
    }
    if (before !== transcript.latestUser) return draft
  }
  return draft
}

/** Some quotes as a text, in the order in which they were said: a line for each stretch of a conversation, then its messages. */
export function renderQuotes(
  quotes: readonly (Quote | undefined)[],
  chosen: readonly number[],
): string {
  const rows = chosen
    .flatMap(place => quotes[place] ?? [])
    .sort((a, b) => a.time - b.time || a.seq - b.seq)
  const lines = rows.flatMap((quote, place) => {
    const last = rows[place - 1]
    const isNext =
      last?.conversation === quote.conversation && toDay(last.time) === toDay(quote.time)
    const line = neutralizeNotes(`${quote.role}: ${quote.text}`)
    return isNext
      ? [line]
      : [toDay(quote.time) + neutralizeNotes(quote.name && `, “${quote.name}”`), line]
  })
  return [quotesTitle, ...lines].join('\n')
}
