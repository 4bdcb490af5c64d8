import type { ExperimentAnswer } from '../../api/experiment-queries.ts'
import type { GoalMeasure, Sides, Values } from './goal-measure.ts'

/** The values of one row of the board over the steps. */
export interface Series {
  readonly name: string
  /** The type of the variable, or `goal`. */
  readonly type: string
  /** By step, from 0 (before the first). */
  readonly values: readonly unknown[]
  /** The value in the step that is not over, if it is known. */
  readonly now?: unknown
  readonly isNumeric: boolean
  /** A line that a goal wants it to reach. */
  readonly target?: number | undefined
}

/** The rows of the board: what goals compare, then each variable. */
export function seriesOf(
  { variables, snapshots, environment, steps }: ExperimentAnswer,
  measures: readonly (GoalMeasure | undefined)[],
  isOpen: boolean,
): readonly Series[] {
  const series = (name: string, type: string, read: (values: Values) => unknown): Series => {
    const values: unknown[] = []
    for (const { step, environment } of snapshots) values[step] = read(environment)
    const isNumeric = type === 'int' || type === 'float' || type === 'goal'
    return {
      name,
      type,
      values,
      isNumeric,
      ...(isOpen && snapshots.length > steps && { now: read(environment) }),
    }
  }
  const sides = measures.flatMap(measure => (measure?.sides ? [measure.sides] : []))
  const targets = new Map(sides.filter(isPlain(variables)).map(one => [one.name, one.right({})]))
  const compared = sides.filter(one => !Object.hasOwn(variables, one.name) && one.isFixed)
  return [
    ...compared.map(one => ({ ...series(one.name, 'goal', one.left), target: one.right({}) })),
    ...Object.entries(variables).map(([name, type]) => ({
      ...series(name, type, values => values[name]),
      target: targets.get(name),
    })),
  ]
}

const isPlain = (variables: Readonly<Record<string, string>>) => (one: Sides) =>
  one.isFixed && Object.hasOwn(variables, one.name)

/** Equal values in a row: the bands of what is no number. */
export interface Run {
  readonly first: number
  readonly last: number
  readonly text: string
}

export function runsOf(values: readonly unknown[], first: number, last: number): readonly Run[] {
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
