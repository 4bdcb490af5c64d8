import { breakLines, type Line } from './break-lines.ts'
import { type Card, cardText, cardWords } from './card.ts'
import { type Colours, colours } from './colours.ts'
import { drawRibbon, ribbonColours } from './draw-ribbon.ts'
import { drawStrip } from './draw-strip.ts'
import { element, escaped, textLines, words } from './shapes.ts'

export interface CardOptions {
  readonly theme?: 'light' | 'dark'
  /** `image`: 1200 × 630, as it is shared. The others have no title, for a page that writes its own: wide, or for a phone. */
  readonly shape?: 'image' | 'wide' | 'tall'
  /** Whether bars stand for the words of both sides. Those of a deleted message are never shown. */
  readonly isHidden?: boolean
}

const font =
  'system-ui,-apple-system,Segoe UI,Roboto,Helvetica Neue,Noto Sans,PingFang SC,Microsoft YaHei,Noto Sans CJK SC,sans-serif'

/** A card as one picture of plain shapes and text, that needs nothing beside it. */
export function drawCard(card: Card, options: CardOptions = {}): string {
  const { theme = 'light', shape = 'image', isHidden = false } = options
  const look = colours[theme]
  const isTall = shape === 'tall'
  const { x, y, width, height } = frames[shape]
  const inside = isTall ? drawTall(card, look, isHidden) : drawWide(card, look, isHidden, shape)
  const ground = element('rect', { x, y, width, height, fill: look.ground })
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width,
      height,
      viewBox: `${x} ${y} ${width} ${height}`,
      'font-family': font,
      role: 'img',
      'aria-label': cardText(card, { isHidden }),
    },
    ribbonColours(look, isTall) + (shape === 'image' ? ground : '') + inside,
  )
}

/** What is seen of the drawing. */
const frames = {
  image: { x: 0, y: 0, width: 1200, height: 630 },
  wide: { x: 52, y: 228, width: 1100, height: 366 },
  tall: { x: 0, y: 0, width: 350, height: 712 },
} as const

function drawWide(card: Card, look: Colours, isHidden: boolean, shape: 'image' | 'wide'): string {
  const said = cardWords(card)
  const { account } = said
  const big = { x: 56, size: 46, weight: 650, spacing: -1.2 }
  const why = breakLines(said.why, { width: 1088, size: 20, most: 2 })
  const more = why.length > 1 ? [] : breakLines(said.more, { width: 1088, size: 17, most: 1 })
  const lines = { x: 56, width: 1088, leading: 27, size: 20, marked: look.second }
  const head =
    shape === 'wide'
      ? ''
      : [
          words(said.title[0], { ...big, y: 92, fill: look.third }),
          words(said.title[1], { ...big, y: 146, fill: look.text }),
          textLines(why, { ...lines, y: 188, fill: look.second }),
          textLines(more, { ...lines, y: 217, size: 17, fill: look.third }),
        ].join('')
  return [
    head,
    drawTold(card, { x: 56, y: 246, width: 372, height: 204 }, look, isHidden),
    drawAsked(card, { x: 772, y: 246, width: 372, height: 204 }, look, isHidden),
    drawRibbon(card, said, { from: 428, to: 772, middle: 344, half: 52, isTall: false }, look),
    drawStrip(card, { x: 56, width: 1088, foot: 540, most: 272 }, look),
    element(
      'text',
      { x: 56, y: 582, 'font-size': 16, fill: look.third },
      `${element('tspan', { 'font-weight': 600, fill: look.text }, account[0])} · ${escaped(account[1])}`,
    ),
    drawName(1012, 566, look),
  ].join('')
}

function drawTall(card: Card, look: Colours, isHidden: boolean): string {
  const said = cardWords(card)
  const small = { x: 0, size: 13, fill: look.third }
  return [
    drawTold(card, { x: 0.5, y: 1, width: 349, height: 190 }, look, isHidden),
    drawRibbon(card, said, { from: 191, to: 371, middle: 120, half: 80, isTall: true }, look),
    drawAsked(card, { x: 0.5, y: 371, width: 349, height: 190 }, look, isHidden),
    drawStrip(card, { x: 0, width: 350, foot: 650, most: 116 }, look),
    words(said.account[0], { ...small, y: 680, fill: look.text, weight: 600 }),
    words(said.account[1], { ...small, y: 702 }),
  ].join('')
}

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const box = (place: Box, look: Colours): string =>
  element('rect', { ...place, rx: 14, fill: look.panel, stroke: look.line })

