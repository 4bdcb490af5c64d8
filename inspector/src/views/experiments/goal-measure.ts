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
  /** The left side as it is written: `cash - loan`. */
  readonly name: string
  readonly sign: Sign
  readonly left: (values: Values) => number | undefined
  readonly right: (values: Values) => number | undefined
  /** Whether the right side is a constant. */
  readonly isFixed: boolean
}

type Sign = '>=' | '>' | '<=' | '<' | '==' | '!='

interface Part {
  readonly read: (values: Values) => Value
  readonly share: (now: Values, start: Values) => number
  readonly sides?: Sides
  readonly isFixed: boolean
  readonly from: number
  readonly to: number
}

/** More than a person writes; what is longer is not measured. */
const mostCharacters = 2000
const deepest = 40

/**
 * Reads a goal, a CEL expression, as far as a progress bar needs it: numbers, texts, variables, arithmetic, comparisons,
 * `&&`, `||` and `!`. Undefined for anything else: the server tests goals, this only shows how near they are.
 */
export function measureGoal(expression: string): GoalMeasure | undefined {
  if (expression.length > mostCharacters) return undefined
  const tokens = tokenize(expression)
  if (!tokens) return undefined
  const parser = createParser(expression, tokens)
  try {
    return parser.whole()
  } catch (error) {
    if (error instanceof NotMeasured) return undefined
    throw error
  }
}

class NotMeasured extends Error {}

interface Token {
  readonly text: string
  readonly at: number
}

const token = /\s+|\d+(?:\.\d+)?|[A-Za-z_]\w*|"[^"\\]*"|'[^'\\]*'|&&|\|\||[<>=!]=|[-+*/<>!()]/y

function tokenize(text: string): readonly Token[] | undefined {
  const tokens: Token[] = []
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    const at = token.lastIndex
    const found = token.exec(text)?.[0]
    if (found === undefined) return undefined
    if (found.trim() !== '') tokens.push({ text: found, at })
  }
  return tokens
}

function createParser(source: string, tokens: readonly Token[]) {
  let place = 0
  let depth = 0
  const peek = () => tokens[place]?.text

  function take(...wanted: readonly string[]): string | undefined {
    const found = peek()
    if (found === undefined || !wanted.includes(found)) return undefined
    place += 1
    return found
  }

  /** A part over its tokens, by how its value is read; its share is 1 if the value is true. */
  function part(
    from: number,
    read: Part['read'],
    more: Partial<Pick<Part, 'share' | 'sides' | 'isFixed'>>,
  ): Part {
    return { read, share: now => (read(now) === true ? 1 : 0), isFixed: false, from, to: place, ...more }
  }

  function joined(sign: '||' | '&&', inner: () => Part): Part {
    const from = place
    const parts = [inner()]
    while (take(sign)) parts.push(inner())
    if (parts.length === 1) return parts[0]!
    const pick = sign === '&&' ? Math.min : Math.max
    return part(from, () => undefined, {
      share: (now, start) =>
        parts.map(one => one.share(now, start)).reduce((before, share) => pick(before, share)),
    })
  }

  const either = (): Part => joined('||', () => joined('&&', comparison))

  function comparison(): Part {
    const from = place
    const left = sum()
    const sign = take('>=', '<=', '==', '!=', '>', '<') as Sign | undefined
    if (!sign) return left
    const right = sum()
    const sides: Sides = {
      name: source.slice(tokens[left.from]?.at, endOf(tokens[left.to - 1])),
      sign,
      left: values => numberOf(left.read(values)),
      right: values => numberOf(right.read(values)),
      isFixed: right.isFixed,
    }
    return part(from, values => holds(sign, left.read(values), right.read(values)), {
      sides,
      share: (now, start) => shareOf(sides, left, right, now, start),
    })
  }

  function arithmetic(signs: readonly string[], inner: () => Part): Part {
    const from = place
    let left = inner()
    for (let sign = take(...signs); sign; sign = take(...signs)) {
      const [before, after] = [left, inner()]
      const work = works[sign]!
      left = part(
        from,
        values => {
          const [a, b] = [numberOf(before.read(values)), numberOf(after.read(values))]
          return a === undefined || b === undefined ? undefined : work(a, b)
        },
        { isFixed: before.isFixed && after.isFixed },
      )
    }
    return left
  }

  const sum = (): Part => arithmetic(['+', '-'], () => arithmetic(['*', '/'], single))

  function single(): Part {
    const from = place
    if (++depth > deepest) throw new NotMeasured()
    try {
      if (take('(')) {
        const inner = either()
        if (!take(')')) throw new NotMeasured()
        return { ...inner, from, to: place }
      }
      if (take('!')) {
        const inner = single()
        return part(
          from,
          values => (typeof inner.read(values) === 'boolean' ? !inner.read(values) : false),
          {},
        )
      }
      if (take('-')) {
        const inner = single()
        const { isFixed } = inner
        return part(from, values => negated(numberOf(inner.read(values))), { isFixed })
      }
      return word(from)
    } finally {
      depth -= 1
    }
  }

  function word(from: number): Part {
    const text = peek() ?? ''
    place += 1
    if (/^\d/.test(text)) return part(from, () => Number(text), { isFixed: true })
    if (/^["']/.test(text)) return part(from, () => text.slice(1, -1), { isFixed: true })
    if (text === 'true' || text === 'false') return part(from, () => text === 'true', { isFixed: true })
    // A function is not measured.
    if (!/^[A-Za-z_]/.test(text) || peek() === '(') throw new NotMeasured()
    return part(from, values => plain(Object.hasOwn(values, text) ? values[text] : undefined), {})
  }

  return {
    whole(): GoalMeasure {
      const { share, sides } = either()
      if (place < tokens.length) throw new NotMeasured()
      return { share, ...(sides && { sides }) }
    },
  }
}

const endOf = (one: Token | undefined) => (one ? one.at + one.text.length : 0)

const works: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
}

const numberOf = (value: Value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined)
const negated = (value: number | undefined) => (value === undefined ? undefined : -value)
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
function shareOf({ sign }: Sides, left: Part, right: Part, now: Values, start: Values): number {
  if (holds(sign, left.read(now), right.read(now))) return 1
  const gap = (values: Values) => {
    const [a, b] = [numberOf(left.read(values)), numberOf(right.read(values))]
    if (a === undefined || b === undefined || sign === '!=') return undefined
    return sign === '==' ? Math.abs(a - b) : sign.startsWith('>') ? b - a : a - b
  }
  const [missing, first] = [gap(now), gap(start)]
  if (missing === undefined || first === undefined || first <= 0) return 0
  return Math.min(0.99, Math.max(0, 1 - missing / first))
}
