import { ExperimentError } from './experiment-error.ts'
import type { ExperimentEvent, ExperimentResult } from './experiment-event.ts'

/** An experiment as it runs: read its events, or wait for its result. Nothing happens before one of both. */
export interface ExperimentRun extends AsyncIterable<ExperimentEvent> {
  readonly id: string
  /** Runs it if nobody reads it. An experiment that failed is a result; only what it runs on can reject. */
  result(): Promise<ExperimentResult>
}

/** Whoever stops reading pauses the experiment, as a signal does: it is told so, and then waited for. */
export function createExperimentRun(
  id: string,
  run: (left: AbortSignal) => AsyncGenerator<ExperimentEvent, ExperimentResult>,
): ExperimentRun {
  let resolve: (result: ExperimentResult) => void
  let reject: (error: unknown) => void
  const settled = new Promise<ExperimentResult>((onResult, onError) => {
    resolve = onResult
    reject = onError
  })
  // Who only reads the events has seen the error there.
  settled.catch(() => undefined)
  const left = new AbortController()
  let isRead = false

  async function* events(): AsyncGenerator<ExperimentEvent, void> {
    const running = run(left.signal)
    let isOver = false
    const next = async () => {
      try {
        const { done = false, value } = await running.next()
        isOver = done
        if (done) resolve(value as ExperimentResult)
        return value as ExperimentEvent
      } catch (error) {
        isOver = true
        reject(error)
        throw error
      }
    }
    try {
      for (let event = await next(); !isOver; event = await next()) yield event
    } finally {
      left.abort()
      while (!isOver) await next()
    }
  }

  const inner = events()
  /** What was not begun cannot be paused; nobody may wait for it for ever. */
  const leave = () => {
    left.abort()
    if (isRead) return
    isRead = true
    const problem = `The experiment "${id}" was left before it began, so nothing has happened: run it again.`
    reject(new ExperimentError('experiment_left', problem))
  }
  const iterator: AsyncIterableIterator<ExperimentEvent> = {
    next() {
      isRead = true
      return inner.next()
    },
    // Also while somebody waits for the next event: then it is the last.
    return() {
      leave()
      return inner.return()
    },
    throw(error) {
      leave()
      return inner.throw(error)
    },
    [Symbol.asyncIterator]: () => iterator,
  }
  return {
    id,
    [Symbol.asyncIterator]: () => iterator,
    async result() {
      if (!isRead) for await (const _ of iterator) void _
      return settled
    },
  }
}
