import { createStyle, forTerminal, type Style, showControls } from '@throughline/server/cli/style'

/** The pieces of a line, each with its colour; 0: no colour. */
export type ScreenLine = readonly (readonly [colour: number, text: string])[]

export interface Terminal {
  readonly columns?: number
  readonly rows?: number
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Draws in place with only cursor-up and clear, so that a killed program leaves the terminal in order. */
export function createScreen(terminal: Terminal, style: Style = createStyle(terminal)) {
  let drawn: readonly number[] = []
  let shown = ''
  return {
    draw(lines: readonly ScreenLine[]): void {
      // The last column stays free: some terminals wrap as soon as it is written.
      const columns = Math.max(1, (terminal.columns || 80) - 1)
      const rows = Math.max(1, (terminal.rows || 24) - 1)
      const fitting = lines.slice(0, rows).map(line => cutLine(line.map(inOneLine), columns))
      const text = fitting.map(line =>
        line.map(([colour, part]) => paint(style, colour, part)).join(''),
      )
      const key = text.join('\n')
      if (key === shown) return
      const up = drawn.reduce(
        (sum, width) => sum + Math.max(1, Math.ceil(width / (columns + 1))),
        0,
      )
      const home = up > 0 ? `\u001b[${Math.min(up, rows)}A\r\u001b[J` : ''
      terminal.write(`${home}${forTerminal(text.map(line => `${line}\n`).join(''))}`)
      shown = key
      drawn = fitting.map(line => line.reduce((sum, [, part]) => sum + widthOf(part), 0))
    },
  }
}

/** A piece without line breaks and control characters, so that its width is what is seen. */
const inOneLine = ([colour, text]: ScreenLine[number]) =>
  [colour, showControls(text.replaceAll('\n', '\\n'))] as const

const paint = (style: Style, colour: number, text: string) =>
  colour === 0 ? text : style(colour, text)

export function cutLine(line: ScreenLine, columns: number): ScreenLine {
  const total = line.reduce((sum, [, text]) => sum + widthOf(text), 0)
  if (total <= columns) return line
  let left = columns - 1
  const kept: [number, string][] = []
  for (const [colour, text] of line) {
    let part = ''
    for (const { segment } of letters.segment(text)) {
      const width = widthOf(segment)
      if (width > left) return [...kept, [colour, `${part}…`]]
      left -= width
      part += segment
    }
    kept.push([colour, part])
  }
  return kept
}

const letters = new Intl.Segmenter()
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f/u

/** The columns that a text takes: two for a letter of the wide scripts and for a picture. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of letters.segment(text)) width += wide.test(segment) ? 2 : 1
  return width
}
