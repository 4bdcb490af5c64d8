import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { type WatchedEvent, watchExperiment } from '../../api/watch-experiment.ts'
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

/**
 * Hears what happens in an experiment while it is shown. A page in the background does not listen: browsers allow only a few
 * connections to one server, and all tabs share them.
 */
export function useWatched(experiment: string): Watched {
  const client = useQueryClient()
  const isVisible = useIsVisible()
  const [watched, setWatched] = useState(nothing)
  useEffect(() => {
    if (!isVisible) return
    setWatched(nothing)
    return watchExperiment(client, experiment, event => setWatched(before => afterEvent(before, event)))
  }, [client, experiment, isVisible])
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
