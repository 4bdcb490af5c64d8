import { ApiError } from '../../api/api-error.ts'
import { breakOf, lineOf, locateJson, type Stretch, toPath } from './locate-json.ts'

/** What is wrong with a plan, and where in its text. */
export interface PlanProblem extends Stretch {
  readonly line: number
  /** `roles[0].tools[1]`; empty where the text is no JSON. */
  readonly place: string
  readonly problem: string
}

/** Reads the text of a plan; a text that is no JSON has a problem where it breaks off. */
export function readPlanText(
  text: string,
): { readonly plan: { readonly name: string } } | { readonly problem: PlanProblem } {
  try {
    const plan = JSON.parse(text) as unknown
    if (typeof plan === 'object' && plan !== null && !Array.isArray(plan))
      return { plan: plan as { readonly name: string } }
    return {
      problem: at(text, '', { from: 0, to: text.length }, 'A plan is an object: { "name": …, "roles": … }'),
    }
  } catch (error) {
    const from = breakOf(text)
    const problem = `This is no JSON: ${(error as Error).message}`
    return { problem: at(text, '', { from, to: from + 1 }, problem) }
  }
}

/** The problems that the server found, each at its place in the text. */
export function problemsOf(error: Error, text: string): readonly PlanProblem[] {
  if (!(error instanceof ApiError)) return []
  const { field, problems = [], message } = error
  const all =
    problems.length > 0 ? problems : field?.startsWith('plan') ? [message.replace(/^plan\.?/, '')] : []
  return all.map(one => {
    const split = one.indexOf(': ')
    const place = split < 0 ? '' : one.slice(0, split).replace(/ \(".*$/s, '')
    return at(text, place, locateJson(text, toPath(place)), split < 0 ? one : one.slice(split + 2))
  })
}

const at = (text: string, place: string, stretch: Stretch, problem: string): PlanProblem => ({
  ...{ ...stretch, place, problem },
  line: lineOf(text, stretch.from),
})
