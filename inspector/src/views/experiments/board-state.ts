import type { BoardColumns, BoardProps } from './board.tsx'
import type { Acts } from './use-acts.ts'

/** What all rows of the board show. */
export interface BoardState extends BoardProps {
  readonly acts: Acts
  readonly columns: BoardColumns
  /** Whether the last step is not over. */
  readonly isOpen: boolean
  readonly select: (cell: Partial<BoardCell>) => void
  readonly moveTo: (step: number) => void
  readonly moveRole: (by: number) => void
}

export interface BoardCell {
  readonly role: string
  readonly step: number
}

/** The steps that are drawn. */
export const stepsIn = ({ first, last }: BoardColumns): readonly number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at)

export type CellState = ReturnType<typeof cellStateOf>

export function cellStateOf(
  { shown, acts, activity }: Pick<BoardState, 'shown' | 'acts' | 'activity'>,
  { role, step }: BoardCell,
) {
  return {
    act: acts.get(step)?.get(role),
    isActing: shown.status === 'RUNNING' && activity?.role === role && activity.step === step,
    /** Whether the step has ended, and whether what was done in it has been read. */
    isEnded: step <= shown.steps,
    isRead: acts.has(step),
  }
}
