import { attempt } from '../../log/attempt.ts'
import { cut, plural } from '../../log/line.ts'
import { parseJson } from '../../log/parse-json.ts'
import { answerOf, type Digester } from './exchange.ts'
import { describeStep, lengthOf, stepsOf } from './program-steps.ts'

const UNKNOWN = 'unknown program'
const MAX_STEPS = 12
const MAX_NAME = 60

/**
 * A program in one line: a list of steps of any make, see docs/policies.md. Takes `{ program }` or the program itself.
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
    const named = get(program, 'steps') as readonly unknown[]
    const { steps, owner } =
      lengthOf(named) > 0
        ? { steps: named, owner: program }
        : (stepsOf(program, program === value ? '' : 'program') ?? { steps: [], owner: program })
    const count = lengthOf(steps)
    if (count === 0) return UNKNOWN
    const shown = Array.from({ length: Math.min(count, MAX_STEPS) }, (_, index) =>
      attempt(() => describeStep(steps[index]), '?'),
    )
    if (count > MAX_STEPS) shown.push(`… ${count - MAX_STEPS} more`)
    const name = toName(get(owner, 'name')) || toName(get(owner, 'title')) || 'Unnamed'
    return `${name}, ${plural(count, 'step')}: ${shown.join(' → ')}${describeLoop(get(owner, 'loop'))}`
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

function describeLoop(loop: unknown): string {
  const count = (loop === true ? 0 : (get(loop, 'count') ?? loop)) as number
  if (!Number.isFinite(count) || count < 0) return ''
  return count === 0 ? ', infinite loop' : `, ${count}x loop`
}

const toName = (value: unknown) => (typeof value === 'string' ? cut(value, MAX_NAME) : '')

function get(value: unknown, key: string): unknown {
  return (value as Record<string, unknown> | null | undefined)?.[key]
}

/** Each try may read to the end: without this limit a megabyte of openings would be read 100,000 times. */
const MAX_TRIES = 8

/** The first JSON object or list under the key "program" anywhere in a text: in a fence, with prose around it. */
function findProgram(text: string): unknown {
  const opening = /"program"\s*:\s*(?=[[{])/g
  for (let tries = 0; tries < MAX_TRIES && opening.test(text); tries++) {
    const start = opening.lastIndex
    const program = parseJson(text.slice(start, closing(text, start)))
    if (program !== undefined) return program
  }
  return undefined
}

/** An answer that is a program, or that has one in its first fence. */
function bareProgram(answer: string): unknown {
  const opening = answer.indexOf('```')
  const fence = opening < 0 ? answer : answer.slice(opening + 3, answer.indexOf('```', opening + 3))
  const text = fence.replace(/^json\s/, '').trim()
  if (!/^[[{]/.test(text)) return undefined
  const program = parseJson(text)
  return stepsOf(program) && program
}

/** The place just after the bracket that closes the one at `start`, or the end; brackets in strings do not count. */
function closing(text: string, start: number): number {
  let depth = 0
  let quoted = false
  for (let at = start; at < text.length; at++) {
    const unit = text[at]
    if (unit === '"') quoted = !quoted
    else if (quoted) at += unit === '\\' ? 1 : 0
    else if (unit === '{' || unit === '[') depth++
    else if ((unit === '}' || unit === ']') && --depth === 0) return at + 1
  }
  return text.length
}
