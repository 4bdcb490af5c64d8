import { useEffect, useMemo, useRef } from 'react'
import type { TimelinePoint } from '../../api/timeline.ts'
import { startDrawing } from '../../parts/canvas.ts'
import type { FateRun } from '../../parts/fate-runs.ts'
import { count, dayOf, shortDayOf } from '../../parts/format.ts'
import { entryAt, type LogScale } from '../../parts/log-scale.ts'
import { layers } from '../../parts/strip.ts'
import { useColours } from '../../parts/use-colours.ts'
import { useHover } from '../../parts/use-hover.ts'
import { useSize } from '../../parts/use-size.ts'
import { colourNames, drawRibbons, drawStrip, type Shape, toShape } from './draw-ribbons.ts'
import type { Landing } from './landing.ts'
import styles from './ribbons.module.css'

export interface RibbonsProps {
  readonly scale: LogScale
  readonly runs: readonly FateRun[]
  readonly point: TimelinePoint
  readonly landing: Landing
  readonly selected: number | undefined
  /** The entries of the log that are in sight in its list. */
  readonly seen: readonly [first: number, last: number] | undefined
  readonly onSelect: (seq: number) => void
  /** On narrow screens: whether the list of the log is shown in place of the context, and what changes that. */
  readonly isLogShown: boolean
  readonly onToggleLog: () => void
}

/** The whole log as a strip of bars, and from each bar that was sent a ribbon to its place in the context. */
export function Ribbons(props: RibbonsProps) {
  const { scale, runs, point, landing, selected, seen, onSelect, isLogShown, onToggleLog } = props
  const [setArea, size] = useSize<HTMLDivElement>()
  const strip = useRef<HTMLCanvasElement>(null)
  const bands = useRef<HTMLCanvasElement>(null)
  const colours = useColours(colourNames)
  const hover = useHover()
  const shape = useMemo(() => toShape(size), [size])
  const { cut } = point

  useEffect(() => {
    const draw = strip.current && startDrawing(strip.current, size)
    if (draw) drawStrip(draw, { scale, runs, shape, colours, cut: cut?.before, seen })
  }, [scale, runs, shape, colours, size, cut?.before, seen])

  // Only what was sent has a ribbon.
  const sent = useMemo(
    () => runs.filter(({ fate }) => fate !== 'elided').toSorted((a, b) => layers[a.fate] - layers[b.fate]),
    [runs],
  )
  useEffect(() => {
    let frame = 0
    const redraw = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => {
        const draw = bands.current && startDrawing(bands.current, size)
        if (draw) drawRibbons(draw, { scale, sent, shape, colours, landing, selected, hovered: hover.get() })
      })
    }
    redraw()
    const ends = [landing.subscribe(redraw), hover.subscribe(redraw)]
    return () => {
      cancelAnimationFrame(frame)
      for (const end of ends) end()
    }
  }, [scale, sent, shape, colours, size, landing, selected, hover])

  const seqAt = (event: React.PointerEvent): number => {
    const box = event.currentTarget.getBoundingClientRect()
    const share = (event.clientY - box.top - shape.top) / (shape.bottom - shape.top)
    return nearestSent(scale, runs, Math.min(1, Math.max(0, share)), shape)
  }
  const isOnStrip = (event: React.PointerEvent) =>
    event.clientX - event.currentTarget.getBoundingClientRect().left < shape.end + 12
  const { entries, total } = scale
  return (
    <section className={`grid slim low on-canvas ${styles.column}`} aria-label="From the log to the model">
      <header className={`row clipped muted label one-line line-below ${styles.header}`}>
        <span className="wide-only">{count(total)} tokens</span>
        <button type="button" className={styles.short} aria-pressed={isLogShown} onClick={onToggleLog}>
          The log
        </button>
      </header>
      <div
        ref={setArea}
        className={`low relative ${styles.area}`}
        role="img"
        aria-label={`The log as a strip of ${count(entries.length)} entries, with ribbons to the ${count(point.at - point.counts.elided)} that were sent`}
        onPointerDown={event => isOnStrip(event) && onSelect(seqAt(event))}
        onPointerMove={event => {
          const isOver = isOnStrip(event)
          hover.set(isOver ? seqAt(event) : undefined)
          if (isOver && event.buttons === 1) onSelect(seqAt(event))
        }}
        onPointerLeave={() => hover.set(undefined)}
      >
        <canvas ref={strip} />
        <canvas ref={bands} />
        <Days scale={scale} top={shape.top} height={shape.bottom - shape.top} cut={cut?.before} />
      </div>
    </section>
  )
}

/** The days at their places beside the strip, and the cut. */
function Days({
  scale: { entries, upTo, total },
  top,
  height,
  cut,
}: {
  readonly scale: LogScale
  readonly top: number
  readonly height: number
  readonly cut: number | undefined
}) {
  const labels = useMemo(() => {
    const y = (seq: number) => top + (upTo[seq - 1]! / total) * height
    const cutAt = cut === undefined ? undefined : y(cut)
    const found: { readonly at: number; readonly text: string; readonly isCut?: true }[] = []
    let day = ''
    let month = ''
    let last = -100
    for (const { seq, time } of entries) {
      const today = dayOf(time)
      if (today === day) continue
      day = today
      const at = y(seq)
      const thisMonth = today.replace(/^\d+ /, '')
      // The strip has no room for a year: the panel and the axis of turns tell it.
      const text = thisMonth === month ? today.split(' ')[0]! : shortDayOf(time, time)
      const isClose = at - last < 18 || (cutAt !== undefined && Math.abs(at - cutAt) < 16)
      if (isClose) continue
      month = thisMonth
      last = at
      found.push({ at, text })
    }
    if (cutAt !== undefined) found.push({ at: cutAt, text: 'cut', isCut: true })
    return found
  }, [entries, upTo, total, top, height, cut])
  return (
    <div className={`through wide-only ${styles.days}`} aria-hidden="true">
      {labels.map(({ at, text, isCut }) => (
        <span key={`${text} ${at}`} data-cut={isCut} style={{ top: at }}>
          {text}
        </span>
      ))}
    </div>
  )
}

/** The entry at a place of the strip; near one that was sent, that one: its bar is larger than its place. */
function nearestSent(
  scale: LogScale,
  runs: readonly FateRun[],
  share: number,
  { top, bottom }: Shape,
): number {
  const exact = entryAt(scale, share)
  const reachable = (2.5 / Math.max(1, bottom - top)) * scale.total
  const wanted = share * scale.total
  let best: { seq: number; distance: number } | undefined
  for (const { first, last, fate } of runs) {
    if (fate === 'elided') continue
    if (scale.upTo[last]! < wanted - reachable) continue
    if (scale.upTo[first - 1]! > wanted + reachable) break
    for (let seq = first; seq <= last; seq++) {
      const middle = (scale.upTo[seq - 1]! + scale.upTo[seq]!) / 2
      const distance = Math.abs(middle - wanted) - (layers[fate] > 1 ? reachable / 2 : 0)
      if (distance <= reachable && (!best || distance < best.distance)) best = { seq, distance }
    }
  }
  return best?.seq ?? exact
}
