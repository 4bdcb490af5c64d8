import { useCallback, useMemo } from 'react'
import { drawnAs } from '../../parts/fates.ts'
import { count, shortDayOf } from '../../parts/format.ts'
import { type LogScale, toY } from '../../parts/log-scale.ts'
import { nameDays } from '../../parts/stops.ts'
import { useSize } from '../../parts/use-size.ts'
import {
  bandsOf,
  type Landing,
  LogStrip,
  type Strip,
  type StripSide,
  stripEdge,
} from './log-strip.tsx'
import styles from './ribbons.module.css'
import { type ContextList, useScene } from './scene.ts'

interface RibbonsProps {
  readonly list: ContextList
  readonly landing: Landing
  /** The entries of the log that are in sight in its list. */
  readonly seen: readonly [first: number, last: number] | undefined
  /** On narrow screens: whether the list of the log is shown in place of the context, and what changes that. */
  readonly isLogShown: boolean
  readonly onToggleLog: () => void
}

/** The whole log as a strip of bars, and from each bar that was sent a ribbon to its place in the context. */
export function Ribbons({ list, landing, seen, isLogShown, onToggleLog }: RibbonsProps) {
  const { scale, runs, point, lit } = useScene()
  const before = point.cut?.before
  const bands = useMemo(
    () => bandsOf([...list.items, { entries: [] }, ...list.pinned], runs),
    [list, runs],
  )
  const toShape = useCallback(
    ({ width }: { readonly width: number }) => {
      // Narrow screens have no room for the days.
      const [start, long] = width < 120 ? [5, 26] : [38, 56]
      const end = start + long
      return {
        sides: [
          { runs, bands, landing, start, long, way: 1 as const, ribbon: [end + 9, width] as const },
        ],
        spine: start - 2,
        frame: [start - 3, end + 2] as const,
        touched: [0, end + 12] as const,
      }
    },
    [runs, bands, landing],
  )
  const drawMore = useCallback(
    (strip: Strip, side: StripSide) => drawMoment(strip, side, before, seen),
    [before, seen],
  )
  return (
    <section
      className={`grid slim low on-canvas ${styles.column}`}
      aria-label="From the log to the model"
    >
      <header className={`row clipped muted label one-line line-below ${styles.header}`}>
        <span className="wide-only">{count(scale.total)} tokens</span>
        <button
          type="button"
          className={styles.short}
          aria-pressed={isLogShown}
          onClick={onToggleLog}
        >
          The log
        </button>
      </header>
      <LogStrip
        className={styles.area ?? ''}
        label={`The log as a strip of ${count(scale.entries.length)} entries, with ribbons to the ${count(point.at - point.counts.omitted)} that were sent`}
        {...{ scale, lit, toShape, drawMore }}
      >
        <Days scale={scale} cut={before} />
      </LogStrip>
    </section>
  )
}

/** What of the log is in sight, what came later than this moment, the cut, and dots where recalled bars end. */
function drawMoment(
  { draw, colours, ...strip }: Strip,
  { runs, start, long }: StripSide,
  before: number | undefined,
  seen: RibbonsProps['seen'],
) {
  const y = toY(strip.scale, strip)
  const head = strip.scale.entries.length
  const last = runs.at(-1)?.last ?? 0
  const end = start + long
  if (seen) {
    const from = y(seen[0] - 1)
    draw.fillStyle = colours['line-2']
    draw.beginPath()
    draw.roundRect(start - 6, from, 3, Math.max(6, y(Math.min(head, seen[1])) - from), 1.5)
    draw.fill()
  }
  if (last < head) {
    draw.strokeStyle = colours['line-2']
    draw.setLineDash([2, 3])
    draw.strokeRect(
      start + 0.5,
      y(last) + 1,
      long * drawnAs.omitted.reach,
      strip.bottom - y(last) - 1,
    )
  }
  if (before !== undefined && before <= head) {
    draw.strokeStyle = colours.selected
    draw.lineWidth = 1
    draw.setLineDash([3, 2])
    draw.stroke(new Path2D(`M${start - 6} ${y(before - 1)}H${end + 6}`))
  }
  draw.setLineDash([])
  // A second cue beside their colour.
  draw.fillStyle = colours.recalled
  for (const { first, last } of runs.filter(({ fate }) => fate === 'recalled'))
    for (let seq = first; seq <= last; seq++) {
      draw.beginPath()
      draw.arc(end + 2, (y(seq - 1) + y(seq)) / 2, 2, 0, 7)
      draw.fill()
    }
}

function Days({ scale, cut }: { readonly scale: LogScale; readonly cut: number | undefined }) {
  const [setArea, { height }] = useSize<HTMLDivElement>()
  const labels = useMemo(() => {
    const yOf = toY(scale, { top: stripEdge, bottom: height - stripEdge })
    const cutAt = cut === undefined ? undefined : yOf(cut - 1)
    const hasRoom = (at: number, before = { at: -100 }) =>
      at - before.at >= 18 && (cutAt === undefined || Math.abs(at - cutAt) >= 16)
    // The strip has no room for a year: the panel and the axis of turns tell it.
    const days = nameDays(scale.entries, yOf, hasRoom, time => shortDayOf(time, time))
    return cutAt === undefined ? days : [...days, { at: cutAt, text: 'cut' }]
  }, [scale, height, cut])
  return (
    <div ref={setArea} className={`through wide-only tall ${styles.days}`} aria-hidden="true">
      {labels.map(({ at, text }) => (
        <span
          key={`${text} ${at}`}
          className="absolute muted to-right one-line"
          data-cut={text === 'cut' || undefined}
          style={{ top: at }}
        >
          {text}
        </span>
      ))}
    </div>
  )
}
