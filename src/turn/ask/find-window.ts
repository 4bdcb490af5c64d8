import type { Model } from '../../models/model.ts'
import { ModelError } from '../../models/model-error.ts'
import { pauseBefore, type RetryOptions, sleep } from '../wait/backoff.ts'
import { linkSignals } from '../wait/link-signals.ts'
import { withLimit } from '../wait/with-limit.ts'
import { stalled, toModelError } from './call-model.ts'

interface Finding extends Required<RetryOptions> {
  readonly signal: AbortSignal
  readonly stallMs: number
}

/** Asks the model for its window, with the retries and the time limit of a model call. */
export async function findWindow(model: Model, finding: Finding): Promise<number | undefined> {
  const { retries, backoffMs, signal } = finding
  for (let attempt = 1; ; attempt++) {
    try {
      return await askInTime(model, finding)
    } catch (error) {
      if (!(error instanceof ModelError) || !error.isRetryable || attempt > retries) throw error
      await sleep(pauseBefore(attempt, backoffMs, error.retryAfterMs), signal)
    }
  }
}

async function askInTime(model: Model, { signal, stallMs }: Finding): Promise<number | undefined> {
  const own = linkSignals(signal)
  const late = () => stalled(stallMs)
  try {
    const asked = model.window(own.signal)
    return await withLimit(asked, { signal, ms: stallMs, late })
  } catch (error) {
    throw toModelError(error, signal)
  } finally {
    // Ends the pending request: a model shares it among callers, so a retry would get the same one.
    own.abort()
    own.unlink()
  }
}
