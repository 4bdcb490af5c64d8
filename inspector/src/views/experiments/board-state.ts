import type { ExperimentAnswer } from '../../api/experiment-queries.ts'
import type { Columns } from './use-columns.ts'
import type { Acts } from './use-steps.ts'
import type { Activity } from './use-watched.ts'

/** What all rows of the board show. */
export interface BoardState {
  readonly shown: ExperimentAnswer
  readonly acts: Acts
  readonly activity: Activity | undefined
  readonly columns: Columns
  /** The cell whose details are shown. */
  readonly selected: BoardCell
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
export const stepsIn = ({ first, last }: Columns): readonly number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at)
