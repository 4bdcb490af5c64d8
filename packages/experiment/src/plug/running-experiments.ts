import { createTape, type Tape } from '@throughline/chat/turn'
import { ThroughlineError } from '@throughline/core/errors'
import type { ServerEvent } from '@throughline/server/api/event-stream'
import type { Experiment, ExperimentEvent } from '../index.ts'

/** What is done at each event, before the next one. */
export type OnEvent = (event: ExperimentEvent) => unknown

export type RunningExperiments = ReturnType<typeof createRunningExperiments>

interface LiveExperiment {
  readonly pause: AbortController
  readonly events: Tape<ServerEvent<ExperimentEvent>>
  over: Promise<void>
}

/** The events that are kept for listeners that come late. */
const mostEvents = 1000

export function createRunningExperiments(mostRunning = 16) {
  const all = new Map<string, LiveExperiment>()
  const nameOf = (tenant: string, id: string) => JSON.stringify([tenant, id])

  async function run(
    { events }: LiveExperiment,
    experiment: Experiment,
    onBegun: () => void,
    onEvent: OnEvent,
  ): Promise<void> {
    for await (const event of experiment) {
      onBegun()
      events.push({ event: event.type, data: event, id: String(events.length + 1) })
      // Nothing goes on meanwhile: events are made as they are read.
      await onEvent(event)
    }
  }

  return {
    get size(): number {
      return all.size
    },
    /** Runs an experiment to its end or its pause. Resolves when it has begun; rejects if it cannot. */
    async start(
      tenant: string,
      experiment: Experiment,
      pause: AbortController,
      onEvent: OnEvent = () => undefined,
    ): Promise<void> {
      if (all.size >= mostRunning)
        throw new ThroughlineError(
          'too_many_experiments',
          `${mostRunning} experiments run here already: pause one.`,
        )
      const name = nameOf(tenant, experiment.id)
      if (all.has(name)) throw new ThroughlineError('turn_open', 'This experiment is running.')
      const running: LiveExperiment = {
        pause,
        events: createTape(mostEvents),
        over: Promise.resolve(),
      }
      all.set(name, running)
      await new Promise<void>((begun, failed) => {
        running.over = run(running, experiment, begun, onEvent)
          // An error before the first event is the answer to the request; a later one is in the log.
          .catch(failed)
          .finally(() => {
            all.delete(name)
            running.events.end()
          })
      })
    },
    /** The events of an experiment that runs here, from the one after `since`; none if it does not run here. */
    async *listen(tenant: string, id: string, since: number, signal: AbortSignal) {
      const { events } = all.get(nameOf(tenant, id)) ?? {}
      for await (const batch of events?.read({ from: since, signal }) ?? []) yield* batch
    },
    async close(): Promise<void> {
      for (const { pause } of all.values()) pause.abort()
      await Promise.all([...all.values()].map(({ over }) => over))
    },
  }
}
