import { firstPlace } from '../conversation/first-place.ts'
import type { PromptLine } from './split-lines.ts'

/**
 * Divides a prompt into what stands still and what changes. Only what earlier prompts of the conversation have shown counts: a
 * prompt that is new stands still. Most of a head's lines must come again, else it is another prompt. `old`: the head of the prompt
 * before, if there was one; `length`: the messages of the conversation so far; `onlyNumbers`: whether only lines move that differ
 * in nothing but numbers, dates and times. Gives the ids of the head, and for each line whether it stands in it.
 */
export function arrange(
  lines: readonly PromptLine[],
  length: number,
  old: readonly string[] = [],
  onlyNumbers = false,
) {
  const ids = lines.map(({ id }) => id)
  const places = matchLines(old, ids)
  const isStill = places.map(place => place >= 0)
  if (isStill.filter(Boolean).length * 2 < Math.max(1, old.filter(isLine).length))
    return { head: ids, isStill: lines.map(() => true) }
  const hasGap = old.some(isGap)
  const head: string[] = []
  /** The first place of the earlier head, and the first line, behind the last line that stands still. */
  let [next, from] = [0, 0]
  /** Settles what stands between two lines that stand still: what stood there, and the lines that stand there now. */
  const closePart = (before: readonly string[], from: number, to: number) => {
    const isGone = before.some(isLine)
    const isReplaced = isGone && from < to
    const gap = before.find(isGap)
    const changedAt = Number.parseInt(before.find(isChange)?.slice(1) ?? '', 36)
    const isOften = (hasGap && isReplaced) || length - changedAt <= often
    const part = lines.slice(from, to)
    const mayMove = !onlyNumbers || differInNumbers(before, part)
    if (!isGone && from === to) {
      if (before[0] !== undefined) head.push(before[0])
    } else if (onlyNumbers && mayMove && (isOften || gap !== undefined))
      head.push(toNumberGap(part))
    else if (gap !== undefined && mayMove) head.push(gap)
    else if (isOften && mayMove) head.push(isReplaced ? toGap(part[0]!) : '_')
    else {
      head.push(`~${length.toString(36)}`)
      for (let at = from; at < to; at++) {
        head.push(ids[at]!)
        isStill[at] = true
      }
    }
  }
  const closeRun = (end: number, to: number) => {
    const before = old.slice(next, end)
    const parts = onlyNumbers ? pairLines(before, to - from) : undefined
    for (const { ids, width } of parts ?? []) {
      closePart(ids, from, from + width)
      from += width
    }
    if (!parts) closePart(before, from, to)
    next = end + 1
    from = to + 1
  }
  for (const [at, place] of places.entries()) {
    if (place < 0) continue
    closeRun(place, at)
    head.push(ids[at]!)
  }
  closeRun(old.length, lines.length)
  return { head, isStill }
}

/**
 * A line that changes twice within this many messages stands below from then on: reading the whole prompt again costs as much as
 * reading the lines below and the last exchange some 20 times (`npm run bench -- prompt`). Where lines stand below already, one
 * more costs nearly nothing, so that it goes there when it changes once.
 */
const often = 32

/** A place of a head whose lines stand below. */
export const isGap = (id: string): boolean => id.startsWith('_')

/** A gap that the head shows: another line stood there. */
export const isShownGap = (id: string): boolean => isGap(id) && id !== '_'

const isChange = (id: string): boolean => id.startsWith('~')

/** Whether an id of a head stands for a line of the prompt. */
export const isLine = (id: string): boolean => !isGap(id) && !isChange(id)

const toGap = ({ indent }: PromptLine): string => `_${Math.min(indent, 40)}`

/** A gap that only lines of the same patterns fill. */
const toNumberGap = (run: readonly PromptLine[]): string =>
  [toGap(run[0]!), ...run.map(({ pattern }) => pattern)].join('.')

