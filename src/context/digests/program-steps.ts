import { attempt } from '../../log/attempt.ts'
import { cut, plural } from '../../log/line.ts'
import { toColours } from './colour.ts'

const MAX_WORD = 24
const MAX_VALUES = 3
/** How many keys of an object, and items of a list, are looked at: hostile ones have millions. */
const MAX_LOOKS = 16

/** What a step may be called by, in this order. */
const KINDS = ['action', 'command', 'op', 'type', 'kind', 'name']
/** Lists under other keys are data, unless each item has an action, a command or an `op`. */
const STEP_LISTS =
  /^(program|steps|actions|commands|tasks|stages|phases|operations|instructions|sequence|timeline|moves|scenes|jobs|pipeline|workflow|script|plan|routine)$/i

interface Steps {
  readonly steps: readonly unknown[]
  /** What the list stands in: it has the name and the loop. */
  readonly owner: unknown
}

/**
 * The steps of a program, told by their shape: a list of objects that all have a kind. It stands under `steps` or under
 * another key, one object deeper, or alone.
 */
export function stepsOf(value: unknown, key = ''): Steps | undefined {
  return attempt(
    () =>
      stepsIn(value, key) ??
      values(value)
        .map(([, inner]) => stepsIn(inner))
        .find(Boolean),
    undefined,
  )
}

function stepsIn(owner: unknown, key = ''): Steps | undefined {
  if (Array.isArray(owner)) return isStepList(key, owner) ? { steps: owner, owner } : undefined
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
export function describeStep(step: unknown): string {
  const command = get(step, 'command')
  const type = toWord(get(command, 'type'))
  if (type === '') return describeAny(typeof command === 'object' && command !== null ? command : step)
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
    .flatMap(([key, value]) => (isPlain(value) ? values(value) : [[key, value] as const]))
    .flatMap(([key, value]) => shortValues(key, value))
    .slice(0, MAX_VALUES)
  return toWord(get(step, kind)) + (short.length > 0 ? `(${short.join(', ')})` : '')
}

/** A text or a colour as it is, a number with its name. Longer values are left out: a line is no place for them. */
function shortValues(key: string, value: unknown): readonly string[] {
  if (typeof value === 'string') return value !== '' && cut(value, MAX_WORD) === value ? [value] : []
  if (typeof value === 'number' || typeof value === 'boolean') return [cut(`${key} ${value}`, MAX_WORD)]
  if (!Array.isArray(value)) return []
  return value.slice(0, MAX_VALUES).flatMap(item => (typeof item === 'string' ? shortValues(key, item) : []))
}

const kindOf = (step: unknown, kinds: readonly string[]): string | undefined =>
  isPlain(step) ? kinds.find(key => toWord(get(step, key)) !== '') : undefined

const isPlain = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The first values of an object under their keys. */
function values(object: unknown): readonly (readonly [key: string, value: unknown])[] {
  if (!isPlain(object)) return []
  return Object.keys(object as object)
    .slice(0, MAX_LOOKS)
    .map(key => [key, get(object, key)] as const)
}

const toWord = (value: unknown) => (typeof value === 'string' ? cut(value, MAX_WORD) : '')

/** The length of a list; 0 where a proxy claims an impossible one. */
export function lengthOf(list: unknown): number {
  const length = Array.isArray(list) ? list.length : 0
  return Number.isSafeInteger(length) ? Math.max(0, length) : 0
}

function get(value: unknown, key: string): unknown {
  return (value as Record<string, unknown> | null | undefined)?.[key]
}
