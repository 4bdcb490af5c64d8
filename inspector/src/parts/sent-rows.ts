import type { SentRow, TimelinePoint } from '../api/timeline.ts'
import type { Part } from './fates.ts'
import { amountOf } from './format.ts'
import type { WindowSegment } from './window-bar.tsx'

/** A message of another conversation that was sent too. */
export type Source = NonNullable<SentRow['sources']>[number]

/** `3 messages`, `2 messages of another conversation`, `3 messages and 2 messages of other conversations` */
export function recalledTitle(entries: readonly number[], sources: readonly Source[] = []): string {
  const isOne = sources.every(({ conversation }) => conversation === sources[0]!.conversation)
  const from = `${amountOf(sources.length, 'message')} of ${isOne ? 'another conversation' : 'other conversations'}`
  if (sources.length === 0) return amountOf(entries.length, 'message')
  return entries.length === 0 ? from : `${amountOf(entries.length, 'message')} and ${from}`
}

/** The entry that a message is; undefined for one that was added, and for the system prompt. */
export const entryOf = ({ seqs }: Pick<SentRow, 'seqs'>): number | undefined => seqs.find(seq => seq > 0)

/** Framing and tools belong to no message; they stand at the beginning. While there are no rows yet, a part is one piece. */
export function toSegments(
  rows: readonly SentRow[],
  { tokens, parts }: Pick<TimelinePoint, 'tokens' | 'parts'>,
): readonly WindowSegment[] {
  if (rows.length === 0) return toPartSegments(parts)
  const own = inParts(rows, parts)
  const bare = Math.max(0, tokens - own.reduce((sum, row) => sum + row.tokens, 0))
  const tools = Math.min(bare, parts.tools ?? 0)
  const before: readonly (readonly [Part, number])[] = [
    ['framing', bare - tools],
    ['tools', tools],
  ]
  return [
    ...before.filter(([, amount]) => amount > 0).map(([part, amount]) => ({ part, tokens: amount })),
    ...own,
  ]
}

/** Rows as segments. Each row was rounded by itself: the largest of a part takes what that left, so that the part is what is told of it. */
function inParts(
  rows: readonly SentRow[],
  parts: Readonly<Record<string, number>>,
): readonly WindowSegment[] {
  const segments = rows.map(row => ({ part: row.part, tokens: row.tokens, seq: entryOf(row) }))
  for (const part of new Set(rows.map(row => row.part))) {
    const own = segments.filter(one => one.part === part)
    const left = (parts[part] ?? 0) - own.reduce((sum, { tokens }) => sum + tokens, 0)
    // More than rounding leaves belongs to what was joined to messages of other parts.
    if (Math.abs(left) > own.length) continue
    const largest = own.reduce((most, one) => (one.tokens > most.tokens ? one : most))
    largest.tokens = Math.max(0, largest.tokens + left)
  }
  return segments
}

/** The parts in the order of a prompt. What was recalled is in one piece. */
export const toPartSegments = (parts: Readonly<Record<string, number>>): readonly WindowSegment[] =>
  order.flatMap(part => (parts[part] ? [{ part, tokens: parts[part] }] : []))

const order: readonly Part[] = [
  ...(['framing', 'tools', 'system', 'first', 'marker'] as const),
  ...(['notes', 'journal', 'digests', 'history', 'recall', 'changing', 'latest'] as const),
]

/** How many messages from the beginning need not be read again. */
export function countReused(
  rows: readonly SentRow[],
  { tokens, reused }: Pick<TimelinePoint, 'tokens' | 'reused'>,
): number {
  if (reused === 0) return 0
  let sum = tokens - rows.reduce((all, row) => all + row.tokens, 0)
  let index = 0
  while (index < rows.length && sum + rows[index]!.tokens <= reused) sum += rows[index++]!.tokens
  return index
}
