import { ThroughlineError } from '@throughline/core/errors'

/** The server does as much as it may; a client should ask again a little later. */
export class BusyError extends ThroughlineError {
  declare readonly code: 'server_busy'
  readonly retryAfterMs: number

  constructor(message: string, retryAfterMs: number) {
    super('server_busy', message)
    this.retryAfterMs = retryAfterMs
  }
}

export type Gate = ReturnType<typeof createGate>

/** Lets a number of requests in at once. `onChange` is called with how many are inside, whenever it changes. */
export function createGate(most: number, onChange: (inside: number) => void) {
  let inside = 0
  return {
    /** Takes a place, and returns what gives it back; may be called again without harm. Throws BusyError if there is none. */
    enter(): () => void {
      if (inside >= most)
        throw new BusyError(
          `This server writes ${most} replies already: try again, or raise "maxStreams".`,
          1000,
        )
      const change = (by: number) => {
        inside += by
        onChange(inside)
      }
      change(1)
      let isInside = true
      return () => {
        if (isInside) change(-1)
        isInside = false
      }
    },
    get inside() {
      return inside
    },
  }
}
