import type { SentRow, TimelinePoint } from '../../api/timeline.ts'
import type { FateRun } from '../../parts/fate-runs.ts'
import type { Fate } from '../../parts/fates.ts'
import { countReused, entryOf } from '../../parts/sent-rows.ts'

export type { Brief } from '../../parts/log-scale.ts'

/** A line of the list of the log. */
export type LogItem =
  | { readonly kind: 'entry'; readonly seq: number; readonly fate: Fate }
  | { readonly kind: 'fold'; readonly first: number; readonly last: number }
  /** What was written after the moment that is shown. */
  | { readonly kind: 'later'; readonly first: number; readonly last: number }

export interface LogFilter {
  readonly fate?: Fate | undefined
  /** The entries that were found; undefined if nothing is looked for. */
  readonly found?: ReadonlySet<number> | undefined
  /** The first entries of folds that are open. */
  readonly open: ReadonlySet<number>
  /** Never in a fold. */
  readonly selected?: number | undefined
  readonly head: number
}

/** Shorter runs of entries that were not sent are not worth a fold. */
const shortestFold = 3

export function toLogItems(runs: readonly FateRun[], filter: LogFilter): readonly LogItem[] {
  const { fate: wanted, found, open, selected, head } = filter
  const items: LogItem[] = []
  const list = ({ first, last, fate }: FateRun) => {
    for (let seq = first; seq <= last; seq++)
      if (found === undefined || found.has(seq)) items.push({ kind: 'entry', seq, fate })
  }
  const fold = (run: FateRun) => {
    const isFolded = run.last - run.first + 1 >= shortestFold && !open.has(run.first)
    if (isFolded) items.push({ kind: 'fold', first: run.first, last: run.last })
    else list(run)
  }
  for (const run of runs) {
    const { first, last, fate } = run
    if (wanted !== undefined && fate !== wanted) continue
    if (wanted !== undefined || found !== undefined || fate !== 'elided') list(run)
    else if (selected !== undefined && selected >= first && selected <= last && !open.has(first)) {
      if (selected > first) fold({ first, last: selected - 1, fate })
      list({ first: selected, last: selected, fate })
      if (selected < last) fold({ first: selected + 1, last, fate })
    } else fold(run)
  }
  const end = runs.at(-1)?.last ?? 0
  if (end < head && wanted === undefined && found === undefined)
    items.push({ kind: 'later', first: end + 1, last: head })
  return items
}

/** A line of the list of what the model got. */
export type ContextItem =
  | {
      readonly kind: 'row'
      readonly row: SentRow
      readonly index: number
      readonly isReused: boolean
      readonly isFirst: boolean
    }
  | {
      readonly kind: 'block'
      readonly row: SentRow
      readonly index: number
      readonly isReused: boolean
      readonly isOpen: boolean
      readonly entries: readonly number[]
      /** The message that asks for what is in the block. */
      readonly asker?: number | undefined
    }
  | { readonly kind: 'quoted'; readonly seq: number; readonly fate: Fate; readonly isReused: boolean }
  /** A line of the text of a block from other conversations, and where a message of it comes from. */
  | { readonly kind: 'line'; readonly key: string; readonly text: string; readonly isReused: boolean }
  | {
      readonly kind: 'source'
      readonly key: string
      readonly source: NonNullable<SentRow['sources']>[number]
      readonly isReused: boolean
      readonly isFirst: boolean
    }
  | { readonly kind: 'edge'; readonly anew: number }

export interface ContextList {
  readonly items: readonly ContextItem[]
  /** The end of the latest turn, which stays in sight. */
  readonly pinned: readonly Extract<ContextItem, { kind: 'row' }>[]
}

/**
 * Usually the block that the newest message asked for is open, and the one with the selection. `flipped`: those that are
 * open or folded against this.
 */
