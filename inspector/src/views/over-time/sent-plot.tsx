import { useId } from 'react'
import type { TimelinePoint } from '../../api/timeline.ts'
import { colourOfPart, partStack } from '../../parts/fates.ts'
import { count } from '../../parts/format.ts'
import { type Bar, barsPath, linearScale, toTicks } from '../../parts/plot.ts'
import styles from './plot.module.css'
import { type DrawnProps, Plot } from './plot.tsx'
import { fullest, type PlotColumn } from './use-course.ts'

/** What was sent in each turn, by part, and how much room there was. */
export function SentPlot({ course: { by, steps, isWhole }, columns, frame }: DrawnProps) {
  const { width, height } = frame
  // Where several steps share a column, the fullest of them is drawn.
  const shown = columns.map(column => ({ ...column, point: fullest(column.points) }))
  const sent = shown.flatMap(({ point }) => (point ? [point] : []))
  const most = sent.reduce((max, { tokens }) => Math.max(max, tokens), 0)
  const roomiest = sent.reduce((max, { window }) => Math.max(max, window), 1)
  // Far below the window the bars would be too small to be told apart.
  const isFar = most > 0 && roomiest > 4 * most
  const top = isFar ? most * 1.25 : Math.max(roomiest, most)
  const scale = linearScale([0, top], [height, 0])
  const y = (tokens: number) => scale(Math.min(top, tokens))
  const bars = stackBars(shown, y)
  const pattern = useId()
  const rooms = isFar ? [] : toRooms(shown, width)
  const onlyRoom = rooms.length === 1 && width > 400 ? rooms[0]?.point : undefined
  const hasBroken = columns.some(({ isBroken }) => isBroken)
  const perColumn = steps.length > columns.length ? ', the fullest of each pixel' : ''
  const marks = (kind: 'isCut' | 'isBroken', draw: (x: number) => string) =>
    columns
      .filter(column => column[kind])
      .map(({ middle }) => draw(middle))
      .join('')
  return (
    <Plot
      {...{ frame, isWhole }}
      answer={
        sent.length === 0
          ? 'Nothing was sent yet'
          : `At most ${count(most)} of ${count(roomiest)} tokens were sent`
      }
      about={`by part, a bar for each ${by}${by === 'turn' ? ': its fullest call' : ''}${perColumn}`}
      ticks={toTicks(top, height / 50, y)}
      foot={hasBroken ? 24 : 14}
    >
      <defs>
        <pattern id={pattern} width={6} height={6} patternUnits="userSpaceOnUse" className={styles.reserve}>
          <path d="M-1 7 7 -1M-1 1 1 -1M5 7 7 5" />
        </pattern>
      </defs>
      {rooms.map(({ from, to, point }) => (
        <g key={from}>
          <rect
            x={from}
            width={to - from}
            y={y(point.window)}
            height={Math.max(0, y(capacityOf(point)) - y(point.window))}
            fill={`url(#${pattern})`}
          />
          <path className={styles.room} d={`M${from} ${y(capacityOf(point))}H${to}`} />
        </g>
      ))}
      <path
        className={styles.unknown}
        d={barsPath(
          shown.flatMap(({ point, left, wide }): Bar[] => (point ? [] : [[left, height - 4, wide, 4]])),
        )}
      />
      {partStack.map(part => (
        <path key={part} data-colour={colourOfPart[part]} d={barsPath(bars.get(part)!)} />
      ))}
      {onlyRoom && (
        <text className={styles.note} x={10} y={(y(onlyRoom.window) + y(capacityOf(onlyRoom))) / 2 + 4}>
          {roomNote(onlyRoom)}
        </text>
      )}
      <path className={styles.cuts} d={marks('isCut', x => `M${x - 3} ${height + 9}l3-5 3 5z`)} />
      <path
        className={styles.broken}
        data-mark="broken"
        d={marks('isBroken', x => `M${x - 2.5} ${height + 14}l5 5m0-5l-5 5`)}
      />
    </Plot>
  )
}

type ShownColumn = PlotColumn & { readonly point: TimelinePoint | undefined }

/** The bars of each part, on top of those of the parts below it. */
function stackBars(columns: readonly ShownColumn[], y: (tokens: number) => number) {
  const stack = new Map(partStack.map(part => [part, [] as Bar[]]))
  for (const { point, left, wide } of columns) {
    let below = 0
    for (const part of partStack) {
      const tokens = point?.parts[part] ?? 0
      if (tokens === 0) continue
      const [bottom, top] = [y(below), y(below + tokens)]
      // A hairline between parts, where there is room for one.
      const size = Math.max(0.4, bottom - top - (bottom - top > 3 ? 0.7 : 0))
      stack.get(part)!.push([left, top, wide, size])
      below += tokens
    }
  }
  return stack
}

/** Columns in a row with the same window, reserve and margin, from one pixel to another. */
function toRooms(columns: readonly ShownColumn[], width: number) {
  const rooms: { from: number; to: number; point: TimelinePoint }[] = []
  for (const [at, { point, left }] of columns.entries()) {
    const to = columns[at + 1]?.left ?? width
    const last = rooms.at(-1)
    if (last && (!point || isSameRoom(last.point, point))) last.to = to
    else if (point) rooms.push({ from: last ? left : 0, to, point })
  }
  return rooms
}

const isSameRoom = (a: TimelinePoint, b: TimelinePoint) =>
  a.window === b.window && a.reserve === b.reserve && a.margin === b.margin

const capacityOf = ({ window, reserve, margin }: TimelinePoint) => Math.max(0, window - reserve - margin)

const roomNote = ({ reserve, margin }: TimelinePoint) =>
  [reserve > 0 && `kept for the reply ${count(reserve)}`, margin > 0 && `safety margin ${count(margin)}`]
    .filter(Boolean)
    .join(' and ')
