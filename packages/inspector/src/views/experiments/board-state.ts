import { useQueries } from '@tanstack/react-query'
import type { ExperimentAnswer, ExperimentStep, RoleAct } from '../../api/experiment-queries.ts'
import { stepsPerPage, stepsQuery } from '../../api/experiment-queries.ts'
import type { Measures } from './goal-measure.ts'

export interface BoardProps {
  readonly shown: ExperimentAnswer
  readonly measures: Measures
  readonly activity: BoardCell | undefined
  /** What each role remembers, in a few words. */
  readonly memories: ReadonlyMap<string, string>
  /** The cell whose details are shown. */
  readonly selected: BoardCell
}

/** One for each step, of which those from `first` to `last` are drawn. */
export type BoardColumns = Readonly<Record<'count' | 'width' | 'first' | 'last', number>>

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

export type Acts = ReadonlyMap<number, ReadonlyMap<string, RoleAct>>

const pageOf = (step: number) => Math.floor((Math.max(1, step) - 1) / stepsPerPage)

/** What roles did in a range of steps, by step and role. */
export function useActs({ id, steps }: ExperimentAnswer, first: number, last = first): Acts {
  const from = pageOf(first)
  return useQueries({
    queries: Array.from({ length: pageOf(last) - from + 1 }, (_, at) =>
      stepsQuery(id, from + at, steps),
    ),
    combine: toActs,
  })
}

const toActs = (
  pages: readonly { readonly data?: { readonly steps: readonly ExperimentStep[] } | undefined }[],
): Acts =>
  new Map(
    pages
      .flatMap(({ data }) => data?.steps ?? [])
      .map(({ step, acts }) => [step, new Map(acts.map(act => [act.role, act]))]),
  )
