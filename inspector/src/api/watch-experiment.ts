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

/** The state of an experiment: the first event, and the only one if another process runs the experiment. */
type StateEvent = ExperimentSummary & Pick<ExperimentAnswer, 'environment'> & { readonly type: 'state' }

export type WatchedEvent = ExperimentEvent | StateEvent

/** Follows the events of an experiment until it ends. Cached queries are updated before `take` is called. */
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
