import { setTimeout as pause } from 'node:timers/promises'
import { createExperiments, type Experiments } from '../../experiment/create-experiments.ts'
import type { ExperimentSummary } from '../../experiment/index.ts'
import type { ApiCall } from './route.ts'
import { lastEventOf } from './server-event.ts'

export const experimentsOf = ({
  log: { history },
  parts: { newId },
}: Pick<ApiCall, 'log' | 'parts'>): Experiments => createExperiments({ history, newId })

export const toSummary = ({ id, name, status, result, steps, maxSteps, ...rest }: ExperimentSummary) => ({
  ...{ id, name, status, steps, maxSteps },
  ...{ startedAt: rest.startedAt, updatedAt: rest.updatedAt, hasPlan: rest.hasPlan },
  ...(result !== undefined && { result }),
})

export const toState = (view: ExperimentSummary & { readonly environment: object }) => ({
  type: 'state',
  ...toSummary(view),
  environment: view.environment,
})

const isOver = ({ status }: Pick<ExperimentSummary, 'status'>) =>
  !['RUNNING', 'PAUSED', 'INTERRUPTED'].includes(status)

/** Where an experiment of another process stands is asked so often. */
const lookMs = 1000

type WatchedState = ReturnType<typeof toState>

/** The events of an experiment that runs here; of another, where it stands, whenever that changes. */
export async function* watchExperiment(call: ApiCall, id: string, first: WatchedState) {
  const { signal, caller, request, parts } = call
  let since = Number(lastEventOf(request) ?? 0) || 0
  let lastLooks = ''
  for (let state = first; ; state = toState(await experimentsOf(call).show(id))) {
    const looks = JSON.stringify(state)
    if (looks !== lastLooks) yield { event: 'state', data: state }
    lastLooks = looks
    if (isOver(state) || signal.aborted) return
    for await (const event of parts.experiments.listen(caller.tenant, id, since, signal) ?? []) {
      since = Number(event.id)
      yield event
    }
    if (signal.aborted) return
    await pause(lookMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}