export function toContextItems(
  rows: readonly SentRow[],
  point: Pick<TimelinePoint, 'tokens' | 'reused'>,
  { flipped, selected }: { readonly flipped: ReadonlySet<number>; readonly selected?: number | undefined },
): ContextList {
  const reusedRows = countReused(rows, point)
  const items: ContextItem[] = []
  const pinFrom = pinnedFrom(rows)
  const pinned: Extract<ContextItem, { kind: 'row' }>[] = []
  for (const [index, row] of rows.entries()) {
    const isReused = index < reusedRows
    if (index === reusedRows && index > 0 && index < rows.length)
      items.push({ kind: 'edge', anew: point.tokens - point.reused })
    const isFirst = rows[index - 1]?.part !== row.part
    const { seqs, standsFor: entries } = row
    if ((entries.length > 0 || row.sources) && seqs.length === 0) {
      const asker = row.part === 'recall' ? askerOf(rows, index) : undefined
      const isAsked = row.part === 'recall' && asker === latestUser(rows)
      const usual = isAsked || (selected !== undefined && entries.includes(selected))
      const isOpen = usual !== flipped.has(index)
      items.push({ kind: 'block', row, index, isReused, isOpen, entries, asker })
      const fate = row.part === 'recall' ? 'recalled' : row.part === 'notes' ? 'moved' : 'digested'
      if (isOpen) for (const seq of entries) items.push({ kind: 'quoted', seq, fate, isReused })
      if (isOpen && row.sources) for (const item of toSourceItems(row, index, isReused)) items.push(item)
    } else {
      const item = { kind: 'row', row, index, isReused, isFirst } as const
      if (index >= pinFrom) pinned.push(item)
      else items.push(item)
      // Quotes that were joined to a message: where they come from.
      for (const source of toSources(row, index, isReused)) items.push(source)
    }
  }
  return { items, pinned }
}

/** More lines of a text are left to the dump, so that its sources stay near. */
const mostLines = 24

/** The text of a block from other conversations line by line, then its sources. */
function toSourceItems(row: SentRow, index: number, isReused: boolean): readonly ContextItem[] {
  const { text = '' } = row
  const lines = text.split('\n').filter(line => line.trim() !== '')
  const shown = lines.slice(0, mostLines).map(line => line.slice(0, 240))
  if (lines.length > mostLines) shown.push(`… and ${lines.length - mostLines} more lines: see the dump`)
  return [
    ...shown.map((text, at) => ({ kind: 'line', key: `line ${index} ${at}`, text, isReused }) as const),
    ...toSources(row, index, isReused),
  ]
}

function toSources({ sources = [] }: SentRow, index: number, isReused: boolean): readonly ContextItem[] {
  return sources.map((source, at) => {
    const key = `source ${index} ${at}`
    return { kind: 'source', key, source, isReused, isFirst: at === 0 } as const
  })
}

/** The user message after a block of recall is the one that asked for it. */
const askerOf = (rows: readonly SentRow[], index: number) =>
  rows
    .slice(index + 1)
    .filter(isUser)
    .map(entryOf)[0]

const latestUser = (rows: readonly SentRow[]) => rows.filter(isUser).map(entryOf).at(-1)

const isUser = (row: SentRow) => row.role === 'user' && entryOf(row) !== undefined

/** The last messages, if they are the protected end and few. One with sources stays in the list, where they follow it. */
function pinnedFrom(rows: readonly SentRow[]): number {
  const canPin = ({ part, sources = [] }: SentRow) => part === 'latest' && sources.length === 0
  let from = rows.length
  while (from > 0 && canPin(rows[from - 1]!) && rows.length - from < 3) from -= 1
  return from
}

/** Where an entry is in the context: the row that has it, else the row that is it. A cleared entry that is recalled has both. */
export function rowOf(rows: readonly SentRow[], seq: number): number {
  const block = rows.findIndex(row => row.standsFor.includes(seq))
  return block >= 0 ? block : rows.findIndex(row => row.seqs.includes(seq))
}
