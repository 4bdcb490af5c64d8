// @ts-check
import { parseColour } from './colour.js'
import { glyphOf } from './font.js'
import { columns, rows } from './shape.js'

/** @typedef {import('../program.ts').Element} Element */
/** @typedef {import('./colour.js').Colour} Colour */
/** @typedef {(x: number, y: number) => void} Dot */

/**
 * Draws one element of a render command. `fill` colours all LEDs; the others draw on the front, whose upper left corner is
 * 0, 0. What lies outside is not drawn.
 * @param {Colour[]} frame
 * @param {Element} element
 * @param {number} ms Since the step began, for a text that scrolls.
 */
export function drawElement(frame, element, ms) {
  const colour = parseColour(element.color)
  /** @type {Dot} */
  const dot = (x, y) => {
    if (x >= 0 && x < columns && y >= 0 && y < rows) frame[y * columns + x] = colour
  }
  switch (element.type) {
    case 'fill':
      return void frame.fill(colour)
    case 'pixel':
      return dot(Math.round(element.x), Math.round(element.y))
    case 'rect':
      return drawRect(element, dot)
    case 'line':
      return drawLine(element, dot)
    case 'text':
      return drawText(element, ms, dot)
  }
}

/**
 * @param {Extract<Element, { type: 'rect' }>} element
 * @param {Dot} dot
 */
function drawRect({ x, y, width, height, filled }, dot) {
  const [left, top, right, bottom] = [x, y, x + width - 1, y + height - 1].map(Math.round)
  for (let row = Math.max(0, top ?? 0); row <= Math.min(rows - 1, bottom ?? 0); row++)
    for (
      let column = Math.max(0, left ?? 0);
      column <= Math.min(columns - 1, right ?? 0);
      column++
    ) {
      const isEdge = row === top || row === bottom || column === left || column === right
      if (filled || isEdge) dot(column, row)
    }
}

/**
 * As many dots as the longer side is long.
 * @param {Extract<Element, { type: 'line' }>} element
 * @param {Dot} dot
 */
function drawLine({ x1, y1, x2, y2 }, dot) {
  const length = Math.ceil(Math.max(Math.abs(x2 - x1), Math.abs(y2 - y1)))
  for (let step = 0; step <= length; step++) {
    const share = length === 0 ? 0 : step / length
    dot(Math.round(x1 + (x2 - x1) * share), Math.round(y1 + (y2 - y1) * share))
  }
}

/** How long a scrolling text takes from one column to the next. */
const columnMs = 140

/**
 * A text that does not fit scrolls from right to left, again and again; a short one stands in the middle unless told where.
 * @param {Extract<Element, { type: 'text' }>} element
 * @param {number} ms
 * @param {Dot} dot
 */
function drawText({ text, x, y = 4, scroll }, ms, dot) {
  const glyphs = Array.from(text, glyphOf)
  const width = glyphs.reduce((sum, [row = '']) => sum + row.length + 1, -1)
  const isMoving = scroll ?? width > columns
  let left = isMoving
    ? columns - (Math.floor(ms / columnMs) % (width + columns))
    : Math.round(x ?? (columns - width) / 2)
  for (const glyph of glyphs) {
    for (const [row, line] of glyph.entries())
      for (const [column, mark] of Array.from(line).entries())
        if (mark === '#') dot(left + column, Math.round(y) + row)
    left += (glyph[0]?.length ?? 0) + 1
  }
}
