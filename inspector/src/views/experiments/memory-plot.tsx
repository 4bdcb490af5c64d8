import { count as shownCount } from '../../parts/format.ts'
import board from './board.module.css'
import { tokensOf } from './describe-act.ts'
import styles from './plot-row.module.css'
import type { Columns } from './use-columns.ts'
import type { Acts } from './use-steps.ts'

export interface MemoryPlotProps {
  readonly roles: readonly string[]
  readonly acts: Acts
  readonly columns: Columns
  readonly step: number
  readonly chosen: string
  readonly onPick: (event: React.MouseEvent<HTMLElement>) => void
}

const tall = 112
const pad = 14

/** The largest prompt of each role in each step: as it was counted, a line; as the provider reported it, dots. */
export function MemoryPlot({ roles, acts, columns, step, chosen, onPick }: MemoryPlotProps) {
  const { width, count, first, last } = columns
  const lines = roles.map(role => ({ role, points: pointsOf(acts, role, first, last) }))
  const most = lines.reduce(
    (high, { points }) =>
      points.reduce((one, { predicted, reported }) => Math.max(one, predicted, reported ?? 0), high),
    1,
  )
  const x = (at: number) => (at - 0.5) * width
  const y = (tokens: number) => tall - pad - (tokens / most) * (tall - 2 * pad)
  const now = roles.map(role => ({ role, tokens: predictedOf(acts, role, step) }))
  const total = now.reduce((sum, { tokens = 0 }) => sum + tokens, 0)
  const label = `Tokens sent in step ${step}: ${now.map(({ role, tokens = 0 }) => `${role} ${shownCount(tokens)}`).join(', ')}`
  return (
    <div className={`grid line-above ${styles.row}`}>
      <div className={styles.lead}>
        <b className={board.name}>tokens sent</b>
        <span className={`cut block ${styles.value}`}>{shownCount(total)}</span>
        <span className="block muted text-11">line: counted</span>
        <span className="block muted text-11">dots: reported</span>
      </div>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys choose a step from anywhere on the board */}
      <div
        className={styles.plot}
        role="img"
        aria-label={label}
        style={{ width: count * width }}
        onClick={onPick}
      >
        <svg width={count * width} height={tall} aria-hidden="true">
          {lines.map(({ role, points }) => (
            <g key={role} className={styles.memory} data-chosen={role === chosen}>
              <path
                className={styles.stroke}
                d={points
                  .map(({ step, predicted }, at) => `${at === 0 ? 'M' : 'L'}${x(step)} ${y(predicted)}`)
                  .join('')}
              />
              <path
                className={styles.reported}
                d={points
                  .flatMap(({ step, reported }) =>
                    reported === undefined ? [] : [`M${x(step)} ${y(reported)}h0`],
                  )
                  .join('')}
              />
            </g>
          ))}
        </svg>
        {namesOf(lines, y).map(({ role, step: at, top }) => (
          <span
            key={role}
            className={`cut absolute muted ${styles.roleName}`}
            data-chosen={role === chosen}
            style={{ left: x(at) + 8, top }}
          >
            {role}
          </span>
        ))}
      </div>
    </div>
  )
}

interface Point {
  readonly step: number
  readonly predicted: number
  readonly reported?: number | undefined
}

function pointsOf(acts: Acts, role: string, first: number, last: number): readonly Point[] {
  const points: Point[] = []
  for (let step = first; step <= last; step++) {
    const act = acts.get(step)?.get(role)
    const tokens = act && tokensOf(act)
    if (tokens) points.push({ step, ...tokens })
  }
  return points
}

function predictedOf(acts: Acts, role: string, step: number): number | undefined {
  const act = acts.get(step)?.get(role)
  return act && tokensOf(act)?.predicted
}

/** The names at the ends of their lines, moved apart where they would stand on each other. */
function namesOf(
  lines: readonly { readonly role: string; readonly points: readonly Point[] }[],
  y: (tokens: number) => number,
) {
  const named = lines.flatMap(({ role, points }) => {
    const last = points.at(-1)
    return last ? [{ role, step: last.step, top: y(last.predicted) - 7 }] : []
  })
  let free = -14
  return named
    .toSorted((a, b) => a.top - b.top)
    .map(one => {
      const top = Math.max(one.top, free)
      free = top + 13
      return { ...one, top }
    })
}
