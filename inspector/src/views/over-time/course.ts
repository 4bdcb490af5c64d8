import type { Comparison } from '../../api/comparison.ts'
import type { TimelinePoint } from '../../api/timeline.ts'
import type { TurnStop } from '../../parts/stops.ts'

/** What was sent and read over time: all that the plots, the table and the panel show. */
export interface Course {
  /** What a step is. */
  readonly by: 'turn' | 'call'
  readonly steps: readonly AxisStep[]
  readonly sums: Sums
  /** How often the cut moved. */
  readonly cuts: number
  readonly accuracy: Accuracy
  /** What was read with the policy that was used. */
  readonly real: RunningSums
  /** What would have been read with the policy that is compared with, and with others, for orientation. */
  readonly compared: RunningSums
  /** The same for one call; undefined while it is being read. */
  readonly comparedAnew: (point: TimelinePoint) => number | undefined
  readonly others: readonly RunningSums[]
  /** Whether all points are read. */
  readonly isWhole: boolean
}

/** A place on the axis: a turn, or a call if the axis shows calls. */
export interface AxisStep extends TurnStop {
  /** Where the cut moved in one of its calls. */
  readonly cut?: MovedCut | undefined
  /** How often it moved. */
  readonly cuts: number
  /** Its last call that failed or was not answered. */
  readonly broken?: TimelinePoint | undefined
}

/** A cut that moved: all before `to` has left the window, besides what is protected. */
export interface MovedCut {
  readonly from: number
  readonly to: number
}

/** The steps of the axis. A step has a cut if the cut moved since the call before. */
export function toSteps(stops: readonly TurnStop[], by: 'turn' | 'call'): readonly AxisStep[] {
  let before: number | undefined
  const steps: AxisStep[] = []
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
      const broken = points.findLast(isBroken)
      const time = by === 'turn' ? stop.time : points[0]!.time
      steps.push({ turn: stop.turn, time, points, cuts, cut: moved, broken })
    }
  }
  return steps
}

export const isBroken = ({ status }: TimelinePoint): boolean =>
  status === 'failed' || status === 'cancelled' || status === 'interrupted'

/** The sums over some points. */
export interface Sums {
  readonly calls: number
  readonly tokens: number
  readonly reused: number
  readonly anew: number
  /** The part of what was sent that need not be read again, from 0 to 1. */
  readonly share: number
}

export function sumUp(points: Iterable<TimelinePoint>): Sums {
  const sums = { calls: 0, tokens: 0, reused: 0, anew: 0 }
  for (const { tokens, reused, anew } of points) {
    sums.calls += 1
    sums.tokens += tokens
    sums.reused += reused
    sums.anew += anew
  }
  return { ...sums, share: sums.tokens === 0 ? 0 : sums.reused / sums.tokens }
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

/** Our count divided by the reported one; undefined if nothing was reported. */
export function ratioOf(points: readonly TimelinePoint[]): number | undefined {
  let [ours, theirs] = [0, 0]
  for (const { tokens, reported = 0 } of points)
    if (reported > 0) {
      ours += tokens
      theirs += reported
    }
  return theirs === 0 ? undefined : ours / theirs
}

/** What was read from the first step to each, with one policy. */
export interface RunningSums {
  /** The policy, in words. */
  readonly name: string
  /** [index] is the sum up to that step; ends where points are missing. */
  readonly sums: readonly number[]
}

/** Adds up what each point costs. Stops at a gap: later sums would be too low. */
export function runningSums(
  steps: readonly AxisStep[],
  isWhole: boolean,
  anewOf: (point: TimelinePoint) => number | undefined,
): readonly number[] {
  const sums: number[] = []
  let total = 0
  for (const { points } of steps) {
    if (points.length === 0 && !isWhole) break
    for (const point of points) {
      const anew = anewOf(point)
      if (anew === undefined) return sums
      total += anew
    }
    sums.push(total)
  }
  return sums
}

/** What other policies would have read. */
export function comparedSums(
  steps: readonly AxisStep[],
  isWhole: boolean,
  comparison: Comparison,
): readonly RunningSums[] {
  const costs = costsOf(comparison)
  return comparison.policies.map((policy, index) => ({
    name: policyInWords(policy),
    sums: runningSums(steps, isWhole, point => costs.get(callOf(point))?.[index]),
  }))
}

/** What each call would have read with each of the policies. */
export const costsOf = (comparison: Comparison | undefined): ReadonlyMap<string, readonly number[]> =>
  new Map(comparison?.points.map(point => [callOf(point), point.against]))

/** A call as addresses name it: by its id, else by its place. */
export const callOf = ({ at, call }: Pick<TimelinePoint, 'at' | 'call'>): string => call ?? String(at)

/** What was read in one step. */
export function anewIn({ sums }: RunningSums, index: number): number | undefined {
  const sum = sums[index]
  return sum === undefined ? undefined : sum - (sums[index - 1] ?? 0)
}

/** Steps that share a column of pixels. As long as every step has a pixel of its own there is a column for each. */
export interface PlotColumn {
  readonly left: number
  readonly middle: number
  /** The width of its bar: there is a gap where there is room for one. */
  readonly wide: number
  /** The last of its steps. */
  readonly last: number
  readonly points: readonly TimelinePoint[]
  readonly isCut: boolean
  readonly isBroken: boolean
}

export function toColumns(steps: readonly AxisStep[], width: number): readonly PlotColumn[] {
  const many = Math.min(steps.length, Math.max(1, Math.floor(width)))
  const pitch = width / Math.max(1, many)
  const startOf = (column: number) => Math.floor((column * steps.length) / many)
  return Array.from({ length: many }, (_, column) => {
    const shared = steps.slice(startOf(column), startOf(column + 1))
    return {
      left: column * pitch,
      middle: (column + 0.5) * pitch,
      wide: Math.max(1, pitch - (pitch > 3 ? 1 : 0)),
      last: startOf(column + 1) - 1,
      points: shared.flatMap(({ points }) => points),
      isCut: shared.some(({ cut }) => cut !== undefined),
      isBroken: shared.some(({ broken }) => broken !== undefined),
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
