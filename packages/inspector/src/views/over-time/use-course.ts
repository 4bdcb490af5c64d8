import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Observable } from '../../api/observable.ts'
import { serverQuery } from '../../api/queries.ts'
import type { Comparison, TimelineData, TimelinePoint } from '../../api/timeline.ts'
import { comparisonQuery } from '../../api/timeline.ts'
import { usePlace } from '../../parts/address.ts'
import { sumCache } from '../../parts/cache-share.ts'
import type { OfferedPolicy } from '../../parts/policies.ts'
import { isBroken, type TurnStop, toCallStops, toStops } from '../../parts/stops.ts'

const usualPolicy = 'sliding-50'
/** More policies to show beside the compared one, where computing them is cheap. */
const otherPolicies: readonly OfferedPolicy[] = [
  'thrifty',
  'balanced',
  'thorough',
  'stable',
  'tiered',
]
const few = 600
/** Above this many calls per turn on average, a step is a call. */
const manyCalls = 3

export interface CourseProps extends Pick<TimelineData, 'points' | 'isWhole'> {
  readonly turns: Parameters<typeof toStops>[0]
}

export type Course = ReturnType<typeof useCourse>['course']

/** All steps, and the one that is looked at. */
export interface StepProps {
  readonly course: Course
  readonly choice: {
    readonly selected: number
    /** The step under the pointer. */
    readonly hover: Observable<number | undefined>
    readonly pick: (index: number) => void
  }
}

/** What was sent and read over time, and would have been with other policies: all that the plots, the table and the panel show. */
export function useCourse({ turns, points, isWhole }: CourseProps) {
  const { thread, search } = usePlace()
  // A turn of many calls says little: its calls are the steps.
  const by = search.by ?? (points.length > manyCalls * turns.length ? 'call' : 'turn')
  const steps = useMemo(() => toSteps(toStops(turns, points), by), [turns, points, by])
  const policy = points.at(-1)?.policy ?? ''
  const chosen = search.with ?? (policy === 'sliding' ? 'balanced' : usualPolicy)
  const { data: comparison } = useQuery({ ...comparisonQuery(thread, [chosen]), enabled: isWhole })
  const rest = useMemo(
    () => otherPolicies.filter(one => one !== chosen && one !== policy),
    [chosen, policy],
  )
  const isRestWanted = comparison?.isWhole === true && points.length <= few
  const { data: restComparison } = useQuery({
    ...comparisonQuery(thread, rest),
    enabled: isRestWanted,
  })
  const course = useMemo(() => {
    const [compared] = comparedSums(steps, isWhole, comparison)
    return {
      by,
      steps,
      isWhole,
      sums: sumUp(points),
      cache: sumCache(points),
      accuracy: accuracyOf(points),
      /** How often the cut moved. */
      cuts: steps.reduce((sum, step) => sum + step.cuts, 0),
      /** What was read with the policy that was used, with the one that is compared, and with others, for orientation. */
      real: { name: policy, sums: runningSums(steps, isWhole, ({ anew }) => anew) },
      compared: compared ?? { name: policyInWords(chosen), sums: [], anewOf: () => undefined },
      others: comparedSums(steps, isWhole, restComparison),
    }
  }, [by, steps, points, isWhole, policy, chosen, comparison, restComparison])
  const isCompared = comparison?.isWhole === true && course.compared.sums.length === steps.length
  const { data: server } = useQuery(serverQuery)
  // `sliding` needs a number: how many messages it keeps.
  const named = (server?.policies ?? otherPolicies).filter(
    one => one !== 'default' && one !== 'sliding',
  )
  const choices = [...new Set([usualPolicy, 'sliding-20', ...named, chosen])].filter(
    one => one !== policy,
  )
  return { course, chosen, choices, isCompared }
}

/** A place on the axis: a turn, or a call if the axis shows calls. */
type AxisStep = ReturnType<typeof toSteps>[number]

