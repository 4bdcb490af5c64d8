import { cut, few, plural } from '../../log/line.ts'
import { attempt, isObject, parseJson } from '../../log/values.ts'
import { answerOf, type Digester } from './exchange.ts'

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
    const name =
      toWord(get(owner, 'name'), MAX_NAME) || toWord(get(owner, 'title'), MAX_NAME) || 'Unnamed'
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

const MAX_WORD = 24
const MAX_VALUES = 3
/** How many keys of an object, and items of a list, are looked at: hostile ones have millions. */
const MAX_LOOKS = 16

/** What a step may be called by, in this order. */
const KINDS = ['action', 'command', 'op', 'type', 'kind', 'name']
/** Lists under other keys are data, unless each item has an action, a command or an `op`. */
const STEP_LISTS =
  /^(program|steps|actions|commands|tasks|stages|phases|operations|instructions|sequence|timeline|moves|scenes|jobs|pipeline|workflow|script|plan|routine)$/i

/** The steps of a program: a list of objects with a kind, alone, under a key, or one object deeper. `owner` has name and loop. */
function stepsOf(value: unknown, key = '') {
  return attempt(
    () =>
      stepsIn(value, key) ??
      values(value)
        .map(([, inner]) => stepsIn(inner))
        .find(Boolean),
    undefined,
  )
}

function stepsIn(owner: unknown, key = '') {
  if (Array.isArray(owner))
    return isStepList(key, owner) ? { steps: owner as readonly unknown[], owner } : undefined
  const lists = values(owner).filter(([key, list]) => Array.isArray(list) && isStepList(key, list))
  const [, steps] = lists.find(([key]) => key === 'steps') ?? lists[0] ?? []
  return steps ? { steps: steps as readonly unknown[], owner } : undefined
}

function isStepList(key: string, list: readonly unknown[]): boolean {
  const some = lengthOf(list) > 0 ? list.slice(0, MAX_LOOKS) : []
  // A list of this name is a program's, even if some of its steps cannot be read.
  if (key === 'steps' && some.some(step => typeof get(step, 'command') === 'object')) return true
  const kinds = STEP_LISTS.test(key) ? KINDS : KINDS.slice(0, 3)
  return some.length > 0 && some.every(step => kindOf(step, kinds) !== undefined)
}

/** A step as `kind(values)`: its kind, and its short values. */
function describeStep(step: unknown): string {
  const command = get(step, 'command')
  const type = toWord(get(command, 'type'))
  if (type === '')
    return describeAny(typeof command === 'object' && command !== null ? command : step)
  // A step of a lamp, where only the pattern and its colours matter.
  if (type === 'render') return `render(${plural(lengthOf(get(command, 'elements')), 'element')})`
  if (type !== 'pattern') return type
  const colours = toColours(get(command, 'params'))
  return (toWord(get(command, 'name')) || type) + (colours === '' ? '' : `(${colours})`)
}

function describeAny(step: unknown): string {
  const kind = kindOf(step, KINDS)
  if (kind === undefined) return '?'
  const short = values(step)
    .filter(([key]) => key !== kind)
    .flatMap(([key, value]) => (isObject(value) ? values(value) : [[key, value] as const]))
    .flatMap(([key, value]) => shortValues(key, value))
    .slice(0, MAX_VALUES)
  return toWord(get(step, kind)) + (short.length > 0 ? `(${short.join(', ')})` : '')
}

/** A text or a colour as it is, a number with its name. Longer values are left out: a line is no place for them. */
function shortValues(key: string, value: unknown): readonly string[] {
  if (typeof value === 'string')
    return value !== '' && cut(value, MAX_WORD) === value ? [value] : []
  if (typeof value === 'number' || typeof value === 'boolean')
    return [cut(`${key} ${value}`, MAX_WORD)]
  if (!Array.isArray(value)) return []
  return value
    .slice(0, MAX_VALUES)
    .flatMap(item => (typeof item === 'string' ? shortValues(key, item) : []))
}

const kindOf = (step: unknown, kinds: readonly string[]): string | undefined =>
  isObject(step) ? kinds.find(key => toWord(get(step, key)) !== '') : undefined

/** The first values of an object under their keys. */
function values(object: unknown): readonly (readonly [key: string, value: unknown])[] {
  if (!isObject(object)) return []
  return Object.keys(object)
    .slice(0, MAX_LOOKS)
    .map(key => [key, get(object, key)] as const)
}

const toWord = (value: unknown, max = MAX_WORD) =>
  typeof value === 'string' ? cut(value, max) : ''

/** The length of a list; 0 where a proxy claims an impossible one. */
function lengthOf(list: unknown): number {
  const length = Array.isArray(list) ? list.length : 0
  return Number.isSafeInteger(length) ? Math.max(0, length) : 0
}

/** The keys under which models put colours, in reading order: a gradient's first colour before its second. */
const COLOUR_KEYS =
  'color colour colors palette color1 color2 start_color startColor end_color endColor from to stops'
const MAX_COLOURS = 4
/** Real colours are at most this deep: `colors: [{ color: { r, g, b } }]`. */
const MAX_DEPTH = 3

/** The colours of a pattern's parameters: `#FF0000, #0000FF`. The keys are a fixed list, so that a million of them cost nothing. */
export function toColours(params: unknown): string {
  const values = params as Record<string, unknown> | null | undefined
  // `from: "left"` is a place, not a colour: under such keys only hex counts.
  const colours = COLOUR_KEYS.split(' ').flatMap(key =>
    readColours(values?.[key], MAX_DEPTH).filter(
      text => text.startsWith('#') || (text && key.length > 4),
    ),
  )
  return few(colours, MAX_COLOURS)
}

function readColours(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'string') return [cut(value, 24)]
  if (typeof value !== 'object' || value === null || depth === 0) return []
  const { 0: x, 1: y, 2: z, r = x, g = y, b = z, color } = value as Record<string, unknown>
  if ([r, g, b].every(Number.isFinite)) return [toHex([r, g, b] as number[])]
  const list: readonly unknown[] = Array.isArray(value) ? value.slice(0, MAX_COLOURS + 1) : [color]
  return list.flatMap(item => readColours(item, depth - 1))
}

/** Channels are clamped to 0 to 255, as a lamp would. The leading 1 keeps the zeros. */
function toHex(channels: readonly number[]): string {
  const number = Uint8ClampedArray.from(channels).reduce((sum, channel) => sum * 256 + channel, 1)
  return `#${number.toString(16).slice(1).toUpperCase()}`
}
