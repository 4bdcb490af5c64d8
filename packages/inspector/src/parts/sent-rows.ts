import type { SentRow, TimelinePoint } from '../api/timeline.ts'
import type { Fate, Part } from './fates.ts'
import { amountOf } from './format.ts'
import type { WindowSegment } from './window-bar.tsx'

/** A message of another conversation that was sent too. */
export type RecallSource = NonNullable<SentRow['sources']>[number]

/** `3 messages`, `2 messages of another conversation`, `3 messages and 2 messages of other conversations` */
export function recalledTitle(
  entries: readonly number[],
  sources: readonly RecallSource[] = [],
): string {
  const isOne = sources.every(({ conversation }) => conversation === sources[0]!.conversation)
  const from = `${amountOf(sources.length, 'message')} of ${isOne ? 'another conversation' : 'other conversations'}`
  if (sources.length === 0) return amountOf(entries.length, 'message')
  return entries.length === 0 ? from : `${amountOf(entries.length, 'message')} and ${from}`
}

/** The number of the entry that was sent as this message; undefined for added messages and the system prompt. */
export const entryOf = ({ seqs }: Pick<SentRow, 'seqs'>): number | undefined =>
  seqs.find(seq => seq > 0)

/** Framing and tools belong to no message; they stand at the beginning. While there are no rows yet, a part is one piece. */
export function toSegments(
  rows: readonly SentRow[],
  { tokens, parts }: Pick<TimelinePoint, 'tokens' | 'parts'>,
): readonly WindowSegment[] {
  if (rows.length === 0) return toPartSegments(parts)
  const segments = inParts(rows, parts)
  const bare = Math.max(0, tokens - segments.reduce((sum, row) => sum + row.tokens, 0))
  const tools = Math.min(bare, parts.tools ?? 0)
  const before = [
    { part: 'framing', tokens: bare - tools } as const,
    { part: 'tools', tokens: tools } as const,
  ]
  return [...before.filter(one => one.tokens > 0), ...segments]
}

/** Rows as segments. Rows are rounded one by one: the largest of a part takes the difference, so that the sum is right. */
function inParts(rows: readonly SentRow[], parts: Readonly<Record<string, number>>) {
  const segments = rows.map(({ part, tokens }) => ({ part, tokens }))
  for (const part of new Set(rows.map(row => row.part))) {
    const partSegments = segments.filter(one => one.part === part)
    const left = (parts[part] ?? 0) - partSegments.reduce((sum, { tokens }) => sum + tokens, 0)
    // A larger difference is text that was joined to messages of other parts.
    if (Math.abs(left) > partSegments.length) continue
    const largest = partSegments.reduce((most, one) => (one.tokens > most.tokens ? one : most))
    largest.tokens = Math.max(0, largest.tokens + left)
  }
  return segments
}

/** The parts in the order of a prompt. What was recalled is in one piece. */
export const toPartSegments = (parts: Readonly<Record<string, number>>): readonly WindowSegment[] =>
  order.flatMap(part => (parts[part] ? [{ part, tokens: parts[part] }] : []))

const order: readonly Part[] = [
  'framing',
  'tools',
  'system',
  'rules',
  'first',
  'marker',
  'notes',
  'journal',
  'digests',
  'history',
  'recall',
  'changing',
  'latest',
]

/** A message that was sent, as all lists show it. */
export interface MessageLine {
  readonly row: SentRow
  readonly index: number
  /** The number of its entry; undefined for a message that was added. */
  readonly seq: number | undefined
  /** Whether it is not an entry itself but stands for entries, of this conversation or of others. */
  readonly isBlock: boolean
  /** The fate of the entries that it stands for. */
  readonly fate: Fate
  /** Whether it need not be read again. */
  readonly isReused: boolean
}

export function toSentMessages(
  rows: readonly SentRow[],
  { tokens, reused }: Pick<TimelinePoint, 'tokens' | 'reused'>,
): readonly MessageLine[] {
  let end = tokens - rows.reduce((sum, row) => sum + row.tokens, 0)
  return rows.map((row, index) => {
    const { part, seqs, standsFor, sources } = row
    const ownFate = standsFor.length > 0 ? 'digested' : 'kept'
    end += row.tokens
    return {
      row,
      index,
      seq: entryOf(row),
      isReused: reused > 0 && end <= reused,
      isBlock: seqs.length === 0 && (standsFor.length > 0 || sources !== undefined),
      fate: part === 'recall' ? 'recalled' : part === 'notes' ? 'moved' : ownFate,
    }
  })
}

export interface EntryLine {
  readonly key: string
  /** The entry that it shows. */
  readonly seq?: number | undefined
  /** The entries whose ribbons end here. */
  readonly entries: readonly number[]
}

/** The fate in the row of an entry: an entry that a block recalls has a row only if it was cleared. */
export const fateInRow = (fate: Fate): Fate => (fate === 'recalled' ? 'cleared' : fate)
