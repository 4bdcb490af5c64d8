import { useEffect, useMemo, useRef } from 'react'
import type { Observable } from '../../api/observable.ts'
import { startDrawing } from '../../parts/canvas.ts'
import type { FateRun } from '../../parts/fate-runs.ts'
import type { Fate } from '../../parts/fates.ts'
import { count } from '../../parts/format.ts'
import { entryAt, type LogScale, toY } from '../../parts/log-scale.ts'
import { faintness, layers, reach } from '../../parts/strip.ts'
import { useColours } from '../../parts/use-colours.ts'
import { useHover } from '../../parts/use-hover.ts'
import { useSize } from '../../parts/use-size.ts'
import type { SideItem } from './difference.ts'
import { placesIn } from './difference.ts'
import styles from './wire.module.css'

/** How far the list of a side is scrolled, and how high its rows are. */
export type Scrolled = Observable<{ readonly top: number; readonly height: number; readonly row: number }>

export interface WireSide {
  readonly fates: readonly Fate[]
  readonly runs: readonly FateRun[]
  readonly items: readonly SideItem[]
  readonly scrolled: Scrolled
}

export interface WireProps {
  readonly scale: LogScale
  readonly a: WireSide
  readonly b: WireSide
  readonly selected: number | undefined
  readonly onSelect: (seq: number) => void
  /** Narrow screens have no room for ribbons. */
  readonly hasRibbons: boolean
}

const colourNames = [
  'kept',
  'recalled',
  'cleared',
  'digested',
  'altered',
  'moved',
  'elided',
  'line-3',
  'selected',
  'text-3',
  'canvas',
] as const

type Colours = Readonly<Record<(typeof colourNames)[number], string>>

/** The log between the two sides: how far each lets an entry through, with ribbons to its place in either list. */
export function Wire({ scale, a, b, selected, onSelect, hasRibbons }: WireProps) {
  const [setArea, size] = useSize<HTMLDivElement>()
  const strip = useRef<HTMLCanvasElement>(null)
  const bands = useRef<HTMLCanvasElement>(null)
  const colours = useColours(colourNames)
  const hover = useHover()
  const shape = useMemo(() => toShape(size, hasRibbons), [size, hasRibbons])
  const aBands = useMemo(() => bandsOf(a.items, a.fates), [a.items, a.fates])
  const bBands = useMemo(() => bandsOf(b.items, b.fates), [b.items, b.fates])

  useEffect(() => {
    const draw = strip.current && startDrawing(strip.current, size)
    if (!draw) return
    drawHalf(draw, { scale, runs: a.runs, shape, colours, way: -1 })
    drawHalf(draw, { scale, runs: b.runs, shape, colours, way: 1 })
    draw.fillStyle = colours['line-3']
    draw.fillRect(shape.middle - 0.75, shape.top, 1.5, shape.bottom - shape.top)
  }, [scale, a.runs, b.runs, shape, colours, size])

  useEffect(() => {
    let frame = 0
    const redraw = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => {
        const draw = bands.current && startDrawing(bands.current, size)
        if (!draw) return
        const hovered = hover.get()
        const marked = [hovered, selected]
        const shared = { scale, shape, colours, marked }
        if (hasRibbons) {
          drawRibbons(draw, { ...shared, side: a, bands: aBands, way: -1 })
          drawRibbons(draw, { ...shared, side: b, bands: bBands, way: 1 })
        }
        drawMark(draw, { ...shared, seq: hovered, isSelected: false })
        drawMark(draw, { ...shared, seq: selected, isSelected: true })
      })
    }
    redraw()
    const ends = [a.scrolled, b.scrolled, hover].map(one => one.subscribe(redraw))
    return () => {
      cancelAnimationFrame(frame)
      for (const end of ends) end()
    }
  }, [scale, a, b, aBands, bBands, shape, colours, size, selected, hover, hasRibbons])

  const seqAt = (event: React.PointerEvent): number | undefined => {
    const box = event.currentTarget.getBoundingClientRect()
    if (Math.abs(event.clientX - box.left - shape.middle) > shape.long + 8) return undefined
    const y = event.clientY - box.top
    return nearest(scale, shape, y, seq => a.fates[seq] !== 'elided' || b.fates[seq] !== 'elided')
  }
  return (
    <div
      ref={setArea}
      className={`slim low relative ${styles.wire}`}
      role="img"
      aria-label={`The log as a strip of ${count(scale.entries.length)} entries: at the left what A does with each, at the right B`}
      onPointerDown={event => {
        const seq = seqAt(event)
        if (seq !== undefined) onSelect(seq)
      }}
      onPointerMove={event => hover.set(seqAt(event))}
      onPointerLeave={() => hover.set(undefined)}
    >
      <canvas ref={strip} />
      <canvas ref={bands} />
    </div>
  )
}

interface Shape {
  readonly width: number
  readonly height: number
  readonly top: number
  readonly bottom: number
  readonly middle: number
  /** How long the longest bars are. */
  readonly long: number
}

const toShape = (
  { width, height }: { readonly width: number; readonly height: number },
  hasRibbons: boolean,
): Shape => ({
  ...{ width, height, top: 6, bottom: height - 6, middle: Math.round(width / 2) },
  long: hasRibbons ? Math.min(40, width / 6) : Math.max(8, width / 2 - 6),
})

interface Half {
  readonly scale: LogScale
  readonly runs: readonly FateRun[]
  readonly shape: Shape
  readonly colours: Colours
  /** -1 for A, whose bars reach to the left; 1 for B. */
  readonly way: -1 | 1
}

