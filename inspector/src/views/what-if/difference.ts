import type { SentRow, Stretch } from '../../api/timeline.ts'
import type { FateRun } from '../../parts/fate-runs.ts'
import type { Fate } from '../../parts/fates.ts'
import { entryOf } from '../../parts/sent-rows.ts'

/** The fates of entries: of all but the system prompt. */
export const runsOf = (stretches: readonly Stretch[]): readonly FateRun[] =>
  stretches
    .filter(({ last }) => last >= 1)
    .map(({ first, last, fate }) => ({ first: Math.max(1, first), last, fate }))

/** The fate of every entry; [0] is none. */
export function fatesOf(runs: readonly FateRun[]): readonly Fate[] {
  const fates: Fate[] = ['elided']
  for (const { first, last, fate } of runs) for (let seq = first; seq <= last; seq++) fates.push(fate)
  return fates
}

export const verdictOn = (stretches: readonly Stretch[], seq: number): Stretch | undefined =>
  stretches.find(({ first, last }) => first <= seq && seq <= last)

/** What B does with the messages that reach the model with A, and with others. */
export interface Difference {
  readonly lost: number
  readonly gained: number
  readonly same: number
  /** Sent by both, but not in the same form. */
  readonly altered: number
}

export function differenceOf(a: readonly Fate[], b: readonly Fate[]): Difference {
  const found = { lost: 0, gained: 0, same: 0, altered: 0 }
  for (let seq = 1; seq < a.length; seq++) {
    const [one, other] = [a[seq]!, b[seq] ?? 'elided']
    if (one === 'elided' && other === 'elided') continue
    if (one === other) found.same += 1
    else if (other === 'elided') found.lost += 1
    else if (one === 'elided') found.gained += 1
    else found.altered += 1
  }
  return found
}

/** A line of the list of one side, in the order of the prompt. */
export type SideItem =
  | {
      readonly kind: 'fold'
      readonly key: string
      readonly many: number
      readonly seqs: readonly number[]
      readonly isOpen: boolean
      /** Whether its messages need not be read again. */
      readonly reused: 'true' | 'false' | 'part'
    }
  | {
      readonly kind: 'heading'
      readonly key: string
      readonly text: string
      readonly tokens: number
      readonly isReused: boolean
    }
  | SideRow

export interface SideRow {
  readonly kind: 'row'
  readonly key: string
  /** The entry; undefined for a message that is none. */
  readonly seq: number | undefined
  /** The entries that it stands for. */
  readonly stands: readonly number[]
  readonly text: string | undefined
  readonly fate: Fate
  /** What the other side does with it: `undefined` for a message that is no entry. */
  readonly other: Fate | undefined
  readonly tokens: number
  readonly isReused: boolean
}

export interface SideContext {
  readonly rows: readonly SentRow[]
  readonly runs: readonly FateRun[]
  readonly fates: readonly Fate[]
  /** How many rows from the beginning need not be read again. */
  readonly reused: number
}