/** How far the line of a gap that the head shows is indented. */
export const indentOfGap = (id: string): number => Number.parseInt(id.slice(1), 10) || 0

/** What stood in the place of as many lines, each with the lines that it was; undefined if there were more or fewer. */
function pairLines(before: readonly string[], count: number) {
  const parts: { ids: readonly string[]; width: number }[] = []
  let marks: readonly string[] = []
  for (const id of before) {
    if (isChange(id)) marks = [...marks, id]
    else {
      parts.push({ ids: [...marks, id], width: isGap(id) ? id.split('.').length - 1 : 1 })
      marks = []
    }
  }
  const widths = parts.reduce((sum, { width }) => sum + width, 0)
  return parts.length > 1 && marks.length === 0 && widths === count ? parts : undefined
}

/** Whether lines stand in the place of as many others, and differ from these in nothing but numbers, dates and times. */
function differInNumbers(before: readonly string[], run: readonly PromptLine[]): boolean {
  const patterns = before.flatMap(id => {
    const [, ...own] = id.split('.')
    return isLine(id) && own.length === 0 ? [undefined] : own
  })
  const isSame = ({ pattern }: PromptLine, at: number) =>
    pattern !== undefined && pattern === patterns[at]
  return run.length > 0 && run.length === patterns.length && run.every(isSame)
}

type LinePair = readonly [earlier: number, current: number]
/** Where a stretch of both lists begins and ends. */
type Stretches = Readonly<Record<'from' | 'to', LinePair>>

/** Each id's earlier place, ascending, or -1. Matches equal ends, then ids unique in both, then those beside, in n log n. */
function matchLines(earlier: readonly string[], current: readonly string[]): readonly number[] {
  const places = new Array<number>(current.length).fill(-1)
  /** Matches what two stretches begin and end with. Gives what is left of them. */
  function matchEnds(from: LinePair, to: LinePair): Stretches {
    let [[k, g], [endEarlier, endCurrent]] = [from, to]
    while (k < endEarlier && g < endCurrent && earlier[k] === current[g]) places[g++] = k++
    while (endEarlier > k && endCurrent > g && earlier[endEarlier - 1] === current[endCurrent - 1])
      places[--endCurrent] = --endEarlier
    return { from: [k, g], to: [endEarlier, endCurrent] }
  }
  const rest = matchEnds([0, 0], [earlier.length, current.length])
  let { from } = rest
  for (const [place, at] of ascending(pairsOf(earlier, current, rest))) {
    matchEnds(from, [place, at])
    places[at] = place
    from = [place + 1, at + 1]
  }
  matchEnds(from, rest.to)
  return places
}

/** The places of the ids that stand once in both stretches, in the order of the current ones. */
function pairsOf(earlier: readonly string[], current: readonly string[], { from, to }: Stretches) {
  const single = (ids: readonly string[], first: number, end: number) => {
    const places = new Map<string, number>()
    for (let at = first; at < end; at++) places.set(ids[at]!, places.has(ids[at]!) ? -1 : at)
    return places
  }
  const earlierAt = single(earlier, from[0], to[0])
  return [...single(current, from[1], to[1])].flatMap(([id, at]) => {
    const place = earlierAt.get(id) ?? -1
    return at >= 0 && place >= 0 ? [[place, at] as const] : []
  })
}

/** The longest selection of pairs whose earlier places ascend. */
function ascending(pairs: readonly LinePair[]): readonly LinePair[] {
  /** The pair that ends the best selection of each length, and for each pair the one before it. */
  const ends: number[] = []
  const before: number[] = []
  for (const [at, [place]] of pairs.entries()) {
    const length = firstPlace(ends.length, n => pairs[ends[n]!]![0] >= place)
    before.push(length > 0 ? ends[length - 1]! : -1)
    ends[length] = at
  }
  const chosen: LinePair[] = []
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at]!) chosen.push(pairs[at]!)
  return chosen.reverse()
}
