import { groupBy } from '@throughline/core/values'
import type { TimelinePoint } from '../api/timeline.ts'
import type { ConversationSearch } from './address.ts'
import { dayOf } from './format.ts'

/** A place on the axis of turns: a turn with the points of its calls, as far as they are known. */
export interface TurnStop {
  readonly turn: number
  readonly time: number
  readonly points: readonly TimelinePoint[]
}

/** All turns in their order. Calls outside of turns are placed by their time. */
export function toStops(
  turns: readonly { readonly turn: number; readonly startedAt: number }[],
  points: readonly TimelinePoint[],
): readonly TurnStop[] {
  const byTurn = groupBy(points, point => point.turn)
  const loose = (byTurn.get(0) ?? []).map(
    (one): TurnStop => ({ turn: 0, time: one.time, points: [one] }),
  )
  byTurn.delete(0)
  const stops = turns.map(({ turn, startedAt }): TurnStop => {
    return { turn, time: startedAt, points: byTurn.get(turn) ?? [] }
  })
  const turnNumbers = new Set(turns.map(({ turn }) => turn))
  for (const [turn, turnPoints] of byTurn)
    if (!turnNumbers.has(turn)) loose.push({ turn, time: turnPoints[0]!.time, points: turnPoints })
  if (loose.length === 0) return stops
  return [...stops, ...loose].sort((a, b) => a.time - b.time || a.turn - b.turn)
}

export const toCallStops = (stops: readonly TurnStop[]): readonly TurnStop[] =>
  stops.flatMap(({ turn, points }) =>
    points.map(point => ({ turn, time: point.time, points: [point] })),
  )

/** Whether a call ended without a whole answer. */
export const isBroken = ({ status }: TimelinePoint): boolean =>
  status === 'failed' || status === 'cancelled' || status === 'interrupted'

/** The first of each day whose name has room where it would stand: `before` is the name before it. */
export function nameDays(
  times: readonly { readonly time: number }[],
  placeOf: (index: number) => number,
  hasRoom: (at: number, before?: DayName) => boolean,
  nameOf: (time: number) => string = dayOf,
): readonly DayName[] {
  const days: DayName[] = []
  let day = ''
  let month = ''
  for (const [index, { time }] of times.entries()) {
    const today = dayOf(time)
    if (today === day) continue
    day = today
    const at = placeOf(index)
    if (!hasRoom(at, days.at(-1))) continue
    const thisMonth = today.replace(/^\d+ /, '')
    days.push({ at, text: thisMonth === month ? today.split(' ')[0]! : nameOf(time) })
    month = thisMonth
  }
  return days
}

interface DayName {
  readonly at: number
  readonly text: string
}

/** What lets a pointer walk along an axis of stops: a press, and a move while it is pressed, picks the stop below it. */
export function axisEvents(step: number, many: number, pick: PickStop, hover?: PickStop) {
  const indexAt = ({ currentTarget, clientX }: React.PointerEvent) => {
    const { left } = currentTarget.getBoundingClientRect()
    return Math.min(many - 1, Math.max(0, Math.floor((clientX - left) / step)))
  }
  return {
    onPointerDown(event: React.PointerEvent) {
      event.currentTarget.setPointerCapture(event.pointerId)
      pick(indexAt(event))
    },
    onPointerMove(event: React.PointerEvent) {
      if (event.buttons === 1) pick(indexAt(event))
      else if (event.pointerType === 'mouse') hover?.(indexAt(event))
    },
  }
}

type PickStop = (index: number) => void

/** The days on an axis that stops share. */
export const toDays = (stops: readonly TurnStop[], width: number): readonly DayName[] =>
  nameDays(
    stops,
    index => Math.round((index * width) / Math.max(1, stops.length)),
    (at, last) => (!last || at - last.at >= last.text.length * 6 + 14) && width - at >= 16,
  )

/** The point that an address means: a call by its id or its place, a turn by its first call, else the newest. */
export function findPoint(
  points: readonly TimelinePoint[],
  { turn, call }: Pick<ConversationSearch, 'turn' | 'call'>,
): TimelinePoint | undefined {
  if (call !== undefined) {
    const match = points.find(point => point.call === call || String(point.at) === call)
    if (match) return match
  }
  if (turn !== undefined) return points.find(point => point.turn === turn)
  return points.at(-1)
}
