import board from './board.module.css'
import styles from './plot-row.module.css'
import { type Run, runsOf, type Series, shownValue, type Target } from './series.ts'
import type { Columns } from './use-columns.ts'

export interface VariableRowProps {
  readonly series: Series
  readonly columns: Columns
  readonly step: number
  /** Whether the last step is not over. */
  readonly isOpen: boolean
  readonly onPick: (event: React.MouseEvent<HTMLElement>) => void
}

/** A variable over the steps: a number as a line, anything else as bands. */
export function VariableRow(props: VariableRowProps) {
  const { series, columns, step, onPick } = props
  const { name, type, values, now, isNumeric, targets } = series
  const value = step < values.length ? values[step] : (now ?? values.at(-1))
  const label = `${name}: ${shownValue(value)} in step ${step}`
  return (
    <div className={`grid line-above ${styles.row}`} data-goal={type === 'goal' && endOf(targets)}>
      <div className={styles.lead} title={name}>
        <b className={board.name}>{name}</b> <span className={styles.type}>{shortType(type)}</span>
        <span className={`cut block ${styles.value}`}>{shownValue(value)}</span>
      </div>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys choose a step from anywhere on the board */}
      <div
        className={styles.plot}
        role="img"
        aria-label={isNumeric ? `${label}. ${rangeOf(series)}` : label}
        style={{ width: columns.count * columns.width }}
        onClick={onPick}
      >
        {isNumeric ? <Line {...props} /> : <Bands {...props} />}
      </div>
    </div>
  )
}

/** An enum is named without its words: they stand in the bands. */
const shortType = (type: string) => (type.startsWith('enum:') ? 'enum' : type)

/** How the experiment ends where a line is reached: lines of goals that it wants are green, others red. */
const endOf = (targets: readonly Target[]) =>
  targets.every(({ isFailure }) => isFailure) ? 'failed' : 'completed'

/** A value that must be passed, not only reached. */
const beside: Partial<Record<Target['sign'], string>> = { '>': ' above', '<': ' below' }

const height = { goal: 100, variable: 52 } as const
const pad = 10

function Line({ series, columns, isOpen }: VariableRowProps) {
  const { values, now, targets } = series
  const { width, count } = columns
  const tall = targets.length > 0 ? height.goal : height.variable
  const known = [...values.slice(1), ...(isOpen ? [now] : [])].filter(isNumber)
  const [low, high] = spanOf([...known, ...targets.map(({ value }) => value)])
  const x = (step: number) => (step - 0.5) * width
  const y = (value: number) =>
    high === low ? tall / 2 : tall - pad - ((value - low) / (high - low)) * (tall - 2 * pad)
  const points = values.flatMap((value, step) =>
    step > 0 && isNumber(value) ? [[x(step), y(value)] as const] : [],
  )
  const end = points.at(-1)
  const last = isOpen && isNumber(now) ? ([x(values.length), y(now)] as const) : undefined
  return (
    <svg width={count * width} height={tall} aria-hidden="true">
      {targets.map(({ value, sign, isFailure }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: goals may share a value
        <g key={at} data-goal={isFailure ? 'failed' : 'completed'}>
          <path className={styles.target} d={`M0 ${y(value)}H${count * width}`} />
          <text className={styles.targetName} x={count * width - 6} y={y(value) + (y(value) < 20 ? 14 : -5)}>
            {isFailure ? 'fails' : 'goal'}
            {beside[sign] ?? (isFailure ? ' at' : '')} {shownValue(value)}
          </text>
        </g>
      ))}
      <path
        className={styles.stroke}
        d={points.map(([a, b], at) => `${at === 0 ? 'M' : 'L'}${a} ${b}`).join('')}
      />
      {/* A stroke of no length is a dot: one element for all of them. */}
      <path className={styles.dots} d={points.map(([a, b]) => `M${a} ${b}h0`).join('')} />
      {last && end && <path className={styles.dotted} d={`M${end[0]} ${end[1]}L${last[0]} ${last[1]}`} />}
      {last && <circle className={styles.ring} cx={last[0]} cy={last[1]} r={3.5} />}
    </svg>
  )
}

function Bands({ series, columns, isOpen }: VariableRowProps) {
  const { values, now, type } = series
  const { first, last, width } = columns
  const all = isOpen && now !== undefined ? [...values, now] : values
  const tones = new Map<string, number>()
  return runsOf(all, first, last).map(run => (
    <span
      key={run.first}
      className={`absolute clear one-line on-press ${styles.band}`}
      data-tone={toneOf(run, type, tones)}
      data-open={isOpen && run.last >= values.length}
      style={{ left: (run.first - 1) * width, width: (run.last - run.first + 1) * width }}
      title={run.text}
    >
      <span>{run.text}</span>
    </span>
  ))
}

/** The words of an enum keep their tones; other texts change theirs with each value. */
function toneOf({ text }: Run, type: string, tones: Map<string, number>): string {
  if (type === 'bool') return text
  const words = /^enum:\[(.*)\]$/s.exec(type)?.[1]?.split(',')
  if (words)
    return String(
      Math.max(
        0,
        words.findIndex(word => word.trim() === text),
      ) % 4,
    )
  if (!tones.has(text)) tones.set(text, tones.size % 2)
  return String(tones.get(text))
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

function spanOf(values: readonly number[]): readonly [low: number, high: number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  return low <= high ? [low, high] : [0, 0]
}

function rangeOf({ values }: Series): string {
  const [low, high] = spanOf(values.filter(isNumber))
  return `Lowest ${shownValue(low)}, highest ${shownValue(high)}.`
}
