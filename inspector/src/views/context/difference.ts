import type { SentRow, Stretch } from '../../api/timeline.ts'
import { type FateRun, fateAt } from '../../parts/fate-runs.ts'
import type { Fate } from '../../parts/fates.ts'
import { fateInRow, type MessageLine } from '../../parts/sent-rows.ts'

/** What one side of a comparison sends, and what becomes of every entry. */
export interface SideContext {
  readonly rows: readonly SentRow[]
  readonly runs: readonly FateRun[]
}

/** The fates of entries: of all but the system prompt. */
export const runsOf = (stretches: readonly Stretch[]): readonly FateRun[] =>
  stretches
    .filter(({ last }) => last >= 1)
    .map(({ first, last, fate }) => ({ first: Math.max(1, first), last, fate }))

export const fateIn = ({ runs }: SideContext, seq: number): Fate => fateAt(runs, seq) ?? 'omitted'

/** What B does with the messages that reach the model with A, and with others. */
export interface Difference {
  readonly dropped: number
  readonly added: number
  readonly same: number
  /** Sent by both, but not in the same form. */
  readonly altered: number
}

export function differenceOf(a: SideContext, b: SideContext, last: number): Difference {
  const amounts = { dropped: 0, added: 0, same: 0, altered: 0 }
  for (let seq = 1; seq <= last; seq++) {
    const [one, other] = [fateIn(a, seq), fateIn(b, seq)]
    if (one === 'omitted' && other === 'omitted') continue
    if (one === other) amounts.same += 1
    else if (other === 'omitted') amounts.dropped += 1
    else if (one === 'omitted') amounts.added += 1
    else amounts.altered += 1
  }
  return amounts
}

/** Whether the other side of a comparison sends the same. */
export interface SameAs {
  readonly entry: (seq: number) => boolean
  readonly message: (message: MessageLine) => boolean
}

export function sameAs(side: SideContext, other: SideContext): SameAs {
  const addedByOther = new Set(other.rows.map(addedKey))
  const entry = (seq: number) => fateIn(side, seq) === fateIn(other, seq)
  return {
    entry,
    message: ({ row, seq }) =>
      seq === undefined
        ? row.standsFor.every(entry) && (isRecall(row) || addedByOther.has(addedKey(row)))
        : entry(seq) || fateIn(other, seq) === fateInRow(fateIn(side, seq)),
  }
}

const isRecall = ({ part, sources }: SentRow) => part === 'recall' && sources === undefined
const addedKey = ({ part, text = '' }: SentRow) => `${part}\n${text}`

/** The places of past calls and of the next: entries that are not answers, before an answer or at the end. */
export const callPlaces = (
  entries: readonly { readonly seq: number; readonly role: string }[],
): readonly number[] =>
  entries.flatMap(({ seq, role }, index) => {
    const next = entries[index + 1]
    const isAnswer = role === 'assistant' || role === 'assistant_note'
    return isAnswer || (next && next.role !== 'assistant') ? [] : [seq]
  })
