import type { Comparison } from '../../api/comparison.ts'
import type { TimelinePoint } from '../../api/timeline.ts'
import { count, short } from '../../parts/format.ts'
import type { Stop } from '../../parts/stops.ts'
import type { Tick } from './plot.tsx'

/** A place on the axis: a turn, or one call where calls are looked at. */
export interface Step extends Stop {
  /** Where the cut moved in one of its calls. */
  readonly cut?: MovedCut | undefined
  /** How often it moved. */
  readonly cuts: number
  /** Of its calls: what was not answered in the end. */
  readonly broken?: TimelinePoint | undefined
}

/** A cut that moved: all before `to` has left the window, besides what is protected. */
export interface MovedCut {
  readonly from: number
  readonly to: number
}

/** The steps of the axis. A cut is told where it stands elsewhere than in the call before. */
export function toSteps(stops: readonly Stop[], by: 'turn' | 'call'): readonly Step[] {
  let before: number | undefined
  const steps: Step[] = []
  for (const stop of stops) {
    const groups = by === 'turn' ? [stop.points] : stop.points.map(point => [point])
    if (groups.length === 0) steps.push({ ...stop, cuts: 0 })
    for (const points of groups) {
      let moved: MovedCut | undefined
      let cuts = 0
      for (const { cut } of points) {
        if (cut && cut.before !== before) {
          moved = { from: moved?.from ?? before ?? 1, to: cut.before }
          cuts += 1
        }
        before = cut?.before ?? before
      }
      const broken = points.findLast(({ status }) => status !== undefined && isBroken(status))
      const time = by === 'turn' ? stop.time : points[0]!.time
      steps.push({
        turn: stop.turn,
        time,
        points,
        cuts,
        ...(moved && { cut: moved }),
        ...(broken && { broken }),
      })
    }
  }
  return steps
}

const isBroken = (status: NonNullable<TimelinePoint['status']>) =>
  status === 'failed' || status === 'cancelled' || status === 'interrupted'

/** The sums over some points. */
export interface Sums {
  readonly calls: number
  readonly tokens: number
  readonly reused: number
  readonly anew: number
}

export function sumUp(points: Iterable<TimelinePoint>): Sums {
  const sums = { calls: 0, tokens: 0, reused: 0, anew: 0 }
  for (const { tokens, reused, anew } of points) {
    sums.calls += 1
    sums.tokens += tokens
    sums.reused += reused
    sums.anew += anew
  }
  return sums
}

/** How far our count is from what models reported: 0.19 is 19 % above. */
export interface Accuracy {
  readonly reported: number
  readonly without: number
  readonly mean: number
  readonly lowest: number
  readonly highest: number
}

export function accuracyOf(points: Iterable<TimelinePoint>): Accuracy {
  let [reported, without, sum, lowest, highest] = [0, 0, 0, Number.POSITIVE_INFINITY, 0]
  for (const point of points) {
    const ratio = ratioOf([point])
    if (ratio === undefined) without += 1
    else {
      reported += 1
      sum += ratio
      lowest = Math.min(lowest, ratio)
      highest = Math.max(highest, ratio)
    }
  }
  return { reported, without, mean: reported === 0 ? 0 : sum / reported - 1, lowest, highest }
}

/** Our count over what was reported; undefined where nothing was. */
export function ratioOf(points: readonly TimelinePoint[]): number | undefined {
  let [ours, theirs] = [0, 0]
  for (const { tokens, reported = 0 } of points)
    if (reported > 0) {
      ours += tokens
      theirs += reported
    }
  return theirs === 0 ? undefined : ours / theirs
}

/** What was read from the first step to each: with the policy that was used, and with others. */
export interface Running {
  readonly name: string
  /** [index] is the sum up to that step; as long as the points that are known. */
  readonly sums: readonly number[]
}

export function runningSums(
  steps: readonly Step[],
  comparison: Comparison | undefined,
  isWhole: boolean,
): { readonly own: Running; readonly others: readonly Running[] } {
  const compared = new Map(comparison?.points.map(point => [keyOf(point), point]))
  const own: number[] = []
  const others = (comparison?.policies ?? []).map(name => ({ name, sums: [] as number[] }))
  const sums = others.map(() => 0)
  let total = 0
  let isKnown = true
  for (const { points } of steps) {
    // What comes after a gap is not summed up: it would seem to cost too little.
    if (points.length === 0 && !isWhole) break
    for (const point of points) {
      total += point.anew
      const found = compared.get(keyOf(point))
      isKnown = isKnown && found !== undefined
      if (found) for (const [index, anew] of found.against.entries()) sums[index]! += anew
    }
    own.push(total)
    if (isKnown) for (const [index, other] of others.entries()) other.sums.push(sums[index]!)
  }
  return { own: { name: '', sums: own }, others }
}

const keyOf = ({ at, call }: { readonly at: number; readonly call?: string | undefined }) => call ?? at

/**
 * Steps that share a column of pixels: `[first, last]` of each column. As long as every step has a pixel of its own there is
 * a column for each.
 */
export function toColumns(steps: number, width: number): readonly (readonly [first: number, last: number])[] {
  const many = Math.min(steps, Math.max(1, Math.floor(width)))
  return Array.from({ length: many }, (_, column) => [
    Math.floor((column * steps) / many),
    Math.floor(((column + 1) * steps) / many) - 1,
  ])
}

/** Round amounts of tokens from 0 to the most, about as many as asked for, with their places on an axis. */
export function toTicks(most: number, many: number, y: (tokens: number) => number): readonly Tick[] {
  const rough = Math.max(1, most / Math.max(1, many))
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map(one => one * power).find(one => one >= rough) ?? power * 10
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => {
    const tokens = at * step
    return {
      y: y(tokens),
      text: tokens > 0 && tokens % 1000 === 0 ? `${count(tokens / 1000)}k` : short(tokens),
    }
  })
}

/** A policy in words: `sliding-50` are the last 50 messages. */
export function policyInWords(policy: string): string {
  const [, many] = /^sliding-(\d+)$/.exec(policy) ?? []
  return many === undefined ? policy.replace('-', ' ') : `the last ${many} messages`
}

/** The call of a step that filled its window most. */
export function fullest(points: readonly TimelinePoint[]): TimelinePoint | undefined {
  let most = points[0]
  for (const point of points) if (point.tokens > most!.tokens) most = point
  return most
}
