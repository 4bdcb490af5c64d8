import type { Stretch } from '../../api/timeline.ts'
import type { FateRun } from '../../parts/fate-runs.ts'
import type { Fate } from '../../parts/fates.ts'
import { type EntryLine, fateInRow, type MessageLine } from '../../parts/sent-rows.ts'

/** The fates of entries: of all but the system prompt. */
export const runsOf = (stretches: readonly Stretch[]): readonly FateRun[] =>
  stretches
    .filter(({ last }) => last >= 1)
    .map(({ first, last, fate }) => ({ first: Math.max(1, first), last, fate }))

/** The fate of every entry; [0] is none. */
export function fatesOf(runs: readonly FateRun[]): readonly Fate[] {
  const fates: Fate[] = ['omitted']
  for (const { first, last, fate } of runs) for (let seq = first; seq <= last; seq++) fates.push(fate)
  return fates
}

/** What B does with the messages that reach the model with A, and with others. */
export interface Difference {
  readonly lost: number
  readonly gained: number
  readonly same: number
  /** Sent by both, but not in the same form. */
  readonly altered: number
}

export function differenceOf(a: readonly Fate[], b: readonly Fate[]): Difference {
  const amounts = { lost: 0, gained: 0, same: 0, altered: 0 }
  for (let seq = 1; seq < a.length; seq++) {
    const [one, other] = [a[seq]!, b[seq] ?? 'omitted']
    if (one === 'omitted' && other === 'omitted') continue
    if (one === other) amounts.same += 1
    else if (other === 'omitted') amounts.lost += 1
    else if (one === 'omitted') amounts.gained += 1
    else amounts.altered += 1
  }
  return amounts
}

/** A line of the list of one side, in the order of the prompt. */
export type SideItem = EntryLine &
  (
    | {
        readonly kind: 'fold'
        readonly many: number
        readonly isOpen: boolean
        /** Whether its messages need not be read again. */
        readonly reused: 'true' | 'false' | 'part'
      }
    | {
        readonly kind: 'heading'
        readonly text: string
        readonly tokens: number
        readonly isReused: boolean
      }
    | SideRow
  )

export interface SideRow extends EntryLine {
  readonly kind: 'row'
  readonly text: string | undefined
  readonly fate: Fate
  /** Its fate on the opposite side; `undefined` for a message that is not an entry. */
  readonly other: Fate | undefined
  readonly tokens: number
  readonly isReused: boolean
}

export interface SideContext {
  readonly messages: readonly MessageLine[]
  readonly runs: readonly FateRun[]
  readonly fates: readonly Fate[]
}

/** The messages of a side. Messages that both sides send in the same form are folded; `open`: the keys of open folds. */
export function toItems(
  side: SideContext,
  other: SideContext,
  { tokensOf, open }: { readonly tokensOf: (seq: number) => number; readonly open: ReadonlySet<string> },
): readonly SideItem[] {
  const items: SideItem[] = []
  let folded: SideRow[] = []
  const addedByOther = new Set(other.messages.filter(({ seq }) => seq === undefined).map(addedKey))

  const close = () => {
    const [first] = folded
    if (!first) return
    const key = `fold ${first.key}`
    const isOpen = open.has(key)
    const reused = folded.filter(row => row.isReused).length
    items.push({
      ...{ kind: 'fold', key, many: folded.length, isOpen },
      entries: isOpen ? [] : folded.flatMap(({ entries }) => entries),
      reused: reused === 0 ? 'false' : reused === folded.length ? 'true' : 'part',
    })
    if (isOpen) for (const row of folded) items.push(row)
    folded = []
  }
  const add = (row: SideRow, isSame = row.fate === row.other) => {
    if (isSame) return folded.push(row)
    close()
    return items.push(row)
  }
  const entryRow = (seq: number, tokens: number, isReused: boolean, text?: string): SideRow => ({
    ...{ kind: 'row', key: `#${seq}`, seq, entries: [seq], text, tokens, isReused },
    ...{ fate: side.fates[seq] ?? 'omitted', other: other.fates[seq] ?? 'omitted' },
  })

  for (const message of side.messages) {
    const { row, index, seq, isReused, fate } = message
    const { standsFor, tokens, text = '' } = row
    if (seq !== undefined) {
      const one = entryRow(seq, tokens, isReused, row.text)
      // A cleared entry that is recalled too has a line of its own, beside its text in the block.
      const line = one.fate === 'recalled' ? { ...one, key: `line-${seq}`, fate: fateInRow(one.fate) } : one
      add(line, one.other === one.fate || one.other === line.fate)
    } else if (row.part === 'recall' && standsFor.length > 0) {
      const quoted = standsFor.map(seq => entryRow(seq, tokensOf(seq), isReused))
      if (quoted.some(one => one.fate !== one.other)) {
        close()
        const title = `${standsFor.length} recalled`
        items.push({ kind: 'heading', key: `block ${index}`, entries: [], isReused, tokens, text: title })
      }
      for (const one of quoted) add(one)
      close()
    } else {
      const isSame =
        addedByOther.has(addedKey(message)) && standsFor.every(seq => side.fates[seq] === other.fates[seq])
      add(
        {
          ...{ kind: 'row', key: `added ${index}`, entries: standsFor, text, tokens, isReused },
          ...{ fate, other: undefined },
        },
        isSame,
      )
    }
  }
  close()
  return items
}

const addedKey = ({ row: { part, text } }: MessageLine) => `${part}\n${text ?? ''}`

/** The place of a model call. */
export interface CallPlace {
  readonly at: number
  readonly turn: number
}

interface OutlineEntry {
  readonly seq: number
  readonly turn: number
  readonly role: string
}

/** The places of past calls and of the next: entries that are not answers, before an answer or at the end. */
export function toCallPlaces(entries: readonly OutlineEntry[]): readonly CallPlace[] {
  const places: CallPlace[] = []
  for (const [index, { seq, turn, role }] of entries.entries()) {
    const next = entries[index + 1]
    if (isAnswer(role) || (next && next.role !== 'assistant')) continue
    places.push({ at: seq, turn })
  }
  return places
}

const isAnswer = (role: string) => role === 'assistant' || role === 'assistant_note'
