import { regexpSteps } from './regexp-steps.ts'

/**
 * Does the work and counts what the language's own functions look at meanwhile: the characters and items that they search,
 * compare or copy, and the steps of patterns. Copies by `{ ...object }` and texts that are joined by `+` are not seen.
 */
export function countNatives(work: () => unknown): number {
  steps = 0
  for (const { owner, name, counting } of wrapped) Object.defineProperty(owner, name, counting)
  try {
    work()
  } finally {
    for (const { owner, name, original } of wrapped) Object.defineProperty(owner, name, original)
  }
  return steps
}

let steps = 0

type Native = (this: unknown, ...given: unknown[]) => unknown

interface Wrapped {
  readonly owner: object
  readonly name: string | symbol
  readonly original: PropertyDescriptor
  readonly counting: PropertyDescriptor
}

function wrap(owner: object, name: string | symbol, around: (native: Native) => Native): Wrapped {
  const original = Object.getOwnPropertyDescriptor(owner, name)!
  return { owner, name, original, counting: { ...original, value: around(original.value) } }
}

interface Sized {
  readonly length: number
}
type Cost = (self: Sized, result: unknown, given: readonly unknown[]) => number

const ofSelf: Cost = self => self.length
const ofResult: Cost = (_, result) => (result as Sized | undefined)?.length ?? 0
const ofGiven: Cost = (_self, _result, [given]) =>
  (given as Partial<Sized> | undefined)?.length ?? 0
const trimmed: Cost = (self, result) => self.length - (result as string).length
const spliced: Cost = (self, removed, [start]) =>
  (removed as Sized).length + Math.max(0, self.length - Number(start))
/** From where the search begins to what it finds, or to the end. */
const forwards: Cost = (self, found, [, from]) =>
  (Number(found) < 0 ? self.length : Number(found)) - Number(from ?? 0)
const backwards: Cost = (self, found, [, from]) =>
  Number(from ?? self.length) - Math.max(0, Number(found))
const included: Cost = (self, isFound, [what, from]) => {
  const place = isFound
    ? (self as unknown[] | string).indexOf(what as string, Number(from ?? 0))
    : -1
  return forwards(self, place, [what, from])
}
const assigned: Cost = (_self, _result, [, ...sources]) =>
  sources.reduce<number>((sum, one) => sum + Object.keys(one ?? {}).length, 0)

const walks: readonly (readonly [owner: object, names: string, cost: Cost])[] = [
  [String.prototype, 'indexOf', forwards],
  [String.prototype, 'lastIndexOf', backwards],
  [String.prototype, 'includes', included],
  [String.prototype, 'startsWith endsWith localeCompare', ofGiven],
  [String.prototype, 'trim trimStart trimEnd', trimmed],
  [String.prototype, 'split isWellFormed toWellFormed normalize', ofSelf],
  [
    String.prototype,
    'toLowerCase toUpperCase toLocaleLowerCase repeat padStart padEnd concat',
    ofResult,
  ],
  [Array.prototype, 'indexOf', forwards],
  [Array.prototype, 'lastIndexOf', backwards],
  [Array.prototype, 'includes', included],
  [Array.prototype, 'shift unshift reverse sort join fill map filter', ofSelf],
  [Array.prototype, 'slice concat flat toSorted toReversed toSpliced with', ofResult],
  [Array.prototype, 'splice', spliced],
  [Object.getPrototypeOf(Uint8Array.prototype), 'fill indexOf join sort', ofSelf],
  [Object.getPrototypeOf(Uint8Array.prototype), 'slice', ofResult],
  [Object.getPrototypeOf(Uint8Array.prototype), 'set', ofGiven],
  [Array, 'from', ofResult],
  [Object, 'keys values entries getOwnPropertyNames', ofResult],
  [Object, 'assign', assigned],
  [JSON, 'parse', ofGiven],
  [JSON, 'stringify', ofResult],
  [TextEncoder.prototype, 'encode', ofResult],
]

/** Iterators are counted item by item: most loops end early. */
const iterators: readonly (readonly [owner: object, names: readonly (string | symbol)[]])[] = [
  [String.prototype, [Symbol.iterator]],
  [Array.prototype, [Symbol.iterator, 'values', 'keys', 'entries']],
  [Map.prototype, [Symbol.iterator, 'values', 'keys', 'entries']],
  [Set.prototype, [Symbol.iterator, 'values', 'keys', 'entries']],
]

/** What the counting itself uses is not counted. */
let isCounting = false

function uncounted<Result>(count: () => Result): Result {
  isCounting = true
  try {
    return count()
  } finally {
    isCounting = false
  }
}

const countWalk =
  (cost: Cost) =>
  (native: Native): Native =>
    function (...given) {
      const result = Reflect.apply(native, this, given)
      if (!isCounting) steps += 1 + uncounted(() => Math.max(0, cost(this as Sized, result, given)))
      return result
    }

const countItems = (native: Native): Native =>
  function () {
    const iterator = Reflect.apply(native, this, []) as Iterator<unknown>
    if (isCounting) return iterator
    const next = iterator.next
    iterator.next = () => {
      steps += 1
      return Reflect.apply(next, iterator, [])
    }
    return iterator
  }

const countPattern = (native: Native): Native =>
  function (given) {
    const pattern = this as RegExp
    if (isCounting) return Reflect.apply(native, pattern, [given])
    const start = pattern.global || pattern.sticky ? pattern.lastIndex : 0
    const found = Reflect.apply(native, pattern, [given]) as RegExpExecArray | null
    const match = uncounted(() => regexpSteps(pattern, String(given), start))
    const to = found === null ? undefined : found.index + found[0].length
    if (match.from !== found?.index || match.to !== to)
      throw new Error(
        `The steps of ${pattern} cannot be counted: it matches from ${found?.index} to ${to} in ${JSON.stringify(given)}, the counting matcher says from ${match.from} to ${match.to}.`,
      )
    steps += 1 + match.steps
    return found
  }

const wrapped: readonly Wrapped[] = [
  ...walks.flatMap(([owner, names, cost]) =>
    names
      .split(' ')
      .filter(name => name in owner)
      .map(name => wrap(owner, name, countWalk(cost))),
  ),
  ...iterators.flatMap(([owner, names]) => names.map(name => wrap(owner, name, countItems))),
  wrap(RegExp.prototype, 'exec', countPattern),
]
