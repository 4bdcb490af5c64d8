import { ThroughlineError } from '@throughline/core/errors'
import { onAbort } from '../wait/link-signals.ts'

export type Tape<Item> = ReturnType<typeof createTape<Item>>

/** Hands items to any number of readers, from any place on. The newest `mostKept` are kept for those late or slow. */
export function createTape<Item>(mostKept = Number.POSITIVE_INFINITY) {
  const kept: Item[] = []
  let first = 0
  let isOver = false
  const waiting = new Set<() => void>()

  function wake(): void {
    for (const one of waiting) one()
    waiting.clear()
  }

  async function* batches(from: number, signal?: AbortSignal): AsyncGenerator<readonly Item[]> {
    let at = from
    const unlisten = signal && onAbort(signal, wake)
    try {
      while (!signal?.aborted) {
        if (at < first)
          throw new ThroughlineError('too_slow', `More than ${mostKept} events wait: come back.`)
        const batch = kept.slice(at - first, at - first + mostAtOnce)
        at += batch.length
        if (batch.length > 0) yield batch
        else if (isOver) return
        else await new Promise<void>(resolve => waiting.add(resolve))
      }
    } finally {
      unlisten?.()
    }
  }

  return {
    push(item: Item): void {
      kept.push(item)
      if (kept.length > mostKept) {
        kept.shift()
        first += 1
      }
      wake()
    },
    end(): void {
      isOver = true
      wake()
    },
    /** The items from a number on (the first is 0), until the tape ends. `too_slow`: the next item is no longer kept. */
    read: ({ from = 0, signal }: { readonly from?: number; readonly signal?: AbortSignal } = {}) =>
      // A number that has not come yet may be of an earlier tape: what comes next is new to its reader.
      batches(Math.min(Math.max(from, first), first + kept.length), signal),
    get length() {
      return first + kept.length
    },
  }
}

const mostAtOnce = 256
