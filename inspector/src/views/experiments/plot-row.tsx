import type { BoardState } from './board-state.ts'
import styles from './plot-row.module.css'

export interface PlotRowProps {
  readonly board: BoardState
  readonly goal?: 'completed' | 'failed' | undefined
  /** What stands before the plot, and what that says on hover. */
  readonly lead: React.ReactNode
  readonly title?: string
  /** For people who do not see the plot. */
  readonly label: string
  readonly children: React.ReactNode
}

/** A plot over the steps of the board. A click chooses a step. */
export function PlotRow({ board: { columns, moveTo }, goal, lead, title, label, children }: PlotRowProps) {
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
