import { count } from '../../parts/format.ts'
import type { PlotPoint, ValueRange } from '../../parts/plot.ts'
import { dotsPath, linearScale, linePath, moveApart } from '../../parts/plot.ts'
import board from './board.module.css'
import { type BoardState, stepsIn } from './board-state.ts'
import { largestCall } from './describe-act.ts'
import styles from './plot-rows.module.css'
import { runsOf, type Series, shownValue, type Target } from './series.ts'

export interface PlotRowProps {
  readonly board: BoardState
  readonly goal?: 'completed' | 'failed' | undefined
  /** What stands before the plot, and what that says on hover. */
  readonly lead: React.ReactNode
  readonly title?: string
  readonly label: string
  readonly children: React.ReactNode
}

/** A plot over the steps of the board. A click chooses a step. */
export function PlotRow({
  board: { columns, moveTo },
  goal,
  lead,
  title,
  label,
  children,
}: PlotRowProps) {
  const { count, width } = columns
  return (
    <div className={`grid line-above ${styles.row}`} data-goal={goal}>
      <div className={styles.lead} title={title}>
        {lead}
      </div>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys choose a step from anywhere on the board */}
      <div
        className={styles.plot}
        role="img"
        aria-label={label}
        style={{ width: count * width }}
        onClick={event => {
          const { left } = event.currentTarget.getBoundingClientRect()
          moveTo(Math.floor((event.clientX - left) / width) + 1)
        }}
      >
        {children}
      </div>
    </div>
  )
}

interface VariableRowProps {
  readonly series: Series
  readonly board: BoardState
}

/** A variable over the steps: a number as a line, anything else as bands. */
export function VariableRow(props: VariableRowProps) {
  const { name, type, values, now, isNumeric, targets } = props.series
  const { step } = props.board.selected
  const value = shownValue(step < values.length ? values[step] : (now ?? values.at(-1)))
  const label = `${name}: ${value} in step ${step}`
  return (
    <PlotRow
      board={props.board}
      goal={type === 'goal' ? endOf(targets) : undefined}
      title={name}
      label={isNumeric ? `${label}. ${rangeOf(props.series)}` : label}
      lead={
        <>
          <b className={board.name}>{name}</b>{' '}
          <span className={styles.type}>{shortType(type)}</span>
          <span className={`cut block ${styles.value}`}>{value}</span>
        </>
      }
    >
      {isNumeric ? <Line {...props} /> : <Bands {...props} />}
    </PlotRow>
  )
}

/** An enum is named without its words: they stand in the bands. */
const shortType = (type: string) => (type.startsWith('enum:') ? 'enum' : type)

/** How the experiment ends where a line is reached: lines of goals that it wants are green, others red. */
const endOf = (targets: readonly Target[]) =>
  targets.every(({ isFailure }) => isFailure) ? 'failed' : 'completed'

/** A value that must be passed, not only reached. */
const beside: Partial<Record<Target['sign'], string>> = { '>': ' above', '<': ' below' }

const height = { goal: 100, variable: 52, memory: 112 } as const
const pad = { line: 10, memory: 14 } as const

function Line({ series: { values, now, targets }, board: { columns, isOpen } }: VariableRowProps) {
  const { width, count } = columns
  const tall = targets.length > 0 ? height.goal : height.variable
  const numbers = [...values.slice(1), ...(isOpen ? [now] : [])].filter(isNumber)
  const span = spanOf([...numbers, ...targets.map(({ value }) => value)])
  const x = (step: number) => (step - 0.5) * width
  const y = linearScale(span, [tall - pad.line, pad.line])
  const points = values.flatMap((value, step): PlotPoint[] =>
    step > 0 && isNumber(value) ? [[x(step), y(value)]] : [],
  )
  const end = points.at(-1)
  const last: PlotPoint | undefined =
    isOpen && isNumber(now) ? [x(values.length), y(now)] : undefined
  return (
    <svg width={count * width} height={tall} aria-hidden="true">
      {targets.map(({ value, sign, isFailure }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: goals may share a value
        <g key={at} data-goal={isFailure ? 'failed' : 'completed'}>
          <path className={styles.target} d={`M0 ${y(value)}H${count * width}`} />
          <text
            className={styles.targetName}
            x={count * width - 6}
            y={y(value) + (y(value) < 20 ? 14 : -5)}
          >
            {isFailure ? 'fails' : 'goal'}
            {beside[sign] ?? (isFailure ? ' at' : '')} {shownValue(value)}
          </text>
        </g>
      ))}
      <path className={styles.stroke} d={linePath(points)} />
      <path className={styles.dots} d={dotsPath(points)} />
      {last && end && <path className={styles.dotted} d={linePath([end, last])} />}
      {last && <circle className={styles.ring} cx={last[0]} cy={last[1]} r={3.5} />}
    </svg>
  )
}

