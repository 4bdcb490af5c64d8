import { createContext, use, useSyncExternalStore } from 'react'
import { observable } from '../../api/observable.ts'
import type { Moment, SentRow, TimelineData, TimelinePoint } from '../../api/timeline.ts'
import type { ViewPlace } from '../../parts/address.ts'
import type { Fate, FateRun } from '../../parts/fates.ts'
import type { Brief, LogScale } from '../../parts/log-scale.ts'
import type { EntryLine, MessageLine, RecallSource } from '../../parts/sent-rows.ts'
import { entryOf, toSentMessages } from '../../parts/sent-rows.ts'
import type { TurnStop } from '../../parts/stops.ts'
import type { SaidText } from './sources-of.ts'

/** What all parts of the view show. */
export interface Scene {
  readonly place: ViewPlace
  readonly entries: readonly Brief[]
  readonly scale: LogScale
  readonly timeline: TimelineData
  readonly stops: readonly TurnStop[]
  /** Where the slider is, and the fates of all entries there. */
  readonly point: TimelinePoint
  readonly runs: readonly FateRun[]
  /** What the model got and the point where; the previous point while this one is being read. */
  readonly shownPoint: TimelinePoint
  readonly moment: Moment
  readonly selected: number | undefined
  readonly select: (seq: number | undefined) => void
  readonly isPlaying: boolean
  /** To another turn, by its place among the stops; to another call; and on with playing, or not. */
  readonly toTurn: (index: number) => void
  readonly toCall: (by: number) => void
  readonly togglePlay: () => void
  /** The messages that hold the sentence of the answer that was pressed, the best first. */
  readonly sources: readonly SaidText[]
  /** Their entries; undefined while no sentence is pressed. */
  readonly lit: ReadonlySet<number> | undefined
}

const SceneContext = createContext<Scene | undefined>(undefined)
export const SceneProvider = SceneContext.Provider
export const useScene = (): Scene => use(SceneContext)!

/** The entry under the pointer. It is highlighted less than the selection, and nothing scrolls for it. */
export const hover = observable<number | undefined>(undefined)

/** Whether an entry is under the pointer. Only the rows for which this changes render again. */
export const useIsHovered = (seq: number | undefined): boolean =>
  useSyncExternalStore(hover.subscribe, () => seq !== undefined && hover.get() === seq)

export type LogItem = Pick<EntryLine, 'key' | 'seq'> & {
  readonly first: number
  readonly last: number
} & (
    | { readonly kind: 'entry'; readonly seq: number; readonly fate: Fate }
    /** Entries that were not sent, or that were written after the moment that is shown. */
    | { readonly kind: 'fold' | 'later' }
  )

interface LogFilter {
  readonly fate: Fate | undefined
  /** The entries that were found; undefined if nothing is looked for. */
  readonly matches: ReadonlySet<number> | undefined
  /** The first entries of folds that are open. */
  readonly open: ReadonlySet<number>
  /** Never in a fold. */
  readonly selected: number | undefined
  readonly head: number
}

/** Shorter runs of entries that were not sent are not worth a fold. */
const shortestFold = 3

export function toLogItems(runs: readonly FateRun[], filter: LogFilter): readonly LogItem[] {
  const { fate: wanted, matches, open, selected = 0, head } = filter
  const isFiltered = wanted !== undefined || matches !== undefined
  const items: LogItem[] = []
  for (const run of runs) {
    if (wanted !== undefined && run.fate !== wanted) continue
    const canFold = !isFiltered && run.fate === 'omitted' && !open.has(run.first)
    for (const { first, last, fate } of canFold ? splitAt(run, selected) : [run])
      if (canFold && last - first + 1 >= shortestFold && !open.has(first))
        items.push({ kind: 'fold', key: `fold-${first}`, first, last })
      else
        for (let seq = first; seq <= last; seq++)
          if (matches === undefined || matches.has(seq))
            items.push({ kind: 'entry', key: `log-${seq}`, seq, first: seq, last: seq, fate })
  }
  const end = runs.at(-1)?.last ?? 0
  if (end < head && !isFiltered)
    items.push({ kind: 'later', key: `fold-${end + 1}`, first: end + 1, last: head })
  return items
}

/** A run with one of its entries by itself. */
function splitAt(run: FateRun, seq: number): readonly FateRun[] {
  if (seq < run.first || seq > run.last) return [run]
  const parts = [
    { ...run, last: seq - 1 },
    { ...run, first: seq, last: seq },
    { ...run, first: seq + 1 },
  ]
  return parts.filter(({ first, last }) => first <= last)
}

export type ContextItem = EntryLine & { readonly isReused: boolean } & (
    | (MessageLine & { readonly kind: 'row'; readonly isFirst: boolean })
    | (MessageLine & {
        readonly kind: 'block'
        readonly isOpen: boolean
        /** The message that asks for what is in the block. */
        readonly asker: number | undefined
      })
    /** `rule`: the sentence of it that is a standing rule, where only that is sent. */
    | {
        readonly kind: 'quoted'
        readonly seq: number
        readonly fate: Fate
        readonly rule?: string | undefined
      }
    /** A line of the text of a block from other conversations, and where a message of it comes from. */
    | { readonly kind: 'line'; readonly text: string }
    | { readonly kind: 'source'; readonly source: RecallSource; readonly isFirst: boolean }
    /** Where the cached prefix ends. */
    | { readonly kind: 'edge' }
    /** Messages in a row that the other side of a comparison sends in the same form. */
    | { readonly kind: 'same'; readonly many: number; readonly isOpen: boolean }
  )

export type ItemOf<Kind extends ContextItem['kind']> = Extract<ContextItem, { readonly kind: Kind }>

