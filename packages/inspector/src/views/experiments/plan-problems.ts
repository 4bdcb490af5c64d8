import { findNodeAtLocation, type Node, type ParseError, parseTree } from 'jsonc-parser'
import { ApiError } from '../../api/api-error.ts'

/** What is wrong with a plan, and where in its text: from one UTF-16 unit up to another. */
export interface PlanProblem {
  readonly from: number
  readonly to: number
  readonly line: number
  /** `roles[0].tools[1]`; empty if the text is not valid JSON. */
  readonly place: string
  readonly problem: string
}

/** Reads the text of a plan. Invalid JSON is a problem at the place where parsing stops. */
export function readPlanText(
  text: string,
): { readonly plan: { readonly name: string } } | { readonly problem: PlanProblem } {
  try {
    const plan = JSON.parse(text) as unknown
    if (typeof plan === 'object' && plan !== null && !Array.isArray(plan))
      return { plan: plan as { readonly name: string } }
    return {
      problem: problemAt(text, { problem: 'A plan is an object: { "name": …, "roles": … }' }),
    }
  } catch (error) {
    const errors: ParseError[] = []
    readTree(text, errors)
    const from = errors[0]?.offset ?? text.length
    const problem = `This is no JSON: ${(error as Error).message}`
    return { problem: problemAt(text, { from, to: from + 1, problem }) }
  }
}

/** The problems that the server found, each at its place in the text. */
export function problemsOf(error: Error, text: string): readonly PlanProblem[] {
  if (!(error instanceof ApiError)) return []
  const { field, problems = [], message } = error
  const all =
    problems.length > 0
      ? problems
      : field?.startsWith('plan')
        ? [message.replace(/^plan\.?/, '')]
        : []
  const tree = readTree(text)
  return all.map(one => {
    const split = one.indexOf(': ')
    const place = split < 0 ? '' : one.slice(0, split).replace(/ \(".*$/s, '')
    const { offset: from = 0, length = text.length } = nodeAt(tree, place) ?? {}
    return problemAt(text, {
      from,
      to: from + length,
      place,
      problem: one.slice(split < 0 ? 0 : split + 2),
    })
  })
}

/** JSON of thousands of levels is too deep for the parser: its problems are shown at the start of the text. */
function readTree(text: string, errors: ParseError[] = []): Node | undefined {
  try {
    return parseTree(text, errors, { disallowComments: true })
  } catch {
    return undefined
  }
}

/** The value at a place such as `roles[0].tools[1]`, or the innermost one around it: a field may be missing. */
function nodeAt(tree: Node | undefined, place: string): Node | undefined {
  let node = tree
  for (const [name, index] of place.matchAll(/\[(\d+)\]|[^.[\]]+/g)) {
    const inner = node && findNodeAtLocation(node, [index === undefined ? name : Number(index)])
    if (!inner) return node
    node = inner
  }
  return node
}

function problemAt(
  text: string,
  {
    from = 0,
    to = text.length,
    place = '',
    problem,
  }: Partial<PlanProblem> & { readonly problem: string },
): PlanProblem {
  return { from, to, place, problem, line: text.slice(0, from).split('\n').length }
}
