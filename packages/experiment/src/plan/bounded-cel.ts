import type { Environment as Cel } from '@marcbachmann/cel-js'
import { RE2JS } from 're2js'
import { ExperimentError } from '../experiment-error.ts'

/** The most steps of one test of a goal: well under a second. */
const mostSteps = 1_000_000

/** A parsed part of an expression. The args of `text.matches(pattern)` are `['matches', text, [pattern]]`. */
interface Node {
  readonly op: string
  readonly args: unknown
  evaluate(evaluator: Evaluator, node: Node, context: unknown): unknown
}

/** The library's evaluator: it evaluates each part of an expression through `run`. */
interface Evaluator {
  run(node: Node, context: unknown): unknown
}

/** Evaluates expressions of untrusted authors: counts steps and sizes, and matches patterns in linear time (RE2). */
export function boundedCel(cel: Cel) {
  let steps = 0
  const count = (more: number) => {
    steps += more
    if (steps <= mostSteps) return
    const most = mostSteps.toLocaleString('en-US')
    const problem = `it takes more than ${most} steps: use fewer loops, or shorter lists and texts`
    throw new ExperimentError('goal_too_long', problem)
  }
  const evaluator = evaluatorOf(cel)
  evaluator.run = (node, context) => {
    count(1)
    const [pattern] = argumentsOf(node, 'rcall', 'matches')
    const value = pattern ? matches(node, pattern, context) : evaluate(node, context)
    count(sizeOf(value))
    return value
  }
  const evaluate = (node: Node, context: unknown) => {
    const [duration] = argumentsOf(node, 'call', 'duration')
    if (duration) checkDuration(evaluator.run(duration, context))
    return node.evaluate(evaluator, node, context)
  }
  const matches = (node: Node, pattern: Node, context: unknown) => {
    const text = String(evaluator.run((node.args as readonly Node[])[1]!, context))
    const regex = toPattern(String(evaluator.run(pattern, context)))
    count((text.length * regex.programSize()) / 100)
    return regex.test(text)
  }
  /** Makes a test of an expression that was checked before. */
  return (expression: string) => {
    const parsed = cel.parse(expression)
    parsed.check()
    const root = parsed.ast as unknown as Node
    const entry = withRoot(cel, (_, __, context) => evaluator.run(root, context))
    return (values: Record<string, unknown>): unknown => {
      steps = 0
      const value = entry(values)
      // `||` and `exists` swallow errors, so the limit is checked again here.
      count(0)
      return value
    }
  }
}

/** Finds an invalid pattern among the literals of an expression. */
export function findPatternProblem(cel: Cel, expression: string): string | undefined {
  for (const node of nodesOf(cel.parse(expression).ast)) {
    const [pattern] = argumentsOf(node, 'rcall', 'matches')
    if (pattern?.op !== 'value' || typeof pattern.args !== 'string') continue
    try {
      toPattern(pattern.args)
    } catch (error) {
      return (error as Error).message
    }
  }
  return undefined
}

/** Gets the library's evaluator, which it passes to the root of an expression. */
function evaluatorOf(cel: Cel): Evaluator {
  let captured: Evaluator | undefined
  withRoot(cel, evaluator => {
    captured = evaluator
    return true
  })()
  return captured!
}

function withRoot(cel: Cel, evaluate: Node['evaluate']): ReturnType<Cel['parse']> {
  const expression = cel.parse('true')
  Object.assign(expression.ast, { evaluate })
  return expression
}

function argumentsOf({ op, args }: Node, kind: 'call' | 'rcall', name: string): readonly Node[] {
  if (op !== kind) return []
  const [called, ...rest] = args as readonly unknown[]
  return called === name ? (rest.at(-1) as readonly Node[]) : []
}

function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const one of value) yield* nodesOf(one)
  const node = value as Node | null
  if (typeof node !== 'object' || typeof node?.op !== 'string') return
  yield node
  yield* nodesOf(node.args)
}

function toPattern(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    const problem = `the pattern ${JSON.stringify(pattern.slice(0, 100))} cannot be used: ${(error as Error).message}`
    throw new ExperimentError('invalid_goal', problem, { cause: error })
  }
}

/** Refuses long durations: the library's parser needs quadratic time for them. */
function checkDuration(text: unknown): void {
  if (typeof text === 'string' && text.length > 100)
    throw new ExperimentError(
      'invalid_goal',
      `a duration has at most 100 characters, got ${text.length}`,
    )
}

/** The size of a value in steps: a text is copied and compared faster than a list. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length / 1000
  return Array.isArray(value) ? value.length / 10 : 0
}
