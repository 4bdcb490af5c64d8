import type { Wish } from '../../experiment/index.ts'
import { printError } from '../print.ts'

export interface Interrupts {
  /** Set by the first Ctrl-C: the experiment should pause before the next role acts. */
  readonly wish: Wish | undefined
  /** Aborted by the second Ctrl-C: the experiment should pause at once. */
  readonly signal: AbortSignal
  /** Sets how the hint about Ctrl-C is shown. */
  sayWith(say: (line: string) => void): void
  close(): void
}

/**
 * The first Ctrl-C pauses before the next role acts, the second pauses at once, the third ends the process. SIGTERM pauses
 * at once, and so does a closed pipe (`| head`).
 */
export function catchInterrupts(): Interrupts {
  const now = new AbortController()
  let wish: Wish | undefined
  let say: (line: string) => void = printError
  const onInterrupt = () => {
    if (now.signal.aborted) process.exit(130)
    if (wish) return onTerminate()
    wish = 'pause'
    say('Pauses before the next role acts. Press Ctrl-C again to leave at once.')
  }
  const onTerminate = () => {
    wish = 'pause'
    now.abort(new Error('The experiment was interrupted.'))
  }
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate).on('SIGPIPE', onTerminate)
  return {
    get wish() {
      return wish
    },
    signal: now.signal,
    sayWith(given) {
      say = given
    },
    close() {
      process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate).off('SIGPIPE', onTerminate)
    },
  }
}