/** What a side sends: what the other sends in the same form is folded. `open`: the folds that are open, by their keys. */
export function toItems(
  own: SideContext,
  other: SideContext,
  { tokensOf, open }: { readonly tokensOf: (seq: number) => number; readonly open: ReadonlySet<string> },
): readonly SideItem[] {
  const items: SideItem[] = []
  let folded: SideRow[] = []
  const addedByOther = new Set(other.rows.filter(isAdded).map(addedKey))

  const close = () => {
    const [first] = folded
    if (!first) return
    const key = `fold ${first.key}`
    const isOpen = open.has(key)
    const seqs = folded.flatMap(({ seq, stands }) => (seq === undefined ? stands : [seq]))
    const reused = folded.filter(row => row.isReused).length
    items.push({
      ...{ kind: 'fold', key, many: folded.length, seqs, isOpen },
      reused: reused === 0 ? 'false' : reused === folded.length ? 'true' : 'part',
    })
    if (isOpen) for (const row of folded) items.push(row)
    folded = []
  }
  const add = (row: SideRow, isSame: boolean) => {
    if (isSame) folded.push(row)
    else {
      close()
      items.push(row)
    }
  }
  const entryRow = (seq: number, tokens: number, isReused: boolean, text?: string): SideRow => ({
    ...{ kind: 'row', key: `#${seq}`, seq, stands: [], text },
    ...{ fate: own.fates[seq] ?? 'elided', other: other.fates[seq] ?? 'elided', tokens, isReused },
  })

  for (const [index, row] of own.rows.entries()) {
    const isReused = index < own.reused
    const entry = entryOf(row)
    if (entry !== undefined) {
      const one = entryRow(entry, row.tokens, isReused, row.text)
      // A cleared entry that is recalled too has a line of its own, beside its text in the block.
      const line: SideRow = one.fate === 'recalled' ? { ...one, key: `line-${entry}`, fate: 'cleared' } : one
      add(line, one.other === one.fate || one.other === line.fate)
    } else if (row.part === 'recall' && row.standsFor.length > 0) {
      const quoted = row.standsFor.map(seq => entryRow(seq, tokensOf(seq), isReused))
      if (quoted.some(one => one.fate !== one.other)) {
        close()
        items.push({
          ...{ kind: 'heading', key: `block ${index}`, isReused, tokens: row.tokens },
          text: `${row.standsFor.length} recalled`,
        })
      }
      for (const one of quoted) add(one, one.fate === one.other)
      close()
    } else {
      const { standsFor: entries } = row
      const isSame =
        addedByOther.has(addedKey(row)) && entries.every(seq => own.fates[seq] === other.fates[seq])
      const fate = addedFate(row)
      const text = row.text ?? ''
      add(
        {
          kind: 'row',
          key: `added ${index}`,
          seq: undefined,
          stands: entries,
          text,
          fate,
          other: undefined,
          tokens: row.tokens,
          isReused,
        },
        isSame,
      )
    }
  }
  close()
  return items
}

function addedFate({ part, standsFor }: SentRow): Fate {
  // It quotes other conversations: no entry of this one.
  if (part === 'recall') return 'recalled'
  if (part === 'notes') return 'moved'
  return standsFor.length > 0 ? 'digested' : 'kept'
}

const isAdded = (row: SentRow) => entryOf(row) === undefined
const addedKey = ({ part, text }: SentRow) => `${part}\n${text ?? ''}`

/** Where the entries of a side stand in its list, in rows: `[top, bottom]`. Those of a fold share its row. */
export function placesIn(items: readonly SideItem[]): ReadonlyMap<number, readonly [number, number]> {
  const places = new Map<number, readonly [number, number]>()
  const share = (seqs: readonly number[], at: number) => {
    const each = 1 / Math.max(1, seqs.length)
    for (const [place, seq] of seqs.entries()) places.set(seq, [at + place * each, at + (place + 1) * each])
  }
  for (const [at, item] of items.entries()) {
    if (item.kind === 'fold') {
      if (!item.isOpen) share(item.seqs, at)
    } else if (item.kind === 'row') {
      if (item.seq !== undefined) places.set(item.seq, [at, at + 1])
      else share(item.stands, at)
    }
  }
  return places
}

/** A place at which a model was asked. */
export interface AskedPlace {
  readonly at: number
  readonly turn: number
}

interface Logged {
  readonly seq: number
  readonly turn: number
  readonly role: string
}

/** Where a model was asked, or will be: what is no answer, and is followed by one or by nothing yet. */
export function askedPlaces(entries: readonly Logged[]): readonly AskedPlace[] {
  const places: AskedPlace[] = []
  for (const [index, { seq, turn, role }] of entries.entries()) {
    const next = entries[index + 1]
    if (isAnswer(role) || (next && next.role !== 'assistant')) continue
    places.push({ at: seq, turn })
  }
  return places
}

const isAnswer = (role: string) => role === 'assistant' || role === 'assistant_note'
