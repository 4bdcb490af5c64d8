import type { Wish } from '../../experiment/index.ts'
import { printError } from '../print.ts'

export interface Interrupts {
  /** Somebody at the terminal wants it to pause. */
  readonly wish: Wish | undefined
  /** He does not want to wait for the role that acts. */
  readonly signal: AbortSignal
  /** Whoever shows the run says it in his own way. */
  sayWith(say: (line: string) => void): void
  close(): void
}

/**
 * Ctrl-C pauses before the next role acts; a second one cancels what is being answered; a third leaves as Ctrl-C does
 * everywhere. A SIGTERM does not wait either, and neither does a reader who has seen enough (`| head`).
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
