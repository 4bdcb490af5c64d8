import type { QueryClient } from '@tanstack/react-query'
import type { ExperimentEvent } from '../../../src/experiment/experiment-event.ts'
import { askEvents } from './client.ts'
import {
  type ExperimentAnswer,
  type ExperimentSummary,
  experimentQuery,
  experimentsQuery,
} from './experiment-queries.ts'
import { keepListening } from './keep-listening.ts'

/** Where an experiment stands: the first event, and of an experiment that another process runs the only one. */
type StateEvent = ExperimentSummary & Pick<ExperimentAnswer, 'environment'> & { readonly type: 'state' }

export type WatchedEvent = ExperimentEvent | StateEvent

/** Hears what happens in an experiment until it has ended. What was read of it is brought up to date first. */
export function watchExperiment(
  client: QueryClient,
  experiment: string,
  take: (event: WatchedEvent) => void,
): () => void {
  let isOver = false
  return keepListening(
    options => askEvents('get /experiments/:experiment/events', { params: { experiment }, ...options }),
    {
      isOver: () => isOver,
      take(data) {
        const event = data as unknown as WatchedEvent
        if (event.type === 'state') {
          isOver = hasEnded(event.status)
          takeState(client, experiment, event)
        }
        take(event)
      },
    },
  )
}

export const hasEnded = (status: ExperimentSummary['status']): boolean =>
  !['RUNNING', 'PAUSED', 'INTERRUPTED'].includes(status)

function takeState(client: QueryClient, experiment: string, { type: _, ...state }: StateEvent): void {
  const { queryKey } = experimentQuery(experiment)
  const { environment: __, ...summary } = state
  client.setQueryData(queryKey, cached => cached && { ...cached, ...state })
  client.setQueryData(
    experimentsQuery.queryKey,
    list => list && { experiments: list.experiments.map(one => (one.id === experiment ? summary : one)) },
  )
  void client.invalidateQueries({ queryKey })
}
