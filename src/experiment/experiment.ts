import { createOngoing, type Emit, type Ongoing } from '../turn/index.ts'
import { ExperimentError } from './experiment-error.ts'
import type { ExperimentEvent, ExperimentResult } from './experiment-event.ts'

/**
 * An experiment as it runs. It begins when its events are read or its result is awaited. A failed experiment is a result;
 * only errors of the store or the lease reject.
 */
export interface Experiment extends Ongoing<ExperimentEvent, ExperimentResult> {
  readonly id: string
}

/** Makes an experiment. A reader who stops pauses it, and waits until it is paused. */
export function createExperiment(
  id: string,
  run: (emit: Emit<ExperimentEvent>, left: AbortSignal) => Promise<ExperimentResult>,
): Experiment {
  const ongoing = createOngoing<ExperimentEvent, ExperimentResult>({
    async run({ emit, settle, left }) {
      const result = await run(emit, left)
      settle(result)
      await emit(toEndEvent(result))
    },
    // An experiment that has not begun cannot be paused; its result must not stay pending.
    leave({ reject }) {
      const problem = `The experiment "${id}" was left before it began, so nothing has happened: run it again.`
      reject(new ExperimentError('experiment_left', problem))
    },
    unread: `The experiment "${id}" was neither awaited nor read, so it does not run: await it, or read its events with "for await".`,
  })
  return { id, ...ongoing }
}

function toEndEvent({ status, ...told }: ExperimentResult): ExperimentEvent {
  return status === 'PAUSED' ? { type: 'paused', ...told } : { type: 'experiment-ended', status, ...told }
}