/** The message that was needed. */
function drawTold(card: Card, place: Box, look: Colours, isHidden: boolean): string {
  const { told, kind, sent } = card
  const isBare = isHidden || kind === 'deleted'
  const turn = told.turn > 0 ? `, turn ${told.turn}` : ''
  const lines = breakLines(told.text, {
    ...{ width: place.width - 48, size: 19, most: place.width > 360 ? 5 : 4 },
    marks: told.marks,
  })
  const isTall = place.width < 360
  const edge = isTall
    ? { x: 40, y: place.y + place.height - 5, width: 160, height: 10 }
    : { x: place.x + place.width - 5, y: 292, width: 10, height: 104 }
  return [
    box(place, look),
    labelled(`#${told.seq}`, `${whose(told.role)}${turn}`, place, look),
    isBare
      ? bars(place, look)
      : textLines(lines, typeIn(place, { y: 66, size: 19, leading: 27 }, look)),
    sent === undefined || kind === 'unmatched'
      ? ''
      : element('rect', { ...edge, rx: 5, fill: look.fates.kept }),
  ].join('')
}

const whose = (role: string): string =>
  role === 'user' ? 'the user' : role === 'assistant' ? 'the assistant' : 'a tool'

/** The question, and the answer that forgot. */
function drawAsked(card: Card, place: Box, look: Colours, isHidden: boolean): string {
  const { turn, question, answer, model } = card.asked
  const most = place.width > 360 ? 5 : 4
  const width = place.width - 48
  const ask = breakLines(question, { width, size: 17, most: answer === undefined ? most : 2 })
  const said = breakLines(answer ?? '', {
    ...{ width, size: 20, isBold: true, most: most - Math.max(1, ask.length) },
  })
  const isTall = place.width < 360
  const edge = isTall
    ? { x: 69, y: place.y - 5, width: 102, height: 10 }
    : { x: place.x - 5, y: 311, width: 10, height: 66 }
  const name = breakLines(model ?? '', { width: width - 90, size: 15, most: 1 })
  return [
    box(place, look),
    labelled(turn > 0 ? `Turn ${turn}` : 'Asked', plainText(name), place, look),
    isHidden
      ? bars(place, look)
      : [
          textLines(
            ask,
            typeIn(place, { y: 66, size: 17, leading: 24 }, { ...look, text: look.third }),
          ),
          textLines(said, {
            ...typeIn(place, { y: 70 + 24 * ask.length, size: 20, leading: 27 }, look),
            weight: 600,
          }),
        ].join(''),
    card.kind === 'unmatched'
      ? element('rect', { ...edge, rx: 5, fill: look.fates.recalled })
      : element('rect', {
          ...edge,
          rx: 5,
          fill: look.ground,
          stroke: look.dotted,
          'stroke-width': 1.5,
          'stroke-dasharray': '3 4',
        }),
  ].join('')
}

const plainText = (lines: readonly Line[]): string =>
  lines.flatMap(({ parts }) => parts.map(({ text }) => text)).join('')

const typeIn = (
  { x, y, width }: Box,
  type: { readonly y: number; readonly size: number; readonly leading: number },
  look: Colours,
) => ({
  ...type,
  x: x + 24,
  y: y + type.y,
  width: width - 48,
  fill: look.text,
  marked: look.marked,
})

const labelled = (name: string, more: string, { x, y }: Box, look: Colours): string =>
  words(name, { x: x + 24, y: y + 36, size: 15, weight: 600, fill: look.text }) +
  words(more, { x: x + 36 + 9.4 * name.length, y: y + 36, size: 15, fill: look.third })

/** What stands for words that are not shown. */
const bars = ({ x, y }: Box, look: Colours): string =>
  [
    [0, 0, 130],
    [140, 0, 40],
    [190, 0, 96],
    [0, 30, 64],
    [74, 30, 118],
    [202, 30, 70],
    [0, 60, 90],
  ]
    .map(([along, down, width]) =>
      element('rect', {
        x: x + 24 + along!,
        y: y + 58 + down!,
        width,
        height: 14,
        rx: 4,
        fill: look.bar,
      }),
    )
    .join('')

/** The sign and the name of the program: whoever sees the picture elsewhere learns what made it. */
const drawName = (x: number, y: number, look: Colours): string =>
  element(
    'g',
    { transform: `translate(${x} ${y})` },
    [0, 4.5, 9, 13.5]
      .map(at =>
        element('rect', {
          x: at + 2,
          y: 4,
          width: 3,
          height: 12,
          rx: 1,
          fill: look.text,
          opacity: '0.28',
        }),
      )
      .join('') +
      element('path', {
        d: 'M1 12.5c3.5 0 4-5 7.5-5s4 4.5 10.500 1.5',
        fill: 'none',
        stroke: look.text,
        'stroke-width': 2,
        'stroke-linecap': 'round',
      }) +
      words('Throughline', {
        x: 132,
        y: 16,
        size: 16,
        weight: 600,
        fill: look.text,
        anchor: 'end',
      }),
  )
