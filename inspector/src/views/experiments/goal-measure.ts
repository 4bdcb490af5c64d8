import { type ASTNode, parse, serialize } from '@marcbachmann/cel-js'

type Value = number | string | boolean | undefined
export type Values = Readonly<Record<string, unknown>>

/** How far a goal is, for what can be measured: comparisons of variables with each other or with constants. */
export interface GoalMeasure {
  /** From 0 (as at the start, or farther away) to 1 (it holds). */
  share(now: Values, start: Values): number
  /** The two sides, where the goal is one comparison of numbers. */
  readonly sides?: Sides
}

export interface Sides {
  /** The left side: `cash - loan`. */
  readonly name: string
  readonly sign: Sign
  readonly left: (values: Values) => number | undefined
  readonly right: (values: Values) => number | undefined
  /** Whether the right side is a constant. */
  readonly isFixed: boolean
}

type Sign = '>=' | '>' | '<=' | '<' | '==' | '!='

/** More than a person writes: a longer goal is not measured. */
const mostCharacters = 2000

/**
 * Reads a goal, a CEL expression, as far as a progress bar needs it: numbers, texts, variables, arithmetic, comparisons,
 * `&&`, `||` and `!`. Undefined for anything else: the server tests goals, this only shows how near they are.
 */
export function measureGoal(expression: string): GoalMeasure | undefined {
  if (expression.length > mostCharacters) return undefined
  try {
    const { share, sides } = measureNode(parse(expression).ast)
    return { share, ...(sides && { sides }) }
  } catch {
    // It is no CEL, or it holds what is not measured.
    return undefined
  }
}

/** One node of the expression, and all that is inside of it. */
interface Measured extends GoalMeasure {
  readonly read: (values: Values) => Value
  readonly isFixed: boolean
}

function measureNode(node: ASTNode): Measured {
  switch (node.op) {
    case 'value': {
      const value = plain(typeof node.args === 'bigint' ? Number(node.args) : node.args)
      return measured(() => value, true)
    }
    case 'id': {
      const name = node.args
      return measured(values => plain(Object.hasOwn(values, name) ? values[name] : undefined), false)
    }
    case '!_': {
      const { read, isFixed } = measureNode(node.args)
      return measured(values => read(values) === false, isFixed)
    }
    case '-_': {
      const { read, isFixed } = measureNode(node.args)
      return measured(values => compute('-', 0, read(values)), isFixed)
    }
    case '&&':
    case '||':
      return join(node.op === '&&' ? Math.min : Math.max, node.args.map(measureNode))
    case '+':
    case '-':
    case '*':
    case '/': {
      const [left, right] = [measureNode(node.args[0]), measureNode(node.args[1])]
      const { op } = node
      const isFixed = left.isFixed && right.isFixed
      return measured(values => compute(op, left.read(values), right.read(values)), isFixed)
    }
    case '>=':
    case '>':
    case '<=':
    case '<':
    case '==':
    case '!=':
      return compare(node.op, node.args)
    default:
      throw new TypeError(`"${node.op}" is not measured`)
  }
}

/** What is only true or false: it is wholly reached or not at all. */
const measured = (read: Measured['read'], isFixed: boolean): Measured => ({
  ...{ read, isFixed },
  share: now => (read(now) === true ? 1 : 0),
})

/** "and" is as far as its farther side, "or" as its nearer one. */
const join = (pick: (a: number, b: number) => number, sides: readonly Measured[]): Measured => ({
  ...measured(() => undefined, false),
  share: (now, start) => sides.map(one => one.share(now, start)).reduce((a, b) => pick(a, b)),
})

function compare(sign: Sign, [first, second]: readonly [ASTNode, ASTNode]): Measured {
  const [left, right] = [measureNode(first), measureNode(second)]
  const read = (values: Values) => holds(sign, left.read(values), right.read(values))
  const sides: Sides = {
    name: serialize(first),
    sign,
    left: values => numberOf(left.read(values)),
    right: values => numberOf(right.read(values)),
    isFixed: right.isFixed,
  }
  return {
    ...measured(read, false),
    sides,
    share: (now, start) => (read(now) ? 1 : shareOf(sides, now, start)),
  }
}

function compute(sign: '+' | '-' | '*' | '/', first: Value, second: Value): number | undefined {
  const [a, b] = [numberOf(first), numberOf(second)]
  if (a === undefined || b === undefined) return undefined
  return sign === '+' ? a + b : sign === '-' ? a - b : sign === '*' ? a * b : a / b
}

const numberOf = (value: Value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined)
const plain = (value: unknown): Value =>
  ['number', 'string', 'boolean'].includes(typeof value) ? (value as Value) : undefined

function holds(sign: Sign, a: Value, b: Value): boolean {
  if (a === undefined || b === undefined) return false
  if (sign === '==') return a === b
  if (sign === '!=') return a !== b
  if (typeof a !== 'number' || typeof b !== 'number') return false
  return sign === '>=' ? a >= b : sign === '>' ? a > b : sign === '<=' ? a <= b : a < b
}

/** How much of the way from the start is done. Numbers can be near; anything else holds or not. */
function shareOf({ sign, left, right }: Sides, now: Values, start: Values): number {
  const gap = (values: Values) => {
    const [a, b] = [left(values), right(values)]
    if (a === undefined || b === undefined || sign === '!=') return undefined
    return sign === '==' ? Math.abs(a - b) : sign.startsWith('>') ? b - a : a - b
  }
  const [missing, first] = [gap(now), gap(start)]
  if (missing === undefined || first === undefined || first <= 0) return 0
  return Math.min(0.99, Math.max(0, 1 - missing / first))
}
