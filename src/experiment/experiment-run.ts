import type { ExperimentEvent, ExperimentResult } from './experiment-event.ts'

/** An experiment as it runs: read its events, or wait for its result. Nothing happens before one of both. */
export interface ExperimentRun extends AsyncIterable<ExperimentEvent> {
  readonly id: string
  /** Runs it if nobody reads it. An experiment that failed is a result; only what it runs on can reject. */
  result(): Promise<ExperimentResult>
}

/** Whoever stops reading pauses the experiment: the generator is told to return, and gives back what it holds. */
export function createExperimentRun(
  id: string,
  run: () => AsyncGenerator<ExperimentEvent, ExperimentResult>,
): ExperimentRun {
  let resolve: (result: ExperimentResult) => void
  let reject: (error: unknown) => void
  const settled = new Promise<ExperimentResult>((onResult, onError) => {
    resolve = onResult
    reject = onError
  })
  // Who only reads the events has seen the error there.
  settled.catch(() => undefined)
  let isRead = false

  async function* events(): AsyncGenerator<ExperimentEvent> {
    isRead = true
    const running = run()
    let last: Pick<ExperimentResult, 'steps' | 'environment'> = { steps: 0, environment: {} }
    let isOver = false
    try {
      for (;;) {
        const { done, value } = await running.next()
        if (done) {
          isOver = true
          resolve(value)
          return
        }
        if (value.type === 'step-ended') last = { steps: value.step, environment: value.environment }
        yield value
      }
    } catch (error) {
      isOver = true
      reject(error)
      throw error
    } finally {
      if (!isOver) {
        const left: ExperimentResult = { id, status: 'PAUSED', result: 'Paused', ...last }
        resolve((await running.return(left)).value as ExperimentResult)
      }
    }
  }

  const iterator = events()
  return {
    id,
    [Symbol.asyncIterator]: () => iterator,
    async result() {
      if (!isRead) for await (const _ of iterator) void _
      return settled
    },
  }
}
