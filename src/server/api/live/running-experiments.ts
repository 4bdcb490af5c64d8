import type { Experiment, ExperimentEvent } from '../../../experiment/index.ts'
import { ThroughlineError } from '../../../log/error.ts'
import type { ServerEvent } from '../server-event.ts'
import { createChannel } from './channel.ts'

/** The experiments that this process runs. */
export interface RunningExperiments {
  /** Runs an experiment to its end or its pause. Resolves when it has begun; rejects if it cannot. */
  start(tenant: string, experiment: Experiment, pause: AbortController): Promise<void>
  /** The events of an experiment that runs here, from the one after `since`; undefined if it does not run here. */
  listen(
    tenant: string,
    id: string,
    since: number,
    signal: AbortSignal,
  ): AsyncIterable<ServerEvent<ExperimentEvent>> | undefined
  readonly size: number
  /** Pauses all of them, and waits until they are paused. */
  close(): Promise<void>
}

interface Running {
  readonly pause: AbortController
  /** The newest events; the number of the first one is `from`. */
  readonly events: ExperimentEvent[]
  from: number
  readonly listeners: Map<(number: number, event: ExperimentEvent) => void, () => void>
  over: Promise<void>
}

/** So many events are kept for listeners that come late. */
const mostEvents = 1000

export function createRunningExperiments(mostRunning = 16): RunningExperiments {
  const all = new Map<string, Running>()
  const nameOf = (tenant: string, id: string) => JSON.stringify([tenant, id])

  async function run(running: Running, experiment: Experiment, onBegun: () => void): Promise<void> {
    for await (const event of experiment) {
      onBegun()
      const number = running.from + running.events.length
      running.events.push(event)
      if (running.events.length > mostEvents) {
        running.events.shift()
        running.from += 1
      }
      for (const listener of running.listeners.keys()) listener(number, event)
    }
  }

  return {
    get size() {
      return all.size
    },
    async start(tenant, experiment, pause) {
      if (all.size >= mostRunning)
        throw new ThroughlineError(
          'too_many_experiments',
          `${mostRunning} experiments run here already: pause one.`,
        )
      const name = nameOf(tenant, experiment.id)
      if (all.has(name)) throw new ThroughlineError('turn_open', 'This experiment is running.')
      const running: Running = { pause, events: [], from: 1, listeners: new Map(), over: Promise.resolve() }
      all.set(name, running)
      await new Promise<void>((begun, failed) => {
        running.over = run(running, experiment, begun)
          // An error before the first event is the answer to the request; a later one is in the log.
          .catch(failed)
          .finally(() => {
            all.delete(name)
            for (const end of running.listeners.values()) end()
          })
      })
    },
    listen(tenant, id, since, signal) {
      const running = all.get(nameOf(tenant, id))
      return running && listenTo(running, since, signal)
    },
    async close() {
      for (const { pause } of all.values()) pause.abort()
      await Promise.all([...all.values()].map(({ over }) => over))
    },
  }
}

async function* listenTo(
  { events, from, listeners }: Running,
  since: number,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent<ExperimentEvent>> {
  const channel = createChannel<ServerEvent<ExperimentEvent>>()
  const listener = (number: number, event: ExperimentEvent) => channel.push(toEvent(number, event))
  const missed = events.map((event, at) => [from + at, event] as const).filter(([number]) => number > since)
  listeners.set(listener, channel.end)
  signal.addEventListener('abort', channel.end, { once: true })
  if (signal.aborted) channel.end()
  try {
    for (const [number, event] of missed) yield toEvent(number, event)
    yield* channel.events()
  } finally {
    signal.removeEventListener('abort', channel.end)
    listeners.delete(listener)
  }
}

const toEvent = (number: number, event: ExperimentEvent): ServerEvent<ExperimentEvent> => ({
  ...{ event: event.type, data: event, id: String(number) },
})
