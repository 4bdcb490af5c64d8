import type { FateRun } from '../../parts/fate-runs.ts'
import type { Fate } from '../../parts/fates.ts'
import { type LogScale, toY } from '../../parts/log-scale.ts'
import { faintness, layers, reach } from '../../parts/strip.ts'
import type { Landing } from './landing.ts'

export const colourNames = [
  'kept',
  'recalled',
  'cleared',
  'digested',
  'altered',
  'moved',
  'elided',
  'line-3',
  'line-2',
  'selected',
  'text-2',
  'text-3',
  'panel',
  'canvas',
  'press',
] as const

type Colours = Readonly<Record<(typeof colourNames)[number], string>>

export interface Shape {
  readonly width: number
  readonly top: number
  readonly bottom: number
  /** Where bars begin, and how far the longest reach. */
  readonly start: number
  readonly end: number
}

/** Narrow screens have no room for the days. */
export function toShape({ width, height }: { readonly width: number; readonly height: number }): Shape {
  const isSlim = width < 120
  const start = isSlim ? 5 : 38
  return { width, top: 6, bottom: height - 6, start, end: start + (isSlim ? 26 : 56) }
}

interface StripParts {
  readonly scale: LogScale
  readonly runs: readonly FateRun[]
  readonly shape: Shape
  readonly colours: Colours
  readonly cut: number | undefined
  readonly seen: readonly [number, number] | undefined
}

/** The log as bars, by tokens; the cut, and what of it is in sight. */
export function drawStrip(
  draw: CanvasRenderingContext2D,
  { scale, runs, shape, colours, cut, seen }: StripParts,
) {
  const { start, end, top, bottom } = shape
  const y = toY(scale, shape)
  const head = scale.entries.length
  const last = runs.at(-1)?.last ?? 0
  if (seen) {
    const from = y(seen[0] - 1)
    draw.fillStyle = colours['line-2']
    draw.beginPath()
    draw.roundRect(start - 6, from, 3, Math.max(6, y(Math.min(head, seen[1])) - from), 1.5)
    draw.fill()
  }
  // The spine, along all that the log has.
  draw.fillStyle = colours['line-3']
  draw.fillRect(start - 2, top, 1.5, bottom - top)
  for (const { first, last, fate } of runs.toSorted((a, b) => layers[a.fate] - layers[b.fate])) {
    const from = y(first - 1)
    const height = y(last) - from
    const least = fate === 'elided' || fate === 'kept' ? 1 : 2.5
    const size = Math.max(least, height)
    const width = (end - start) * reach[fate]
    const at = from - (size - height) / 2
    draw.fillStyle = colours[fate]
    draw.fillRect(start, at, width, size)
    draw.fillStyle = colours.canvas
    if (fate === 'digested')
      for (let line = at + 2; line < at + size - 1; line += 3) draw.fillRect(start, line, width, 1)
    if (fate === 'moved')
      for (let dot = start + 2; dot < start + width; dot += 4)
        draw.fillRect(dot, at + size / 2 - 0.5, 1.5, 1.5)
    if (fate === 'altered')
      for (let dash = start + 3; dash < start + width; dash += 5) draw.fillRect(dash, at, 1.5, size)
    // Hairlines between entries that are high enough to be told apart.
    const each = height / (last - first + 1)
    if (each > 3 || fate === 'elided')
      for (let seq = first, before = from; seq < last; seq++) {
        const line = y(seq)
        if (line - before < 3) continue
        draw.fillRect(start, line - 0.35, width, 0.7)
        before = line
      }
  }
  // What came later than this moment.
  if (last < head) {
    draw.strokeStyle = colours['line-2']
    draw.setLineDash([2, 3])
    draw.strokeRect(start + 0.5, y(last) + 1, (end - start) * reach.elided, bottom - y(last) - 1)
    draw.setLineDash([])
  }
  if (cut !== undefined && cut <= head) {
    draw.strokeStyle = colours.selected
    draw.lineWidth = 1
    draw.setLineDash([3, 2])
    draw.beginPath()
    draw.moveTo(start - 6, y(cut - 1))
    draw.lineTo(end + 6, y(cut - 1))
    draw.stroke()
    draw.setLineDash([])
  }
}

interface RibbonParts {
  readonly scale: LogScale
  readonly sent: readonly FateRun[]
  readonly shape: Shape
  readonly colours: Colours
  readonly landing: Landing
  readonly selected: number | undefined
  readonly hovered: number | undefined
}

export function drawRibbons(draw: CanvasRenderingContext2D, parts: RibbonParts) {
  const { scale, sent, shape, colours, landing, selected, hovered } = parts
  const { start, end, width } = shape
  const { places, height, inside } = landing.get()
  const y = toY(scale, shape)
  const from = end + 9

  function ribbon(seq: number, fate: Fate, strength: number): void {
    const span = places.get(seq)
    if (!span) return
    const top = y(seq - 1)
    const bottom = Math.max(top + 0.8, y(seq))
    const [rawTo, rawEnd] = span
    // Rows out of sight: the ribbon ends at the edge where they are.
    const isPinned = rawTo >= inside
    const limit = isPinned ? height : inside
    const gap = rawEnd - rawTo > 8 ? 1.5 : 0
    const to = Math.min(limit, Math.max(-1, rawTo + gap))
    const toEnd = Math.min(limit + 1, Math.max(0, rawEnd - gap))
    const middle = (from + width) / 2
    draw.globalAlpha = strength
    draw.fillStyle = colours[fate]
    draw.beginPath()
    draw.moveTo(from, top)
    draw.bezierCurveTo(middle, top, middle, to, width, to)
    draw.lineTo(width, Math.max(to + 0.6, toEnd))
    draw.bezierCurveTo(middle, toEnd, middle, bottom, from, bottom)
    draw.closePath()
    draw.fill()
    draw.globalAlpha = 1
  }

  for (const { first, last, fate } of sent)
    for (let seq = first; seq <= last; seq++)
      if (seq !== selected && seq !== hovered) ribbon(seq, fate, faintness[fate])
  // Dots where recalled bars end: a second cue beside their colour.
  draw.fillStyle = colours.recalled
  for (const { first, last, fate } of sent) {
    if (fate !== 'recalled') continue
    for (let seq = first; seq <= last; seq++) {
      draw.beginPath()
      draw.arc(end + 2, (y(seq - 1) + y(seq)) / 2, 2, 0, 7)
      draw.fill()
    }
  }
  const fateOf = (seq: number) => sent.find(({ first, last }) => first <= seq && seq <= last)?.fate
  for (const [seq, strength] of [
    [hovered, 0.75],
    [selected, 1],
  ] as const) {
    if (seq === undefined || seq < 1 || seq > scale.entries.length) continue
    const fate = fateOf(seq)
    if (fate) ribbon(seq, fate, strength)
    const top = y(seq - 1)
    const size = Math.max(5, y(seq) - top)
    const at = (top + y(seq)) / 2 - size / 2
    draw.strokeStyle = seq === selected ? colours.selected : colours['text-3']
    draw.lineWidth = seq === selected ? 1.6 : 1
    draw.strokeRect(start - 3, at - 1.5, end - start + 5, size + 3)
  }
}
