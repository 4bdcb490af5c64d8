import { useEffect, useMemo, useRef } from 'react'
import { startDrawing, useColours } from './canvas.ts'
import { drawBars, drawRibbons, entryNear, type Strip, type StripSide, stripColours } from './draw-strip.ts'
import { fateAt } from './fate-runs.ts'
import { type LogScale, toY } from './log-scale.ts'
import { hover } from './use-hover.ts'
import { useSize } from './use-size.ts'

/** The places of a strip in its area, from left to right. */
export interface StripShape {
  readonly sides: readonly StripSide[]
  /** The line along all that the log has. */
  readonly spine: number
  /** The frame of an entry that is selected or under the pointer. */
  readonly frame: readonly [left: number, right: number]
  /** Where the pointer is on an entry. */
  readonly touched: readonly [left: number, right: number]
}

export interface LogStripProps {
  readonly className: string
  readonly label: string
  readonly scale: LogScale
  readonly selected: number | undefined
  readonly onSelect: (seq: number) => void
  /** The same function as long as what it draws from is the same. */
  readonly toShape: (size: { readonly width: number; readonly height: number }) => StripShape
  readonly isLined?: boolean
  readonly hasRibbons?: boolean
  /** Draws over the bars what only one view has. */
  readonly drawMore?: ((strip: Strip, side: StripSide) => void) | undefined
  readonly children?: React.ReactNode
}

export const stripEdge = 6

/** The whole log as a strip of bars, by what became of each entry, with ribbons to the places of what was sent. */
export function LogStrip(props: LogStripProps) {
  const { className, label, scale, selected, onSelect, toShape, drawMore, children } = props
  const { isLined = false, hasRibbons = true } = props
  const [setArea, size] = useSize<HTMLDivElement>()
  const bars = useRef<HTMLCanvasElement>(null)
  const ribbons = useRef<HTMLCanvasElement>(null)
  const colours = useColours(stripColours)
  const shape = useMemo(() => toShape(size), [toShape, size])
  const place = useMemo(
    () => ({ scale, colours, top: stripEdge, bottom: size.height - stripEdge }),
    [scale, colours, size],
  )
  useEffect(() => {
    const draw = bars.current && startDrawing(bars.current, size)
    if (!draw) return
    const strip = { ...place, draw }
    draw.fillStyle = colours['line-3']
    draw.fillRect(shape.spine, place.top, 1.5, place.bottom - place.top)
    for (const side of shape.sides) {
      drawBars(strip, side, isLined)
      drawMore?.(strip, side)
    }
  }, [place, shape, colours, size, isLined, drawMore])
  useEffect(() => {
    let frame = 0
    const redraw = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => {
        const draw = ribbons.current && startDrawing(ribbons.current, size)
        if (!draw) return
        const strip = { ...place, draw }
        const marked = [[hover.get(), 0.75] as const, [selected, 1] as const]
        if (hasRibbons) for (const side of shape.sides) drawRibbons(strip, side, marked)
        for (const [seq] of marked) drawFrame(strip, shape.frame, seq, seq === selected)
      })
    }
    redraw()
    const ends = [...shape.sides.map(({ landing }) => landing), hover].map(one => one.subscribe(redraw))
    return () => {
      cancelAnimationFrame(frame)
      for (const end of ends) end()
    }
  }, [place, shape, size, selected, hasRibbons])
  const seqAt = (event: React.PointerEvent): number | undefined => {
    const { left, top } = event.currentTarget.getBoundingClientRect()
    const x = event.clientX - left
    if (x < shape.touched[0] || x > shape.touched[1] || scale.entries.length === 0) return undefined
    return entryNear(place, event.clientY - top, seq => shape.sides.map(({ runs }) => fateAt(runs, seq)))
  }
  const select = (event: React.PointerEvent) => {
    const seq = seqAt(event)
    if (seq !== undefined) onSelect(seq)
  }
  return (
    <div
      ref={setArea}
      className={`low relative ${className}`}
      role="img"
      aria-label={label}
      onPointerDown={select}
      onPointerMove={event => {
        hover.set(seqAt(event))
        if (event.buttons === 1) select(event)
      }}
      onPointerLeave={() => hover.set(undefined)}
    >
      <canvas ref={bars} />
      <canvas ref={ribbons} />
      {children}
    </div>
  )
}

function drawFrame(
  { draw, colours, ...strip }: Strip,
  [left, right]: StripShape['frame'],
  seq = 0,
  isSelected = false,
) {
  if (seq < 1 || seq > strip.scale.entries.length) return
  const y = toY(strip.scale, strip)
  const [top, bottom] = [y(seq - 1), y(seq)]
  const size = Math.max(5, bottom - top)
  draw.strokeStyle = isSelected ? colours.selected : colours['text-3']
  draw.lineWidth = isSelected ? 1.6 : 1
  draw.strokeRect(left, (top + bottom) / 2 - size / 2 - 1.5, right - left, size + 3)
}