function toSteps(stops: readonly TurnStop[], by: 'turn' | 'call') {
  const all =
    by === 'turn'
      ? stops
      : stops.flatMap(stop => (stop.points.length === 0 ? [stop] : toCallStops([stop])))
  let before: number | undefined
  return all.map(stop => {
    let cut: { readonly from: number; readonly to: number } | undefined
    let cuts = 0
    for (const point of stop.points) {
      const { before: place = before } = point.cut ?? {}
      if (point.cut && place !== before) {
        cut = { from: cut?.from ?? before ?? 1, to: point.cut.before }
        cuts += 1
      }
      before = place
    }
    return {
      ...stop,
      /** Where the cut moved in its calls, and how often: all before `to` has left the window, besides what is protected. */
      cut,
      cuts,
      /** Its last call that failed or was not answered. */
      broken: stop.points.findLast(isBroken),
    }
  })
}

/** All by our own estimate, as other policies can be compared only by that. */
export function sumUp(points: Iterable<TimelinePoint>) {
  const sums = { calls: 0, tokens: 0, anew: 0 }
  for (const { tokens, anew } of points) {
    sums.calls += 1
    sums.tokens += tokens
    sums.anew += anew
  }
  return sums
}

/** How far our count is from what models reported: a mean of 0.19 is 19 % above. */
function accuracyOf(points: readonly TimelinePoint[]) {
  const ratios = points.map(point => ratioOf([point])).filter(ratio => ratio !== undefined)
  const reported = ratios.length
  return {
    reported,
    without: points.length - reported,
    mean: reported === 0 ? 0 : ratios.reduce((sum, ratio) => sum + ratio, 0) / reported - 1,
    lowest: ratios.reduce((low, ratio) => Math.min(low, ratio), Number.POSITIVE_INFINITY),
    highest: ratios.reduce((high, ratio) => Math.max(high, ratio), 0),
  }
}

/** Our count divided by the reported one; undefined if nothing was reported. */
export function ratioOf(points: readonly TimelinePoint[]): number | undefined {
  const counted = points.filter(({ reported = 0 }) => reported > 0)
  const theirs = counted.reduce((sum, { reported = 0 }) => sum + reported, 0)
  // Of a shadow, the report is of what was passed.
  const ours = counted.reduce((sum, { tokens, shadow }) => sum + (shadow?.tokens ?? tokens), 0)
  return theirs === 0 ? undefined : ours / theirs
}

/** Adds up what each point costs: [index] is the sum up to that step. Stops at a gap: later sums would be too low. */
function runningSums(
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

/** What other policies, named in words, would have read: up to each step, and in one call, as far as it is known. */
function comparedSums(steps: readonly AxisStep[], isWhole: boolean, comparison?: Comparison) {
  const costs = new Map(comparison?.points.map(point => [callOf(point), point.against]))
  return (comparison?.policies ?? []).map((policy, index) => {
    const anewOf = (point: TimelinePoint) => costs.get(callOf(point))?.[index]
    return { name: policyInWords(policy), sums: runningSums(steps, isWhole, anewOf), anewOf }
  })
}

/** A call as addresses name it: by its id, else by its place. */
export const callOf = ({ at, call }: Pick<TimelinePoint, 'at' | 'call'>): string =>
  call ?? String(at)

/** What was read in one step. */
export const anewIn = (sums: readonly number[], index: number) =>
  sums[index] === undefined ? undefined : sums[index] - (sums[index - 1] ?? 0)

export type PlotColumn = ReturnType<typeof toColumns>[number]

/** Steps that share a column of pixels. As long as every step has a pixel of its own there is a column for each. */
export function toColumns(steps: readonly AxisStep[], width: number) {
  const many = Math.min(steps.length, Math.max(1, Math.floor(width)))
  const pitch = width / Math.max(1, many)
  const startOf = (column: number) => Math.floor((column * steps.length) / many)
  return Array.from({ length: many }, (_, column) => {
    const shared = steps.slice(startOf(column), startOf(column + 1))
    return {
      left: column * pitch,
      middle: (column + 0.5) * pitch,
      /** The width of its bar: there is a gap where there is room for one. */
      wide: Math.max(1, pitch - (pitch > 3 ? 1 : 0)),
      /** The last of its steps. */
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
export const fullest = (points: readonly TimelinePoint[]): TimelinePoint | undefined =>
  points.toSorted((a, b) => b.tokens - a.tokens)[0]
