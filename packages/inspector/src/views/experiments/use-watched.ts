import type { ExperimentEvent } from '@throughline/experiment/api-types'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { askEvents, queryClient } from '../../api/client.ts'
import { keepListening } from '../../api/connection.ts'
import type { ExperimentAnswer, ExperimentSummary } from '../../api/experiment-queries.ts'
import { experimentQuery, experimentsQuery, hasEnded } from '../../api/experiment-queries.ts'
import type { BoardCell } from './board-state.ts'

export type Warning = Extract<WatchedEvent, { readonly type: 'warning' }> & { readonly at: number }

export interface Watched {
  /** Whose turn it is now. */
  readonly activity?: BoardCell | undefined
  /** Warnings since the page was opened, the newest last. */
  readonly warnings: readonly Warning[]
}

const nothing: Watched = { warnings: [] }
const mostWarnings = 100

/** Hears what happens in an experiment. Not in the background: browsers allow few connections, and all tabs share them. */
export function useWatched(experiment: string): Watched {
  const isVisible = useIsVisible()
  const [watched, setWatched] = useState(nothing)
  useEffect(() => {
    if (!isVisible) return
    setWatched(nothing)
    return watchExperiment(experiment, event => setWatched(before => afterEvent(before, event)))
  }, [experiment, isVisible])
  return watched
}

function afterEvent(before: Watched, event: WatchedEvent): Watched {
  switch (event.type) {
    case 'role-started':
    case 'tool-called':
    case 'tool-result':
      return { ...before, activity: { step: event.step, role: event.role } }
    case 'role-ended':
    case 'paused':
    case 'experiment-ended':
      return { ...before, activity: undefined }
    case 'state':
      return event.status === 'RUNNING' ? before : { ...before, activity: undefined }
    case 'warning': {
      const warning = { ...event, at: Date.now() }
      return { ...before, warnings: [...before.warnings.slice(1 - mostWarnings), warning] }
    }
    default:
      return before
  }
}

const useIsVisible = () => useSyncExternalStore(onVisibility, () => !document.hidden)

function onVisibility(listener: () => void) {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

/** The state of an experiment: the first event, and the only one if another process runs the experiment. */
type StateEvent = ExperimentSummary &
  Pick<ExperimentAnswer, 'environment'> & { readonly type: 'state' }

type WatchedEvent = ExperimentEvent | StateEvent

/** Follows the events of an experiment until it ends. Cached queries are updated before `take` is called. */
function watchExperiment(experiment: string, take: (event: WatchedEvent) => void): () => void {
  let isOver = false
  return keepListening(
    options =>
      askEvents('get /experiments/:experiment/events', { params: { experiment }, ...options }),
    {
      isOver: () => isOver,
      take(data) {
        const event = data as unknown as WatchedEvent
        if (event.type === 'state') {
          isOver = hasEnded(event.status)
          takeState(experiment, event)
        }
        take(event)
      },
    },
  )
}

function takeState(experiment: string, { type: _, ...state }: StateEvent): void {
  const { queryKey } = experimentQuery(experiment)
  const { environment: __, ...summary } = state
  queryClient.setQueryData(queryKey, cached => cached && { ...cached, ...state })
  queryClient.setQueryData(
    experimentsQuery.queryKey,
    list =>
      list && { experiments: list.experiments.map(one => (one.id === experiment ? summary : one)) },
  )
  void queryClient.invalidateQueries({ queryKey })
}
