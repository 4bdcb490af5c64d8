// @ts-check

/** @typedef {import('../program.ts').Program} Program */
/** @typedef {import('../program.ts').Command} Command */
/** @typedef {import('../program.ts').Step} Step */
/** @typedef {{ readonly step: number, readonly command: Command, readonly since: number }} Playing */

/**
 * What a program does at a moment, in milliseconds from its start: the command, the place of its step, and how long it has been on. After
 * the end the command of `on_complete` plays, and its place is the number of steps; without one the last step stays.
 * @param {Program} program
 * @param {number} ms
 * @returns {Playing}
 */
export function playingAt({ steps, loop, on_complete }, ms) {
  const first = loop ? placeOf(steps, loop.start_step, 0) : 0
  const last = loop ? placeOf(steps, loop.end_step, steps.length - 1) : steps.length - 1
  const rounds = !loop ? 1 : loop.count === 0 ? Number.POSITIVE_INFINITY : loop.count
  const [before, repeated, after] = [
    steps.slice(0, first),
    steps.slice(first, last + 1),
    steps.slice(last + 1),
  ]
  let left = ms
  if (left < span(before)) return find(before, 0, left)
  left -= span(before)
  if (left < span(repeated) * rounds) return find(repeated, first, left % span(repeated))
  left -= span(repeated) * rounds
  if (left < span(after)) return find(after, last + 1, left)
  left -= span(after)
  if (on_complete) return { step: steps.length, command: on_complete.command, since: left }
  const { command, duration } = /** @type {Step} */ (steps.at(-1))
  return { step: steps.length - 1, command, since: left + (duration ?? 0) }
}

/**
 * @param {readonly Step[]} steps
 * @param {string | undefined} id
 * @param {number} otherwise
 */
function placeOf(steps, id, otherwise) {
  const place = steps.findIndex(step => step.id === id)
  return place < 0 ? otherwise : place
}

/**
 * A step without a duration stays for ever.
 * @param {readonly Step[]} steps
 */
function span(steps) {
  return steps.reduce((sum, { duration }) => sum + (duration ?? Number.POSITIVE_INFINITY), 0)
}

/**
 * @param {readonly Step[]} steps
 * @param {number} offset The place of the first of them in the program.
 * @param {number} ms Less than they take in all.
 * @returns {Playing}
 */
function find(steps, offset, ms) {
  let since = ms
  let at = 0
  for (const { command, duration } of steps) {
    if (duration === null || since < duration) return { step: offset + at, command, since }
    since -= duration
    at++
  }
  throw new RangeError(`The steps are over before ${ms} ms`)
}