export interface ContextList {
  readonly items: readonly ContextItem[]
  /** The end of the latest turn, which stays in sight. */
  readonly pinned: readonly ItemOf<'row'>[]
}

/** Whether the other side of a comparison sends the same. */
export interface SameAs {
  readonly entry: (seq: number) => boolean
  readonly message: (line: MessageLine) => boolean
}

export interface ListOptions {
  /** The keys of the blocks and folds that are open or folded against the rule. */
  readonly flipped: ReadonlySet<string>
  readonly selected?: number | undefined
  /** In a comparison: what the other side does with the same messages. */
  readonly sameAs?: SameAs | undefined
}

/** Open are the blocks of the newest message and of the selection; in a comparison all of recall, and nothing is pinned. */
export function toContextItems(
  rows: readonly SentRow[],
  point: Pick<TimelinePoint, 'tokens' | 'reused'>,
  { flipped, selected, sameAs }: ListOptions,
): ContextList {
  const items: ContextItem[] = []
  const pinned: ItemOf<'row'>[] = []
  const pinFrom = sameAs ? rows.length : pinnedFrom(rows)
  const users = rows.flatMap((row, index) => (isUser(row) ? [{ index, seq: entryOf(row) }] : []))
  let same: ContextItem[] = []
  const closeFold = () => {
    const [first] = same
    if (!first) return
    const key = `same ${first.key}`
    const isOpen = flipped.has(key)
    const entries = isOpen ? [] : same.flatMap(one => one.entries)
    const many = same.filter(({ kind }) => kind === 'row' || kind === 'quoted').length
    items.push({
      kind: 'same',
      key,
      entries,
      many,
      isOpen,
      isReused: same.every(one => one.isReused),
    })
    if (isOpen) for (const one of same) items.push(one)
    same = []
  }
  const add = (item: ContextItem, isSame = false) => {
    if (isSame) return same.push(item)
    closeFold()
    return items.push(item)
  }
  let isAfterReused = false
  for (const message of toSentMessages(rows, point)) {
    const { row, index, isReused, fate } = message
    const { seqs, standsFor } = row
    const isSame = sameAs?.message(message)
    if (isAfterReused && !isReused && !sameAs)
      add({ kind: 'edge', key: 'edge', entries: [], isReused })
    isAfterReused = isReused
    if (message.isBlock) {
      const isRecall = row.part === 'recall'
      // The user message after a block of recall is the one that asked for it.
      const asker = isRecall ? users.find(user => user.index > index)?.seq : undefined
      const isAsked = isRecall && (sameAs !== undefined || asker === users.at(-1)?.seq)
      const isSelected = selected !== undefined && standsFor.includes(selected)
      const isUsual = isAsked || isSelected || row.part === 'rules'
      const key = `block ${index}`
      const isOpen = isUsual !== flipped.has(key)
      add(
        { ...message, kind: 'block', key, entries: isOpen ? [] : standsFor, isOpen, asker },
        isSame,
      )
      if (!isOpen) continue
      const rules = row.rules ?? []
      for (const [at, { seq, text: rule }] of rules.entries())
        add(
          { kind: 'quoted', key: `rule ${at}`, entries: [seq], seq, fate, isReused, rule },
          sameAs?.entry(seq),
        )
      for (const seq of standsFor)
        if (!rules.some(rule => rule.seq === seq))
          add(
            { kind: 'quoted', key: `quoted ${seq}`, entries: [seq], seq, fate, isReused },
            sameAs?.entry(seq),
          )
      if (row.sources)
        for (const [at, text] of linesOf(row).entries())
          add({ kind: 'line', key: `line ${index} ${at}`, entries: [], text, isReused }, isSame)
    } else {
      const isFirst = rows[index - 1]?.part !== row.part
      const entries = [...seqs, ...standsFor]
      const line = {
        ...message,
        kind: 'row',
        key: `row ${message.seq ?? `at ${index}`}`,
        entries,
        isFirst,
      } as const
      if (index >= pinFrom) pinned.push(line)
      else add(line, isSame)
    }
    // Also sources of quotes that were joined to a message.
    for (const [at, source] of (row.sources ?? []).entries()) {
      const key = `source ${index} ${at}`
      add({ kind: 'source', key, entries: [], source, isReused, isFirst: at === 0 }, isSame)
    }
  }
  closeFold()
  return { items, pinned }
}

/** More lines of a text are left to the form Text, so that its sources stay near. */
const mostLines = 24

function linesOf({ text = '' }: SentRow): readonly string[] {
  const lines = text.split('\n').filter(line => line.trim() !== '')
  const shown = lines.slice(0, mostLines).map(line => line.slice(0, 240))
  if (lines.length > mostLines) shown.push(`… and ${lines.length - mostLines} more lines: see Text`)
  return shown
}

const isUser = (row: SentRow) => row.role === 'user' && entryOf(row) !== undefined

/** The last messages, if they are the protected end and few. One with sources stays in the list, where they follow it. */
function pinnedFrom(rows: readonly SentRow[]): number {
  const canPin = ({ part, sources = [] }: SentRow) => part === 'latest' && sources.length === 0
  let from = rows.length
  while (from > 0 && canPin(rows[from - 1]!) && rows.length - from < 3) from -= 1
  return from
}

/** The row of an entry in the context: a row that quotes it, else its own row. A cleared entry that is recalled has both. */
export function rowOf(rows: readonly SentRow[], seq: number): number {
  const block = rows.findIndex(row => row.standsFor.includes(seq))
  return block >= 0 ? block : rows.findIndex(row => row.seqs.includes(seq))
}
