// @ts-check
import { element, find } from './element.js'
import { playingAt } from './play.js'

/** @typedef {import('../program.ts').Program} Program */
/** @typedef {import('../program.ts').Command} Command */

/**
 * Lists the steps of a program. What it returns marks the one that plays.
 * @param {Program | undefined} program
 * @returns {(ms: number) => void}
 */
export function showSteps(program) {
  const items = (program?.steps ?? []).map(({ command, duration }) => {
    const time = duration === null ? '' : ` ${Math.round(duration / 100) / 10} s`
    return element('li', '', ...coloursOf(command).map(swatch), `${nameOf(command)}${time}`)
  })
  find('steps', HTMLElement).replaceChildren(...items)
  let current = -1
  return ms => {
    const step = program ? playingAt(program, ms).step : -1
    if (step === current) return
    items[current]?.removeAttribute('aria-current')
    items[step]?.setAttribute('aria-current', 'step')
    // The list may be wider than the screen.
    items[step]?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    current = step
  }
}

/** @param {Command} command */
function nameOf(command) {
  if (command.type === 'pattern') return command.name
  return command.type === 'stop' ? 'off' : 'picture'
}

/**
 * @param {Command} command
 * @returns {readonly string[]}
 */
function coloursOf(command) {
  if (command.type === 'stop') return []
  if (command.type === 'render')
    return [...new Set(command.elements.map(({ color }) => color))].slice(0, 4)
  const { color, color2 } = command.params
  return [color, color2].flatMap(colour => colour ?? [])
}

/** @param {string} colour */
function swatch(colour) {
  const made = element('span', 'swatch')
  made.style.backgroundColor = colour
  return made
}