function Bands({ series: { values, now, type }, board: { columns, isOpen } }: VariableRowProps) {
  const { first, last, width } = columns
  const all = isOpen && now !== undefined ? [...values, now] : values
  const tones = new Map<string, number>()
  return runsOf(all, first, last).map(run => (
    <span
      key={run.first}
      className={`absolute clear one-line on-press ${styles.band}`}
      data-tone={toneOf(run.text, type, tones)}
      data-open={isOpen && run.last >= values.length}
      style={{ left: (run.first - 1) * width, width: (run.last - run.first + 1) * width }}
      title={run.text}
    >
      <span>{run.text}</span>
    </span>
  ))
}

/** The words of an enum keep their tones; other texts change theirs with each value. */
function toneOf(text: string, type: string, tones: Map<string, number>): string {
  if (type === 'bool') return text
  const words = /^enum:\[(.*)\]$/s.exec(type)?.[1]?.split(',')
  const place = words?.findIndex(word => word.trim() === text)
  if (place !== undefined) return String(Math.max(0, place) % 4)
  if (!tones.has(text)) tones.set(text, tones.size % 2)
  return String(tones.get(text))
}

const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value)

const spanOf = (values: readonly number[]): ValueRange =>
  values.length === 0
    ? [0, 0]
    : [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))]

function rangeOf({ values }: Series): string {
  const [low, high] = spanOf(values.filter(isNumber))
  return `Lowest ${shownValue(low)}, highest ${shownValue(high)}.`
}

/** The largest prompt of each role in each step: as it was counted, a line; as the provider reported it, dots. */
export function MemoryPlot({ board: state }: { readonly board: BoardState }) {
  const { shown, acts, columns, selected } = state
  const callAt = (role: string, step: number) => largestCall(acts.get(step)?.get(role))
  const lines = shown.roles.map(role => ({
    role,
    calls: stepsIn(columns).flatMap(step => {
      const call = callAt(role, step)
      return call ? [{ step, ...call }] : []
    }),
  }))
  const counts = lines.flatMap(({ calls }) =>
    calls.flatMap(one => [one.predicted, one.reported ?? 0]),
  )
  const most = counts.reduce((a, b) => Math.max(a, b), 1)
  const x = (step: number) => (step - 0.5) * columns.width
  const y = linearScale([0, most], [height.memory - pad.memory, pad.memory])
  const now = shown.roles.map(role => ({
    role,
    tokens: callAt(role, selected.step)?.predicted ?? 0,
  }))
  const total = now.reduce((sum, { tokens }) => sum + tokens, 0)
  const names = lines.flatMap(({ role, calls }) => {
    const last = calls.at(-1)
    return last ? [{ role, left: x(last.step) + 8, at: y(last.predicted) - 7 }] : []
  })
  return (
    <PlotRow
      board={state}
      label={`Tokens sent in step ${selected.step}: ${now.map(({ role, tokens }) => `${role} ${count(tokens)}`).join(', ')}`}
      lead={
        <>
          <b className={board.name}>tokens sent</b>
          <span className={`cut block ${styles.value}`}>{count(total)}</span>
          <span className="block muted text-11">line: counted</span>
          <span className="block muted text-11">dots: reported</span>
        </>
      }
    >
      <svg width={columns.count * columns.width} height={height.memory} aria-hidden="true">
        {lines.map(({ role, calls }) => (
          <g key={role} className={styles.memory} data-chosen={role === selected.role}>
            <path
              className={styles.stroke}
              d={linePath(calls.map(({ step, predicted }) => [x(step), y(predicted)]))}
            />
            <path
              className={styles.reported}
              d={dotsPath(
                calls.flatMap(({ step, reported }): PlotPoint[] =>
                  reported === undefined ? [] : [[x(step), y(reported)]],
                ),
              )}
            />
          </g>
        ))}
      </svg>
      {moveApart(names, 13, [-14, Number.POSITIVE_INFINITY]).map(({ role, left, at }) => (
        <span
          key={role}
          className={`cut absolute muted ${styles.roleName}`}
          data-chosen={role === selected.role}
          style={{ left, top: at }}
        >
          {role}
        </span>
      ))}
    </PlotRow>
  )
}
