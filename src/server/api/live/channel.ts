import { ThroughlineError } from '../../../log/error.ts'

/** So many events wait for a reader; one that is slower than that is sent away, and comes back with `Last-Event-ID`. */
const mostWaiting = 1000

/** Hands events from where they happen to one reader. */
export interface Channel<Event> {
  push(event: Event): void
  end: () => void
  events(): AsyncGenerator<Event>
}

export function createChannel<Event>(): Channel<Event> {
  let waiting: Event[] = []
  let wake = () => {}
  let isOver = false
  let isLate = false
  return {
    push(event) {
      if (isOver) return
      if (waiting.length >= mostWaiting) {
        isLate = true
        isOver = true
      } else waiting.push(event)
      wake()
    },
    end() {
      isOver = true
      wake()
    },
    async *events() {
      for (;;) {
        const ready = waiting
        waiting = []
        yield* ready
        if (waiting.length > 0) continue
        if (isLate) throw new ThroughlineError('too_slow', `More than ${mostWaiting} events wait: come back.`)
        if (isOver) return
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
    },
  }
}
