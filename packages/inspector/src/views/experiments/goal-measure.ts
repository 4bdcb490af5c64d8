import { type ASTNode, type ASTOperator, parse, serialize } from '@marcbachmann/cel-js'

type GoalValue = number | string | boolean | undefined
export type Values = Readonly<Record<string, unknown>>

/** How far a goal is, for what can be measured: comparisons of variables with each other or with constants. */
export interface GoalMeasure {
  /** From 0 (as at the start, or farther away) to 1 (it holds). */
  share(now: Values, start: Values): number
  readonly sides?: GoalSides | undefined
}

/** By the place of the goal; undefined for goals that cannot be measured. */
export type Measures = readonly (GoalMeasure | undefined)[]

export type GoalSides = NonNullable<ReturnType<typeof sidesOf>>

const signs = ['>=', '>', '<=', '<', '==', '!='] as const

/** More than a person writes: a longer goal is not measured. */
const mostCharacters = 2000

/** Reads a goal, in CEL, as far as a bar needs it; else undefined. The server tests goals, this shows how near they are. */
export function measureGoal(expression: string): GoalMeasure | undefined {
  if (expression.length > mostCharacters) return undefined
  try {
    return measureNode(parse(expression).ast)
  } catch {
    // Not valid CEL, or it has parts that are not measured.
    return undefined
  }
}

/** "and" takes the smaller share of its sides, "or" the larger one. Other expressions are reached or not. */
function measureNode(node: ASTNode): GoalMeasure {
  if (node.op === '&&' || node.op === '||') {
    const pick = node.op === '&&' ? Math.min : Math.max
    const [first, second] = [measureNode(node.args[0]), measureNode(node.args[1])]
    return { share: (now, start) => pick(first.share(now, start), second.share(now, start)) }
  }
  const read = readerOf(node)
  const sides = sidesOf(node)
  return {
    sides,
    share: (now, start) => (read(now) === true ? 1 : sides ? shareOf(sides, now, start) : 0),
  }
}

function sidesOf({ op, args }: ASTNode) {
  const sign = signs.find(one => one === op)
  if (!sign) return undefined
  const [first, second] = args as readonly [ASTNode, ASTNode]
  const [left, right] = [numberReader(first), numberReader(second)]
  return {
    /** The left side: `cash - loan`. */
    name: serialize(first),
    ...{ sign, left, right },
    /** Whether the right side is a constant. */
    isFixed: right({}) !== undefined,
  }
}

/** Evaluates an expression. Missing variables, and numbers that are none, give undefined. */
function readerOf(node: ASTNode): (values: Values) => GoalValue {
  switch (node.op) {
    case 'value': {
      const value = plain(typeof node.args === 'bigint' ? Number(node.args) : node.args)
      return () => value
    }
    case 'id': {
      const name = node.args
      return values => plain(Object.hasOwn(values, name) ? values[name] : undefined)
    }
    case '!_': {
      const read = readerOf(node.args)
      return values => read(values) === false
    }
    case '-_': {
      const read = numberReader(node.args)
      return values => operators['-']!(0, read(values) ?? Number.NaN)
    }
    case '==':
    case '!=': {
      const [left, right] = [readerOf(node.args[0]), readerOf(node.args[1])]
      const isEqual = node.op === '=='
      return values => {
        const [a, b] = [left(values), right(values)]
        return a !== undefined && b !== undefined && (a === b) === isEqual
      }
    }
    default: {
      const operate = operators[node.op]
      if (!operate) throw new TypeError(`"${node.op}" is not measured`)
      const [left, right] = (node.args as readonly ASTNode[]).map(numberReader)
      return values => operate(left!(values) ?? Number.NaN, right!(values) ?? Number.NaN)
    }
  }
}

/** Operators on numbers. CEL itself does not mix whole numbers with others, but goals may. */
const operators: { readonly [Sign in ASTOperator]?: (a: number, b: number) => number | boolean } = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '>=': (a, b) => a >= b,
  '>': (a, b) => a > b,
  '<=': (a, b) => a <= b,
  '<': (a, b) => a < b,
}

function numberReader(node: ASTNode): (values: Values) => number | undefined {
  const read = readerOf(node)
  return values => {
    const value = read(values)
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined
  }
}

const plain = (value: unknown): GoalValue =>
  ['number', 'string', 'boolean'].includes(typeof value) ? (value as GoalValue) : undefined

/** How much of the way from the start is done. Numbers can be near; anything else holds or not. */
function shareOf({ sign, left, right }: GoalSides, now: Values, start: Values): number {
  const gap = (values: Values) => {
    const [a, b] = [left(values), right(values)]
    if (a === undefined || b === undefined || sign === '!=') return undefined
    return sign === '==' ? Math.abs(a - b) : sign.startsWith('>') ? b - a : a - b
  }
  const [missing, first] = [gap(now), gap(start)]
  if (missing === undefined || first === undefined || first <= 0) return 0
  return Math.min(0.99, Math.max(0, 1 - missing / first))
}