function drawHalf(draw: CanvasRenderingContext2D, { scale, runs, shape, colours, way }: Half) {
  const { middle, long } = shape
  const y = toY(scale, shape)
  for (const { first, last, fate } of runs.toSorted((a, b) => layers[a.fate] - layers[b.fate])) {
    const from = y(first - 1)
    const height = y(last) - from
    const least = fate === 'elided' || fate === 'kept' ? 1 : 2.5
    const size = Math.max(least, height)
    const width = long * reach[fate]
    const at = from - (size - height) / 2
    const left = way > 0 ? middle + 1 : middle - 1 - width
    draw.fillStyle = colours[fate]
    draw.fillRect(left, at, width, size)
    draw.fillStyle = colours.canvas
    if (fate === 'digested')
      for (let line = at + 2; line < at + size - 1; line += 3) draw.fillRect(left, line, width, 1)
    // Hairlines between entries that are high enough to be told apart.
    for (let seq = first, before = from; seq < last; seq++) {
      const line = y(seq)
      if (line - before < 3) continue
      draw.fillRect(left, line - 0.35, width, 0.7)
      before = line
    }
  }
}

/** Entries in a row that stand in a row: one ribbon. */
interface Band {
  readonly first: number
  last: number
  readonly top: number
  bottom: number
  readonly fate: Fate
}

/** Up to this number, ribbons are drawn one by one; more are joined where they run side by side. */
const mostSingle = 200

function bandsOf(items: readonly SideItem[], fates: readonly Fate[]): readonly Band[] {
  const bands: Band[] = []
  const places = placesIn(items)
  for (const [seq, [top, bottom]] of places) {
    const fate = fates[seq] ?? 'elided'
    const last = bands.at(-1)
    const isNext = last && last.last === seq - 1 && last.fate === fate && Math.abs(last.bottom - top) < 1e-6
    if (isNext && (places.size > mostSingle || bottom - top < 0.5)) {
      last.last = seq
      last.bottom = bottom
    } else bands.push({ first: seq, last: seq, top, bottom, fate })
  }
  return bands.sort((one, other) => layers[one.fate] - layers[other.fate])
}

interface Ribbons {
  readonly scale: LogScale
  readonly shape: Shape
  readonly colours: Colours
  readonly side: WireSide
  readonly bands: readonly Band[]
  readonly marked: readonly (number | undefined)[]
  readonly way: -1 | 1
}

function drawRibbons(draw: CanvasRenderingContext2D, parts: Ribbons) {
  const { scale, shape, colours, side, bands, marked, way } = parts
  const { middle, long, width } = shape
  const y = toY(scale, shape)
  const { top: scrolled, height, row } = side.scrolled.get()
  const from = middle + way * (long + 4)
  const to = way < 0 ? 0 : width
  const between = (from + to) / 2
  // Rows out of sight: the ribbon ends at the edge where they are.
  const inside = (place: number) => Math.min(height + 1, Math.max(-1, place))

  function ribbon({ first, last, top, bottom, fate }: Band, strength: number): void {
    const [low, high] = [y(first - 1), Math.max(y(first - 1) + 0.8, y(last))]
    const end = inside(top * row - scrolled + 1)
    const endHigh = Math.max(end + 0.6, inside(bottom * row - scrolled - 1))
    draw.globalAlpha = strength
    draw.fillStyle = colours[fate]
    draw.beginPath()
    draw.moveTo(from, low)
    draw.bezierCurveTo(between, low, between, end, to, end)
    draw.lineTo(to, endHigh)
    draw.bezierCurveTo(between, endHigh, between, high, from, high)
    draw.closePath()
    draw.fill()
    draw.globalAlpha = 1
  }

  for (const band of bands) ribbon(band, faintness[band.fate])
  for (const seq of marked) {
    const band = seq === undefined ? undefined : bands.find(({ first, last }) => first <= seq && seq <= last)
    if (!band || seq === undefined) continue
    const each = (band.bottom - band.top) / (band.last - band.first + 1)
    const top = band.top + (seq - band.first) * each
    ribbon({ first: seq, last: seq, top, bottom: top + each, fate: band.fate }, 0.9)
  }
}

interface Mark extends Pick<Ribbons, 'scale' | 'shape' | 'colours'> {
  readonly seq: number | undefined
  readonly isSelected: boolean
}

function drawMark(draw: CanvasRenderingContext2D, { scale, shape, colours, seq, isSelected }: Mark) {
  if (seq === undefined || seq < 1 || seq > scale.entries.length) return
  const y = toY(scale, shape)
  const [top, bottom] = [y(seq - 1), y(seq)]
  const size = Math.max(5, bottom - top)
  draw.strokeStyle = isSelected ? colours.selected : colours['text-3']
  draw.lineWidth = isSelected ? 1.6 : 1
  const wide = shape.long + 3
  draw.strokeRect(shape.middle - wide, (top + bottom) / 2 - size / 2 - 1.5, 2 * wide, size + 3)
}

/** The entry at a height; near one that is wanted, that one: its bar is larger than its place. */
function nearest(
  scale: LogScale,
  shape: Shape,
  height: number,
  isWanted: (seq: number) => boolean,
): number | undefined {
  const head = scale.entries.length
  if (head === 0) return undefined
  const share = (height - shape.top) / Math.max(1, shape.bottom - shape.top)
  const exact = Math.min(head, entryAt(scale, Math.min(1, Math.max(0, share))))
  const y = toY(scale, shape)
  for (let by = 0; by < 200; by++)
    for (const seq of [exact - by, exact + by]) {
      if (seq < 1 || seq > head || !isWanted(seq)) continue
      if (Math.abs((y(seq - 1) + y(seq)) / 2 - height) <= 4 || seq === exact) return seq
    }
  return exact
}
