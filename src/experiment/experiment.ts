import { createOngoing, type Emit, type Ongoing } from '../turn/index.ts'
import { ExperimentError } from './experiment-error.ts'
import type { ExperimentEvent, ExperimentResult } from './experiment-event.ts'

/**
 * An experiment as it runs: read its events, or wait for its result. Nothing happens before one of both. One that failed
 * is a result; only what it runs on can reject.
 */
export interface Experiment extends Ongoing<ExperimentEvent, ExperimentResult> {
  readonly id: string
}

/** Whoever stops reading pauses the experiment, as a signal does: it is told so, and then waited for. */
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
    // What was not begun cannot be paused; nobody may wait for it for ever.
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
