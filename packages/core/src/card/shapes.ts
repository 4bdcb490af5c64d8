import { type Line, unseen } from './break-lines.ts'

export type Attributes = Readonly<Record<string, string | number | undefined>>

/** An element of SVG. Every value is escaped here, and nowhere else. */
export function element(name: string, attributes: Attributes, inside = ''): string {
  const all = Object.entries(attributes)
    .flatMap(([key, value]) => (value === undefined ? [] : [` ${key}="${escaped(short(value))}"`]))
    .join('')
  return inside === '' ? `<${name}${all}/>` : `<${name}${all}>${inside}</${name}>`
}

const short = (value: string | number): string =>
  typeof value === 'number' ? String(Math.round(value * 10) / 10) : value

/** A text as XML can hold it. */
export const escaped = (text: string): string =>
  text.replace(unseen, '').replace(/[&<>"']/g, character => `&#${character.codePointAt(0)};`)

interface TypeOptions {
  readonly x: number
  readonly y: number
  readonly size: number
  readonly fill: string
  readonly weight?: number
  readonly anchor?: 'middle' | 'end'
  readonly spacing?: number
}

export const words = (text: string, options: TypeOptions): string =>
  element('text', typeOf(options), escaped(text))

const typeOf = ({ x, y, size, fill, weight, anchor, spacing }: TypeOptions): Attributes => ({
  x,
  y,
  'font-size': size,
  'font-weight': weight,
  fill,
  'text-anchor': anchor,
  'letter-spacing': spacing,
})

interface LinesOptions extends TypeOptions {
  readonly width: number
  readonly leading: number
  readonly marked: string
}

/** Lines below each other. Those that are read from right to left begin at the right. */
export function textLines(lines: readonly Line[], options: LinesOptions): string {
  const { x, y, width, leading, marked } = options
  return lines
    .map(({ parts, isReversed }, at) => {
      const place = { ...options, x: isReversed ? x + width : x, y: y + at * leading }
      const inside = parts.map(({ text, isMarked }) =>
        isMarked
          ? element(
              'tspan',
              { fill: marked, 'font-weight': 600, 'text-decoration': 'underline' },
              escaped(text),
            )
          : escaped(text),
      )
      return element(
        'text',
        { ...typeOf(place), direction: isReversed ? 'rtl' : undefined, 'xml:space': 'preserve' },
        inside.join(''),
      )
    })
    .join('')
}
