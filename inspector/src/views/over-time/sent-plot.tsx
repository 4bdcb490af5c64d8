import { memo, useId } from 'react'
import type { TimelinePoint } from '../../api/timeline.ts'
import { colourOfPart, partStack } from '../../parts/fates.ts'
import { count } from '../../parts/format.ts'
import { fullest, type Step, toColumns, toTicks } from './figures.ts'
import styles from './plot.module.css'
import { barsPath, type Frame, Plot } from './plot.tsx'

export interface SentPlotProps {
  readonly frame: Frame
  readonly steps: readonly Step[]
  readonly by: 'turn' | 'call'
  readonly isBusy: boolean
}

/** What was sent in each turn, by part, and how much room there was. */
export const SentPlot = memo(function SentPlot({ frame, steps, by, isBusy }: SentPlotProps) {
  const { width, height } = frame
  const columns = toColumns(steps.length, width)
  const wide = width / Math.max(1, columns.length)
  const gap = wide > 3 ? 1 : 0
  // Where several steps share a column, the fullest of them is drawn.
  const shown = columns.map(([first, last]) =>
    fullest(steps.slice(first, last + 1).flatMap(({ points }) => points)),
  )
  const known = shown.filter(point => point !== undefined)
  const most = known.reduce((max, { tokens }) => Math.max(max, tokens), 0)
  const roomiest = known.reduce((max, { window }) => Math.max(max, window), 1)
  // Far below the window the bars would be too small to be told apart.
  const isFar = most > 0 && roomiest > 4 * most
  const top = isFar ? most * 1.25 : Math.max(roomiest, most)
  const y = (tokens: number) => height - (Math.min(top, tokens) / top) * height
  const pattern = useId()
  const rooms = isFar ? [] : toRooms(shown)
  const ticks = toTicks(top, height / 50, y)
  const marks = columns.map(([first, last], at) => ({
    x: (at + 0.5) * wide,
    isCut: someStep(steps, first, last, step => step.cut !== undefined),
    isBroken: someStep(steps, first, last, step => step.broken !== undefined),
  }))
  const hasBroken = marks.some(({ isBroken }) => isBroken)
  const perColumn = steps.length > columns.length ? ', the fullest of each pixel' : ''
  const answer =
    known.length === 0
      ? 'Nothing was sent yet'
      : `At most ${count(most)} of ${count(roomiest)} tokens were sent`
  return (
    <Plot
      frame={frame}
      answer={answer}
      about={`by part, a bar for each ${by}${by === 'turn' ? ': its fullest call' : ''}${perColumn}`}
      ticks={ticks}
      isBusy={isBusy}
      foot={hasBroken ? 24 : 14}
    >
      <defs>
        <pattern
          id={`${pattern}h`}
          width={6}
          height={6}
          patternUnits="userSpaceOnUse"
          className={styles.reserve}
        >
          <path d="M-1 7 7 -1M-1 1 1 -1M5 7 7 5" />
        </pattern>
      </defs>
      {rooms.map(({ from, to, capacity, window }) => (
        <g key={from}>
          <rect
            x={from * wide}
            width={(to - from) * wide}
            y={y(window)}
            height={Math.max(0, y(capacity) - y(window))}
            fill={`url(#${pattern}h)`}
          />
          <path className={styles.room} d={`M${from * wide} ${y(capacity)}H${to * wide}`} />
        </g>
      ))}
      <path
        className={styles.unknown}
        d={barsPath(
          shown.flatMap((point, at) =>
            point ? [] : [[at * wide, height - 4, Math.max(1, wide - gap), 4] as const],
          ),
        )}
      />
      {partStack.map(part => (
        <path
          key={part}
          data-colour={colourOfPart[part]}
          d={barsPath(
            shown.flatMap((point, at) => {
              const tokens = point?.parts[part] ?? 0
              if (!point || tokens === 0) return []
              const below = under(point, part)
              const bottom = y(below)
              // A hairline between parts, where there is room for one.
              const size = Math.max(
                0.4,
                bottom - y(below + tokens) - (bottom - y(below + tokens) > 3 ? 0.7 : 0),
              )
              return [[at * wide, y(below + tokens), Math.max(1, wide - gap), size] as const]
            }),
          )}
        />
      ))}
      {rooms.length === 1 && width > 400 && (
        <text className={styles.note} x={10} y={(y(rooms[0]!.window) + y(rooms[0]!.capacity)) / 2 + 4}>
          {roomNote(rooms[0]!)}
        </text>
      )}
      <path
        className={styles.cuts}
        d={marks
          .filter(({ isCut }) => isCut)
          .map(({ x }) => `M${x - 3} ${height + 9}l3-5 3 5z`)
          .join('')}
      />
      <path
        className={styles.broken}
        data-mark="broken"
        d={marks
          .filter(({ isBroken }) => isBroken)
          .map(({ x }) => `M${x - 2.5} ${height + 14}l5 5m0-5l-5 5`)
          .join('')}
      />
    </Plot>
  )
})

export function someStep(
  steps: readonly Step[],
  first: number,
  last: number,
  is: (step: Step) => boolean,
): boolean {
  for (let at = first; at <= last; at++) if (is(steps[at]!)) return true
  return false
}

/** The tokens of all parts below one. */
function under(point: TimelinePoint, wanted: string): number {
  let sum = 0
  for (const part of partStack) {
    if (part === wanted) break
    sum += point.parts[part] ?? 0
  }
  return sum
}

interface Room {
  readonly from: number
  readonly to: number
  readonly window: number
  readonly reserve: number
  readonly margin: number
  readonly capacity: number
}

/** Columns in a row with the same window, reserve and margin. */
function toRooms(points: readonly (TimelinePoint | undefined)[]): readonly Room[] {
  const rooms: Room[] = []
  for (const [at, point] of points.entries()) {
    const last = rooms.at(-1)
    if (!point) {
      if (last) rooms[rooms.length - 1] = { ...last, to: at + 1 }
      continue
    }
    const { window, reserve, margin } = point
    if (last?.window === window && last.reserve === reserve && last.margin === margin)
      rooms[rooms.length - 1] = { ...last, to: at + 1 }
    else
      rooms.push({
        ...{ from: last ? at : 0, to: at + 1, window, reserve, margin },
        capacity: Math.max(0, window - reserve - margin),
      })
  }
  return rooms
}

function roomNote({ reserve, margin }: Room): string {
  const pieces = [reserve > 0 && `reserve ${count(reserve)}`, margin > 0 && `margin ${count(margin)}`]
  return pieces.filter(Boolean).join(' and ')
}
