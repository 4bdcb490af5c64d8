// @ts-check

/**
 * The lamp: 10 × 14 LEDs in front, row by row from the upper left, then 32 around them, clockwise from the middle of the
 * top. Places are in columns and rows of the front, so that a pattern is one function of a place for all 172.
 */

/** @typedef {{ readonly x: number, readonly y: number }} Led */

export const columns = 10
export const rows = 14
const around = 32

/** How far the LEDs around stand off the outer ones in front. */
const gap = 1.4

/** @type {readonly Led[]} */
export const leds = [
  ...Array.from({ length: columns * rows }, (_, at) => ({
    x: at % columns,
    y: Math.floor(at / columns),
  })),
  ...Array.from({ length: around }, (_, at) => placeAround((at + 0.5) / around)),
]

/**
 * A place on the rectangle around the front. `share` is the part of the way that leads there.
 * @param {number} share
 * @returns {Led}
 */
function placeAround(share) {
  const [left, top, right, bottom] = [-gap, -gap, columns - 1 + gap, rows - 1 + gap]
  const [width, height] = [right - left, bottom - top]
  let way = share * 2 * (width + height)
  if (way <= width / 2) return { x: (left + right) / 2 + way, y: top }
  way -= width / 2
  if (way <= height) return { x: right, y: top + way }
  way -= height
  if (way <= width) return { x: right - way, y: bottom }
  way -= width
  if (way <= height) return { x: left, y: bottom - way }
  return { x: left + way - height, y: top }
}
