import type { ExperimentAnswer } from '../../api/experiment-queries.ts'
import type { GoalSides, Measures, Values } from './goal-measure.ts'

export type Series = ReturnType<typeof seriesOf>[number]

/** A value at which a goal ends the experiment. */
export type Target = Series['targets'][number]

/** The rows of the board: what goals compare, then each variable. */
export function seriesOf(
  { variables, snapshots, environment, steps, goals }: ExperimentAnswer,
  measures: Measures,
  isOpen: boolean,
) {
  const targets = new Map<
    string,
    { value: number; sign: GoalSides['sign']; isFailure: boolean }[]
  >()
  const compared = new Map<string, GoalSides>()
  for (const [at, measure] of measures.entries()) {
    const value = measure?.sides?.right({})
    if (!measure?.sides || value === undefined) continue
    const { name, sign } = measure.sides
    const target = { value, sign, isFailure: goals[at]?.outcome === 'failed' }
    const list = targets.get(name)
    if (list) list.push(target)
    else targets.set(name, [target])
    if (!Object.hasOwn(variables, name)) compared.set(name, measure.sides)
  }
  const series = (name: string, type: string, read: (values: Values) => unknown) => {
    /** By step, from 0 (before the first). */
    const values: unknown[] = []
    for (const { step, environment } of snapshots) values[step] = read(environment)
    const isNumeric = type === 'int' || type === 'float' || type === 'goal'
    /** The value in the step that is not over, if it is known. */
    const now = isOpen && snapshots.length > steps ? read(environment) : undefined
    return { name, type, values, isNumeric, targets: targets.get(name) ?? [], now }
  }
  return [
    ...[...compared.values()].map(({ name, left }) => series(name, 'goal', left)),
    ...Object.entries(variables).map(([name, type]) => series(name, type, values => values[name])),
  ]
}

/** Runs of equal values: the bands of variables that are not numbers. */
export function runsOf(values: readonly unknown[], first: number, last: number) {
  const runs: { first: number; last: number; text: string }[] = []
  for (let step = first; step <= last && step < values.length; step++) {
    const text = shownValue(values[step])
    const before = runs.at(-1)
    if (before?.text === text) before.last = step
    else runs.push({ first: step, last: step, text })
  }
  return runs
}

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })

/** A value of a variable as the page writes it. */
export function shownValue(value: unknown): string {
  if (typeof value === 'number') return number.format(value)
  if (typeof value === 'string') return value.slice(0, 200)
  return value === undefined ? '' : JSON.stringify(value).slice(0, 200)
}
