// @ts-check
import { drawElement } from './elements.js'
import { patternColour } from './patterns.js'
import { playingAt } from './play.js'
import { leds } from './shape.js'

/** @typedef {import('../program.ts').Program} Program */
/** @typedef {import('./colour.js').Colour} Colour */

/**
 * The lamp at a moment of a program, in milliseconds from its start: a colour for each of the 172 LEDs. The same input gives the same frame.
 * @param {Program | undefined} program
 * @param {number} ms
 * @returns {readonly Colour[]}
 */
export function frameAt(program, ms) {
  /** @type {Colour[]} */
  const frame = leds.map(() => [0, 0, 0])
  if (program === undefined) return frame
  const { command, since } = playingAt(program, ms)
  switch (command.type) {
    case 'pattern':
      return leds.map((led, at) => patternColour(command, led, at, since))
    case 'render':
      for (const element of command.elements) drawElement(frame, element, since)
      return frame
    case 'stop':
      return frame
  }
}
