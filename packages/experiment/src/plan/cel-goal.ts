import { Environment as CelEnvironment } from '@marcbachmann/cel-js'
import type { Declarations, Environment } from '../environment.ts'
import { boundedCel, findPatternProblem } from './bounded-cel.ts'
import type { Goal, GoalJson } from './plan-json.ts'

/** Parses and checks the CEL expressions of goals. Problems are listed with their places. */
export function compileGoals(goals: readonly GoalJson[], declarations: Declarations) {
  const problems: string[] = []
  const { cel, unusable } = celFor(declarations)
  const compile = boundedCel(cel)
  const integers = Object.keys(declarations).filter(name => declarations[name]!.type === 'int')
  const compiled: Goal[] = []
  for (const [at, { description, holds, outcome }] of goals.entries()) {
    const problem = findProblem(cel, holds, unusable)
    if (problem !== undefined) {
      problems.push(`goals[${at}].holds ("${description}"): ${problem}`)
      continue
    }
    const test = compile(holds)
    const isMet = (environment: Environment) => test(toCel(environment, integers)) === true
    compiled.push({ description, holds: isMet, outcome })
  }
  return { goals: compiled, problems }
}

function findProblem(cel: CelEnvironment, expression: string, unusable: ReadonlySet<string>) {
  if (expression.length > mostCharacters)
    return `it has ${expression.length} characters, ${mostCharacters} are allowed`
  const taken = findTaken(expression, unusable)
  if (taken !== undefined)
    return `the variable "${taken}" cannot be used: ${taken} is a word of CEL, so give it another name`
  const { valid, type, error } = cel.check(expression)
  if (!valid) return error?.message.split('\n', 1)[0] ?? 'it cannot be read'
  // A value from an object has a type only when it is evaluated.
  if (type !== 'bool' && type !== 'dyn') return `expected true or false, it gives ${type}`
  return findPatternProblem(cel, expression)
}

const mostCharacters = 10_000

/** Finds an unusable name where a variable is meant: not a field, not a function. */
function findTaken(expression: string, unusable: ReadonlySet<string>): string | undefined {
  const names = expression.replace(texts, '""').match(/(?<![.\w])[A-Za-z_]\w*(?!\w|\s*\()/g) ?? []
  return names.find(name => unusable.has(name))
}

/** String literals and comments, which name no variables. An unclosed one matches to the end, for linear time. */
const texts = /"(?:[^"\\]|\\.?)*(?:"|$)|'(?:[^'\\]|\\.?)*(?:'|$)|\/\/[^\n]*/gs

function celFor(declarations: Declarations) {
  let cel = new CelEnvironment()
  /** Variables whose names mean something else in CEL. */
  const unusable = new Set<string>()
  for (const [name, { type }] of Object.entries(declarations)) {
    // Tools can use variables of other names, goals cannot.
    if (!/^[A-Za-z_]\w*$/.test(name)) continue
    try {
      cel = cel.registerVariable(name, celTypes[type] ?? 'string')
    } catch {
      unusable.add(name)
    }
  }
  for (const [sign, work] of Object.entries(mixed)) {
    cel = cel.registerOperator(`double ${sign} int`, (a: number, b: bigint) => work(a, Number(b)))
    cel = cel.registerOperator(`int ${sign} double`, (a: bigint, b: number) => work(Number(a), b))
  }
  // The library derives `!=` and the swapped operands from it.
  const isEqual = (a: number | bigint, b: number | bigint) => Number(a) === Number(b)
  return { cel: cel.registerOperator('double == int', isEqual), unusable }
}

/** Operators on int and double, which CEL itself does not mix: authors of goals expect `cash + lemons * 2` to work. */
const mixed: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
}

const celTypes: Readonly<Record<string, string>> = {
  ...{ string: 'string', int: 'int', float: 'double', bool: 'bool', array: 'list', object: 'map' },
}

function toCel(environment: Environment, integers: readonly string[]): Record<string, unknown> {
  const values: Record<string, unknown> = { ...environment }
  for (const name of integers) values[name] = BigInt(values[name] as number)
  return values
}
