// @ts-check
import { black, dim, hue, mix, parseColour } from './colour.js'
import { rows } from './shape.js'

/** @typedef {import('./colour.js').Colour} Colour */
/** @typedef {import('../program.ts').PatternCommand} PatternCommand */
/** @typedef {import('./shape.js').Led} Led */
/**
 * @typedef {object} Moment
 * @property {Colour} color
 * @property {Colour | undefined} color2
 * @property {Led} led
 * @property {number} at The number of the LED.
 * @property {number} seconds Since the step began, at the pattern's own speed.
 */

/**
 * The colour of one LED under a pattern.
 * @param {PatternCommand} command
 * @param {Led} led
 * @param {number} at
 * @param {number} ms Since the step began.
 * @returns {Colour}
 */
export function patternColour({ name, params }, led, at, ms) {
  const { color, color2, speed = 1, brightness = 1 } = params
  const pace = Math.min(10, Math.max(0.05, speed))
  const colour = patterns[name]({
    color: parseColour(color),
    color2: color2 === undefined ? undefined : parseColour(color2),
    led,
    at,
    // More than three flashes a second can harm people: a pulse is never faster.
    seconds: (ms / 1000) * (name === 'pulse' ? Math.min(pace, 3) : pace),
  })
  return brightness === 1 ? colour : dim(colour, brightness)
}

/** @type {Readonly<Record<PatternCommand['name'], (moment: Moment) => Colour>>} */
const patterns = {
  solid: ({ color }) => color,

  /** From the first colour at the top to the second at the bottom; it turns over in 16 seconds. */
  gradient({ color, color2 = black, led, seconds }) {
    const along = Math.min(1, Math.max(0, led.y / (rows - 1)))
    return mix(color, color2, swing(along / 2 + seconds / 16))
  },

  /** One breath in four seconds. */
  breathing: ({ color, color2 = black, seconds }) =>
    mix(color2, color, 0.06 + 0.94 * swing(seconds / 4)),

  /** Crests of light that travel upwards. */
  wave: ({ color, color2 = dim(color, 0.07), led, seconds }) =>
    mix(color2, color, swing(0.5 + led.y / 9 + led.x / 40 + seconds / 2.5) ** 2),

  rainbow: ({ led, seconds }) => hue((led.x + led.y) / 26 + seconds / 6),

  /** A short flash a second. */
  pulse: ({ color, color2 = dim(color, 0.05), seconds }) =>
    mix(color2, color, Math.exp(-5 * (seconds % 1))),

  /** Single LEDs light up and go out again, each in its own time. */
  sparkle({ color, color2 = color, at, seconds }) {
    const time = seconds / 1.2 + chance(at, 0)
    const turn = Math.floor(time)
    if (chance(at, turn + 1) > 0.35) return dim(color, 0.08)
    return dim(chance(at, -turn - 1) < 0.5 ? color : color2, 0.08 + 0.92 * swing(time))
  },
}

/**
 * Goes from 0 to 1 and back in one turn.
 * @param {number} turns
 */
function swing(turns) {
  return (1 - Math.cos(2 * Math.PI * turns)) / 2
}

/**
 * A number from 0 to 1 that looks random, and is always the same for the same two numbers.
 * @param {number} first
 * @param {number} second
 */
function chance(first, second) {
  let hash = Math.imul(first + 1, 0x9e3779b1) ^ Math.imul(second + 1, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32
}
