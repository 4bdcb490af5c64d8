// @ts-check

/** @typedef {readonly [red: number, green: number, blue: number]} Colour Three channels from 0 to 255. */

/** @type {Colour} */
export const black = [0, 0, 0]

/**
 * Reads `#RRGGBB`; anything else is white, so that a lamp that was asked to shine never stays dark.
 * @param {string | undefined} hex
 * @returns {Colour}
 */
export function parseColour(hex) {
  const digits = /^#([0-9a-f]{6})$/i.exec(hex ?? '')?.[1]
  if (digits === undefined) return [255, 255, 255]
  const number = Number.parseInt(digits, 16)
  return [number >> 16, (number >> 8) & 255, number & 255]
}

/**
 * The colour between two colours: the first where `share` is 0, the second where it is 1.
 * @param {Colour} first
 * @param {Colour} second
 * @param {number} share
 * @returns {Colour}
 */
export function mix(first, second, share) {
  const between = (/** @type {0 | 1 | 2} */ at) => first[at] + (second[at] - first[at]) * share
  return [between(0), between(1), between(2)]
}

/**
 * A colour made darker: `level` is a share from 0 to 1.
 * @param {Colour} colour
 * @param {number} level
 * @returns {Colour}
 */
export function dim(colour, level) {
  return mix(black, colour, level)
}

/**
 * A full colour of the rainbow; one turn leads around all hues.
 * @param {number} turns
 * @returns {Colour}
 */
export function hue(turns) {
  const channel = (/** @type {number} */ offset) => {
    const place = (((turns + offset) % 1) + 1) % 1
    return 255 * Math.min(1, Math.max(0, Math.abs(place * 6 - 3) - 1))
  }
  return [channel(0), channel(2 / 3), channel(1 / 3)]
}
