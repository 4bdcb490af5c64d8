/** Lets other work on this thread of the process run: timers, sockets, other requests. */
export const breathe = (): Promise<void> => new Promise(resolve => void soon(resolve))

/** Browsers have no `setImmediate`. */
const soon: (run: () => void) => unknown =
  typeof setImmediate === 'function' ? setImmediate : run => setTimeout(run, 0)

/** The most messages that are read, counted or indexed before others get their turn (some milliseconds). Long texts count more. */
const mostSteps = 64
const charactersPerStep = 2048

/** Gives a pause to wait for when enough steps were done. Counted, not timed: the same on every machine. */
export function createRests(): (characters?: number) => Promise<void> | undefined {
  let steps = 0
  return (characters = 0) => {
    steps += 1 + characters / charactersPerStep
    if (steps < mostSteps) return undefined
    steps = 0
    return breathe()
  }
}

/** Goes through a list that may be long, with a pause after each few items. */
export async function eachResting<T>(items: readonly T[], look: (item: T, at: number) => void) {
  const rest = createRests()
  for (const [at, item] of items.entries()) {
    look(item, at)
    const pause = rest()
    if (pause) await pause
  }
}

/** Does work that yields between its pieces, with a pause at each. */
export async function withRests<T>(work: Iterator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    await breathe()
  }
}
