import { type Fate, readFates } from '../log/fate-text.ts'
import type { Card } from './card.ts'
import type { Colours } from './colours.ts'
import { element, words } from './shapes.ts'

interface StripPlace {
  readonly x: number
  readonly width: number
  /** Where the bars stand. */
  readonly foot: number
  readonly most: number
}

/** Of bars that share a place the one that stands first here is drawn. */
const strength: readonly Fate[] = [
  'recalled',
  'altered',
  'moved',
  'digested',
  'cleared',
  'kept',
  'omitted',
]

const heights: Readonly<Record<Fate, number>> = {
  kept: 38,
  altered: 38,
  moved: 38,
  recalled: 38,
  digested: 24,
  cleared: 20,
  omitted: 12,
}

/** The whole log, with the message that was needed and the cut. */
export function drawStrip(
  { told, kind, context }: Card,
  { x, width, foot, most }: StripPlace,
  colours: Colours,
): string {
  const { all, fates, cut } = context
  const many = Math.min(all, most)
  const step = Math.min(20, width / Math.max(1, many))
  const barAt = (seq: number) => Math.floor(((Math.min(seq, all) - 1) / all) * many)
  const bars = Array.from({ length: many }, (): Fate => 'omitted')
  for (const { first, last, fate } of readFates(fates))
    for (let bar = barAt(first); bar <= barAt(last) && bar < many; bar++)
      if (strength.indexOf(fate) < strength.indexOf(bars[bar]!)) bars[bar] = fate
  const place = barAt(told.seq)
  const size = Math.max(1, step * 0.9)
  const shown = bars.map((fate, bar) =>
    bar === place
      ? ''
      : element('rect', {
          x: x + bar * step,
          y: foot - heights[fate],
          width: size,
          height: heights[fate],
          fill: colours.fates[fate],
        }),
  )
  const wide = Math.max(size, 6)
  const middle = x + (place + 0.5) * step
  const label = `#${told.seq}`
  const inside = Math.min(x + width - 6 * label.length, Math.max(x + 5 * label.length, middle))
  const cutAt = cut === undefined ? undefined : x + barAt(cut) * step
  const isClear = cutAt !== undefined && Math.abs(cutAt - inside) > 60
  return [
    element('rect', { x, y: foot, width, height: 1, fill: colours.line }),
    ...shown,
    element('rect', {
      x: middle - wide / 2,
      y: foot - 38,
      width: wide,
      height: 38,
      rx: 1.5,
      fill: colours.panel,
      stroke: colours.danger,
      'stroke-width': 1.75,
      'stroke-dasharray': kind === 'deleted' ? '3 2' : undefined,
    }),
    words(label, {
      x: inside,
      y: foot - 46,
      size: 14,
      weight: 600,
      fill: colours.dangerText,
      anchor: 'middle',
    }),
    cutAt !== undefined && isClear
      ? element('path', {
          d: `M${cutAt - 1} ${foot - 44}V${foot + 5}`,
          stroke: colours.text,
          'stroke-width': 1.5,
          'stroke-dasharray': '3 3',
        }) +
        words('cut', {
          x: cutAt,
          y: foot - 50,
          size: 13,
          weight: 600,
          fill: colours.text,
          anchor: 'middle',
        })
      : '',
  ].join('')
}
