import { useEffect, useMemo, useRef } from 'react'
import { observable } from '../../api/observable.ts'
import { startDrawing, useColours } from '../../parts/canvas.ts'
import { drawnAs, type Fate, type FateRun, fateAt, fateNames } from '../../parts/fates.ts'
import { entryAt, type LogScale, toY } from '../../parts/log-scale.ts'
import { useSize } from '../../parts/use-size.ts'
import { hover, useScene } from './scene.ts'

/** Where a strip has its line, the frame of an entry that is selected or under the pointer, and what the pointer reaches. */
interface StripShape {
  readonly sides: readonly StripSide[]
  readonly spine: number
  readonly frame: readonly [left: number, right: number]
  readonly touched: readonly [left: number, right: number]
}

interface LogStripProps {
  readonly className: string
  readonly label: string
  readonly scale: LogScale
  /** More entries whose ribbons stand out. */
  readonly lit?: ReadonlySet<number> | undefined
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
  const { className, label, scale, lit, toShape, drawMore, children } = props
  const { isLined = false, hasRibbons = true } = props
  const { selected, select } = useScene()
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
        const others = Array.from(lit ?? [], seq => [seq, 0.9] as const)
        const marked = [...others, [hover.get(), 0.75] as const, [selected, 1] as const]
        if (hasRibbons) for (const side of shape.sides) drawRibbons(strip, side, marked)
        for (const [seq] of marked) drawFrame(strip, shape.frame, seq ?? 0, seq === selected)
      })
    }
    redraw()
    const ends = [...shape.sides.map(({ landing }) => landing), hover].map(one =>
      one.subscribe(redraw),
    )
    return () => {
      cancelAnimationFrame(frame)
      for (const end of ends) end()
    }
  }, [place, shape, size, selected, lit, hasRibbons])
  const seqAt = (event: React.PointerEvent): number | undefined => {
    const { left, top } = event.currentTarget.getBoundingClientRect()
    const x = event.clientX - left
    if (x < shape.touched[0] || x > shape.touched[1] || scale.entries.length === 0) return undefined
    return entryNear(place, event.clientY - top, seq =>
      shape.sides.map(({ runs }) => fateAt(runs, seq)),
    )
  }
  const selectAt = (event: React.PointerEvent) => {
    const seq = seqAt(event)
    if (seq !== undefined) select(seq)
  }
  return (
    <div
      ref={setArea}
      className={`low relative ${className}`}
      role="img"
      aria-label={label}
      onPointerDown={selectAt}
      onPointerMove={event => {
        hover.set(seqAt(event))
        if (event.buttons === 1) selectAt(event)
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
  strip: Strip,
  [left, right]: StripShape['frame'],
  seq: number,
  isSelected: boolean,
) {
  const { draw, colours } = strip
  if (seq < 1 || seq > strip.scale.entries.length) return
  const y = toY(strip.scale, strip)
  const [top, bottom] = [y(seq - 1), y(seq)]
  const size = Math.max(5, bottom - top)
  draw.strokeStyle = isSelected ? colours.selected : colours['text-3']
  draw.lineWidth = isSelected ? 1.6 : 1
  draw.strokeRect(left, (top + bottom) / 2 - size / 2 - 1.5, right - left, size + 3)
}

const stripColours = [...fateNames, 'line-2', 'line-3', 'selected', 'text-3', 'canvas'] as const

/** Where a line of a list stands now, in pixels from its top, by its number; undefined while there is no list. */
export type Landing = ReturnType<typeof newLanding>

export const newLanding = () => observable<((line: number) => number) | undefined>(undefined)

/** Entries in a row that stand in a row: one ribbon. Its place is counted in lines of the list. */
interface Band extends FateRun {
  readonly top: number
  readonly bottom: number
}

/** Up to this number, ribbons are drawn one by one; more are joined where they run side by side. */
const mostSingle = 200

/** The ribbons to the lines of a list. The entries of a line share it. */
export function bandsOf(
  lines: readonly { readonly entries: readonly number[] }[],
  runs: readonly FateRun[],
): readonly Band[] {
  const places = new Map<number, readonly [number, number]>()
  for (const [at, { entries }] of lines.entries())
    for (const [place, seq] of entries.entries())
      places.set(seq, [at + place / entries.length, at + (place + 1) / entries.length])
  const bands: Band[] = []
  for (const [seq, [top, bottom]] of places) {
    const fate = fateAt(runs, seq)
    if (fate === undefined || fate === 'omitted') continue
    const last = bands.at(-1)
    const isNext =
      last && last.last === seq - 1 && last.fate === fate && Math.abs(last.bottom - top) < 1e-6
    if (isNext && (places.size > mostSingle || bottom - top < 0.5))
      bands[bands.length - 1] = { ...last, last: seq, bottom }
    else bands.push({ first: seq, last: seq, top, bottom, fate })
  }
  return bands.sort(byLayer)
}

const byLayer = (a: FateRun, b: FateRun) => drawnAs[a.fate].layer - drawnAs[b.fate].layer

/** One side of a strip: its bars, and where its ribbons lead. */
export interface StripSide {
  readonly runs: readonly FateRun[]
  readonly bands: readonly Band[]
  readonly landing: Landing
  /** Where bars begin, how long the longest are, and whether they reach to the left or to the right. */
  readonly start: number
  readonly long: number
  readonly way: -1 | 1
  /** Where ribbons begin and end. */
  readonly ribbon: readonly [from: number, to: number]
}

export interface Strip {
  readonly draw: CanvasRenderingContext2D
  readonly scale: LogScale
  readonly colours: Readonly<Record<(typeof stripColours)[number], string>>
  readonly top: number
  readonly bottom: number
}

/** The entries of a side as bars, by tokens. `isLined`: lines part them also where they are too low to be told apart. */
function drawBars(strip: Strip, { runs, start, long, way }: StripSide, isLined: boolean) {
  const { draw, colours } = strip
  const y = toY(strip.scale, strip)
  for (const { first, last, fate } of runs.toSorted(byLayer)) {
    const from = y(first - 1)
    const height = y(last) - from
    const size = Math.max(fate === 'omitted' || fate === 'kept' ? 1 : 2.5, height)
    const width = long * drawnAs[fate].reach
    const at = from - (size - height) / 2
    const left = way > 0 ? start : start - width
    draw.fillStyle = colours[fate]
    draw.fillRect(left, at, width, size)
    draw.fillStyle = colours.canvas
    if (fate === 'digested')
      for (let line = at + 2; line < at + size - 1; line += 3) draw.fillRect(left, line, width, 1)
    if (fate === 'moved')
      for (let dot = left + 2; dot < left + width; dot += 4)
        draw.fillRect(dot, at + size / 2 - 0.5, 1.5, 1.5)
    if (fate === 'altered')
      for (let dash = left + 3; dash < left + width; dash += 5) draw.fillRect(dash, at, 1.5, size)
    if (!isLined && fate !== 'omitted' && height / (last - first + 1) <= 3) continue
    for (let seq = first, before = from; seq < last; seq++) {
      const line = y(seq)
      if (line - before < 3) continue
      draw.fillRect(left, line - 0.35, width, 0.7)
      before = line
    }
  }
}

/** The ribbons of a side; the ribbons of marked entries are drawn on top. */
function drawRibbons(
  { draw, colours, ...strip }: Strip,
  { bands, landing, ribbon: [from, to] }: StripSide,
  marked: readonly (readonly [seq: number | undefined, strength: number])[],
) {
  const lineAt = landing.get()
  if (!lineAt) return
  const y = toY(strip.scale, strip)
  const middle = (from + to) / 2
  function ribbon({ first, last, top, bottom, fate }: Band, strength: number): void {
    const [start, startEnd] = [y(first - 1), Math.max(y(first - 1) + 0.8, y(last))]
    const gap = lineAt!(bottom) - lineAt!(top) > 8 ? 1.5 : 0
    const end = lineAt!(top) + gap
    const endEnd = Math.max(end + 0.6, lineAt!(bottom) - gap)
    draw.globalAlpha = strength
    draw.fillStyle = colours[fate]
    draw.beginPath()
    draw.moveTo(from, start)
    draw.bezierCurveTo(middle, start, middle, end, to, end)
    draw.lineTo(to, endEnd)
    draw.bezierCurveTo(middle, endEnd, middle, startEnd, from, startEnd)
    draw.fill()
    draw.globalAlpha = 1
  }
  for (const band of bands) ribbon(band, drawnAs[band.fate].ribbon)
  for (const [seq = 0, strength] of marked) {
    const band = bands.find(({ first, last }) => first <= seq && seq <= last)
    if (!band) continue
    const each = (band.bottom - band.top) / (band.last - band.first + 1)
    const top = band.top + (seq - band.first) * each
    ribbon({ first: seq, last: seq, top, bottom: top + each, fate: band.fate }, strength)
  }
}

/** The entry at a height of a strip; near one that was sent, that one: its bar is larger than its place. */
function entryNear(
  { scale, top, bottom }: Pick<Strip, 'scale' | 'top' | 'bottom'>,
  height: number,
  fatesOf: (seq: number) => readonly (Fate | undefined)[],
): number {
  const y = toY(scale, { top, bottom })
  const at = (one: number) =>
    entryAt(scale, Math.min(1, Math.max(0, (one - top) / Math.max(1, bottom - top))))
  const exact = at(height)
  let best = { seq: exact, distance: 2.5 }
  for (let seq = at(height - 4); seq <= at(height + 4) && seq < scale.upTo.length; seq++) {
    const layer = fatesOf(seq).reduce(
      (most, fate) => Math.max(most, drawnAs[fate ?? 'omitted'].layer),
      0,
    )
    const distance = Math.abs((y(seq - 1) + y(seq)) / 2 - height) - (layer > 1 ? 1.25 : 0)
    if (layer > 0 && distance < best.distance) best = { seq, distance }
  }
  return best.seq
}
