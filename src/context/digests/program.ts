import { attempt } from '../../log/attempt.ts'
import { cut, plural } from '../../log/line.ts'
import { parseJson } from '../../log/parse-json.ts'
import { toColours } from './colour.ts'
import { answerOf, type Digester } from './exchange.ts'

const UNKNOWN = 'unknown program'
const MAX_STEPS = 12
const MAX_NAME = 60
const MAX_WORD = 24

/**
 * A lamp program in one line; takes `{ program }` or the program itself.
 *
 * Never throws, whatever the value: an unreadable step is `?`, anything else `unknown program`.
 *
 * @example
 * summarizeProgram({ program: { name: 'dusk', steps: [{ command: { type: 'stop' } }], loop: { count: 3 } } })
 * // dusk, 1 step: stop, 3x loop
 */
export function summarizeProgram(value: unknown): string {
  return attempt(() => {
    const program = get(value, 'program') ?? value
    const steps = get(program, 'steps')
    const count = lengthOf(steps)
    if (count === 0) return UNKNOWN
    const shown = Array.from({ length: Math.min(count, MAX_STEPS) }, (_, index) =>
      attempt(() => describeStep((steps as readonly unknown[])[index]), '?'),
    )
    if (count > MAX_STEPS) shown.push(`… ${count - MAX_STEPS} more`)
    const name = toWord(get(program, 'name'), MAX_NAME) || 'Unnamed'
    return `${name}, ${plural(count, 'step')}: ${shown.join(' → ')}${describeLoop(get(program, 'loop'))}`
  }, UNKNOWN)
}

/** Digests an answer that holds `{"program":{…}}`, with prose or a fence around it, or that is a program itself. */
export const digestProgram: Digester = exchange => {
  const answer = answerOf(exchange.messages)
  const program = findProgram(answer) ?? bareProgram(answer)
  if (program === undefined) return undefined
  const summary = summarizeProgram({ program })
  // In the middle of prose, an object of that name is a program only if it has steps.
  return summary !== UNKNOWN || /^\W*(?:json\W*)?"program"/.test(answer) ? summary : undefined
}

function describeStep(step: unknown): string {
  const command = get(step, 'command')
  const type = toWord(get(command, 'type'), MAX_WORD)
  if (type === 'render') return `render(${plural(lengthOf(get(command, 'elements')), 'element')})`
  if (type !== 'pattern') return type || '?'
  const colours = toColours(get(command, 'params'))
  return (toWord(get(command, 'name'), MAX_WORD) || type) + (colours === '' ? '' : `(${colours})`)
}

function describeLoop(loop: unknown): string {
  const count = get(loop, 'count') as number
  if (!Number.isFinite(count) || count < 0) return ''
  return count === 0 ? ', infinite loop' : `, ${count}x loop`
}

function toWord(value: unknown, max: number): string {
  return typeof value === 'string' ? cut(value, max) : ''
}

/** The length of a list; 0 where a proxy claims an impossible one. */
function lengthOf(list: unknown): number {
  const length = Array.isArray(list) ? list.length : 0
  return Number.isSafeInteger(length) ? Math.max(0, length) : 0
}

function get(value: unknown, key: string): unknown {
  return (value as Record<string, unknown> | null | undefined)?.[key]
}

/** Each try may read to the end: without this limit a megabyte of openings would be read 100,000 times. */
const MAX_TRIES = 8

/** The first JSON object under the key "program" anywhere in a text: in a fence, with prose around it. */
function findProgram(text: string): unknown {
  const opening = /"program"\s*:\s*(?={)/g
  for (let tries = 0; tries < MAX_TRIES && opening.test(text); tries++) {
    const start = opening.lastIndex
    const program = parseJson(text.slice(start, closing(text, start)))
    if (program !== undefined) return program
  }
  return undefined
}

/** An answer that is nothing but a program, in a fence or not: an object with steps that have commands. */
function bareProgram(answer: string): unknown {
  const text = answer
    .trim()
    .replace(/^```\w*\s/, '')
    .replace(/```$/, '')
    .trim()
  if (!text.startsWith('{') || !text.endsWith('}')) return undefined
  const program = parseJson(text)
  const steps = get(program, 'steps')
  return lengthOf(steps) > 0 && attempt(() => hasCommand(steps as readonly unknown[]), false)
    ? program
    : undefined
}

const hasCommand = (steps: readonly unknown[]) =>
  steps.slice(0, MAX_STEPS).some(step => typeof get(step, 'command') === 'object')

/** The place just after the brace that closes the one at `start`, or the end; braces in strings do not count. */
function closing(text: string, start: number): number {
  let depth = 0
  let quoted = false
  for (let at = start; at < text.length; at++) {
    const unit = text[at]
    if (unit === '"') quoted = !quoted
    else if (quoted) at += unit === '\\' ? 1 : 0
    else if (unit === '{') depth++
    else if (unit === '}' && --depth === 0) return at + 1
  }
  return text.length
}
