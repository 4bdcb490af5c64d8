import { unknownWindow } from '@throughline/core/tokens'
import type { Model } from '@throughline/models/model'
import { sleep } from '@throughline/models/waiting'
import type { AskOptions } from '../turn-options.ts'
import { linkSignals, withLimit } from '../wait/link-signals.ts'
import { pauseAfter, stalled, toModelError } from './call-model.ts'

export type AttemptOptions = Pick<AskOptions, 'signal' | 'retries' | 'backoffMs' | 'stallMs'>

/** The window as the model says it, or `unknownWindow`. */
export async function findWindow(model: Model, patience: AttemptOptions): Promise<number> {
  const { signal, stallMs } = patience
  const limit = { signal, ms: stallMs, late: () => stalled(stallMs) }
  for (let attempt = 1; ; attempt++) {
    const link = linkSignals(signal)
    let pause: number
    try {
      return (await withLimit(model.window(link.signal), limit)) ?? unknownWindow
    } catch (thrown) {
      // Ends the pending request: a model shares it among callers, so a retry would get the same one.
      link.abort()
      pause = pauseAfter(toModelError(thrown, signal), attempt, patience)
    } finally {
      link.unlink()
    }
    await sleep(pause, signal)
  }
}

/** Of a tool result with more tokens the model sees only the beginning. */
export const resultLimit = (window: number): number => Math.floor(window / 4)
