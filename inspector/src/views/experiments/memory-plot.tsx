import { count as shownCount } from '../../parts/format.ts'
import { dotsPath, linearScale, linePath, moveApart, type PlotPoint } from '../../parts/plot.ts'
import board from './board.module.css'
import { type BoardState, stepsIn } from './board-state.ts'
import { largestCall } from './describe-act.ts'
import styles from './plot-row.module.css'
import { PlotRow } from './plot-row.tsx'

const tall = 112
const pad = 14

/** The largest prompt of each role in each step: as it was counted, a line; as the provider reported it, dots. */
export function MemoryPlot({ board: state }: { readonly board: BoardState }) {
  const { shown, acts, columns, selected } = state
  const callAt = (role: string, step: number) => {
    const act = acts.get(step)?.get(role)
    return act && largestCall(act)
  }
  const lines = shown.roles.map(role => ({
    role,
    calls: stepsIn(columns).flatMap(step => {
      const call = callAt(role, step)
      return call ? [{ step, ...call }] : []
    }),
  }))
  const counts = lines.flatMap(({ calls }) => calls.flatMap(one => [one.predicted, one.reported ?? 0]))
  const most = counts.reduce((a, b) => Math.max(a, b), 1)
  const x = (step: number) => (step - 0.5) * columns.width
  const y = linearScale([0, most], [tall - pad, pad])
  const now = shown.roles.map(role => ({ role, tokens: callAt(role, selected.step)?.predicted ?? 0 }))
  const total = now.reduce((sum, { tokens }) => sum + tokens, 0)
  const names = lines.flatMap(({ role, calls }) => {
    const last = calls.at(-1)
    return last ? [{ role, left: x(last.step) + 8, at: y(last.predicted) - 7 }] : []
  })
  return (
    <PlotRow
      board={state}
      label={`Tokens sent in step ${selected.step}: ${now.map(({ role, tokens }) => `${role} ${shownCount(tokens)}`).join(', ')}`}
      lead={
        <>
          <b className={board.name}>tokens sent</b>
          <span className={`cut block ${styles.value}`}>{shownCount(total)}</span>
          <span className="block muted text-11">line: counted</span>
          <span className="block muted text-11">dots: reported</span>
        </>
      }
    >
      <svg width={columns.count * columns.width} height={tall} aria-hidden="true">
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
