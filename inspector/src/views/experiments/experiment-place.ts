import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { ExperimentSearch } from '../../parts/address.ts'

type Changes = { readonly [Name in keyof ExperimentSearch]?: ExperimentSearch[Name] | undefined }

export interface ExperimentPlace {
  readonly experiment: string
  readonly view: string
  readonly search: ExperimentSearch
  /** Changes the selection in the address, without a new place in the browser's history. */
  readonly go: (changes: Changes) => void
}

/** Where a view of an experiment is, by its address. */
export function useExperimentPlace(): ExperimentPlace {
  const { experiment = '', view = 'board' } = useParams({ strict: false })
  const search = useSearch({ strict: false }) as ExperimentSearch
  const navigate = useNavigate()
  const go = useCallback(
    (changes: Changes) =>
      void navigate({
        to: '.',
        search: ((before: object) => ({ ...before, ...changes })) as never,
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  )
  return { experiment, view, search, go }
}
