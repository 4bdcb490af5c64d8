import type { Card, CardWords } from './card.ts'
import type { Colours } from './colours.ts'
import { element, words } from './shapes.ts'

interface RibbonPlace {
  /** Along the ribbon, from the message to the question. */
  readonly from: number
  readonly to: number
  /** Its middle, across. */
  readonly middle: number
  /** Half of its width where it begins; it narrows on its way. */
  readonly half: number
  readonly isTall: boolean
}

/**
 * The life of the message: solid while it was sent, torn where it left, dotted since. Without a match it starts at the question
 * and does not arrive.
 */
export function drawRibbon(
  card: Card,
  { sent, broken }: CardWords,
  place: RibbonPlace,
  colours: Colours,
): string {
  const { from, to, middle, half, isTall } = place
  const length = to - from
  const halfAt = (along: number) => {
    const share = (along - from) / length
    return half * (1 - 0.36 * share * share * (3 - 2 * share))
  }
  const at = (along: number, across: number) =>
    (isTall ? [middle + across, along] : [along, middle + across])
      .map(value => Math.round(value * 10) / 10)
      .join(' ')
  const side = (start: number, end: number, sign: number) =>
    Array.from({ length: 13 }, (_, n) => start + ((end - start) * n) / 12).map(along =>
      at(along, sign * halfAt(along)),
    )
  const tear = (along: number, sign: number) =>
    Array.from({ length: 7 }, (_, n) =>
      at(along + (n % 2 ? 5 : -5), sign * halfAt(along) * (0.76 - 0.25333 * n)),
    )
  const dotted = (points: readonly string[]) =>
    element('path', {
      d: `M${points.join('L')}`,
      fill: 'none',
      stroke: colours.dotted,
      'stroke-width': 1.5,
      'stroke-dasharray': '2 5',
      'stroke-linecap': 'round',
    })
  const solid = (points: readonly string[], fill: string) =>
    element('path', { d: `M${points.join('L')}Z`, fill })
  const text = (along: number, across: number, said: string, fill: string, size = 15) => {
    const [x, y] = at(along, across).split(' ').map(Number)
    return words(said, { x: x!, y: y!, size, weight: 600, fill, anchor: 'middle' })
  }

  if (card.kind === 'unmatched') {
    const start = from + 0.7 * length
    const away = from + 0.45 * length
    return [
      dotted(side(from, start, -1)),
      dotted(side(from, start, 1)),
      solid([...side(start, to, -1), ...side(start, to, 1).reverse()], 'url(#asked)'),
      text(away, 0, '≠', colours.dangerText, 24),
      isTall
        ? text(away + 24, 0, broken, colours.dangerText)
        : text(away, half + 24, broken, colours.dangerText),
    ].join('')
  }
  const left = Math.min(0.7, Math.max(0.46, lifeOf(card)))
  const cut = from + left * length
  const [before, after] = [cut - 10, cut + 12]
  const line = element('path', {
    d: `M${at(cut + 1, -half - 24)}L${at(cut + 1, half + 14)}`,
    stroke: colours.danger,
    'stroke-width': 2,
    'stroke-dasharray': '5 5',
  })
  return [
    solid(
      [...side(from, before, -1), ...tear(before, -1), ...side(from, before, 1).reverse()],
      'url(#sent)',
    ),
    dotted([...side(after, to, -1).reverse(), ...tear(after, -1), ...side(after, to, 1)]),
    line,
    ...twoLines(sent).map((one, line) =>
      isTall
        ? text((from + before) / 2 + 20 * line, 0, one, colours.onRibbon)
        : text((from + before) / 2, 20 * line - 5, one, colours.onRibbon),
    ),
    isTall
      ? twoLines(broken)
          .map((one, line) => text(cut - 2 + 18 * line, half + 78, one, colours.dangerText))
          .join('')
      : text(cut, half + 36, broken, colours.dangerText, 16),
  ].join('')
}

/** `sent in turns`, `48 to 57`; `cut at turn`, `58` */
const twoLines = (words: string): readonly string[] => words.split(/(?<=turns?) /).filter(Boolean)

/** How far the message came on its way to the question, from 0 to 1. */
function lifeOf({ told, asked, sent }: Card): number {
  const all = asked.turn - told.turn
  return sent === undefined || all <= 0 ? 0 : (sent.to - told.turn) / all
}

/** The colours that run along a ribbon. */
export const ribbonColours = ({ fates }: Colours, isTall: boolean): string => {
  const way = isTall ? { x1: 0, x2: 0, y1: 0, y2: 1 } : { x1: 0, x2: 1 }
  const stop = (offset: number, colour: string, opacity: number) =>
    element('stop', { offset, 'stop-color': colour, 'stop-opacity': opacity })
  return element(
    'defs',
    {},
    [
      element(
        'linearGradient',
        { id: 'sent', ...way },
        stop(0, fates.kept, 1) + stop(1, fates.kept, 0.9),
      ),
      element(
        'linearGradient',
        { id: 'asked', ...way },
        stop(0, fates.recalled, 0) + stop(1, fates.recalled, 0.8),
      ),
    ].join(''),
  )
}
