import type { Thread } from '../../history/index.ts'
import { ThroughlineError } from '../../log/error.ts'
import type { ExperimentResult } from '../experiment-event.ts'

/** What somebody else wants of whoever runs an experiment. */
export type Wish = 'pause' | 'stop'

/** What the log keeps of a wish: the words of the message are for people. */
interface WishData {
  readonly wish: Wish
}

const texts: Readonly<Record<Wish, string>> = { pause: 'Pause, please.', stop: 'Stop, please.' }

/** How an experiment ends that obeys. */
export const endOf: Readonly<Record<Wish, Pick<ExperimentResult, 'status' | 'result'>>> = {
  pause: { status: 'PAUSED', result: 'Paused' },
  stop: { status: 'STOPPED', result: 'Stopped by User' },
}

/** Leaves a wish for whoever runs the experiment. It needs no lease; two who wish at once both get through. */
export async function leaveWish(control: Thread, wish: Wish): Promise<void> {
  const data: WishData = { wish }
  for (let attempt = 1; ; attempt++) {
    try {
      return await control.seed({ message: { role: 'user', content: texts[wish] }, data })
    } catch (error) {
      const isTaken = error instanceof ThroughlineError && error.code === 'conflict'
      if (!isTaken || attempt >= 20) throw error
    }
  }
}

/** What was wished since a place, and the place of the last wish. A stop is more than a pause. */
export async function readWishes(
  control: Thread,
  after: number,
): Promise<{ readonly wish: Wish | undefined; readonly last: number }> {
  const entries = await control.entries({ limit: 16 })
  const wishes = entries
    .filter(({ seq }) => seq > after)
    .map(({ data }) => (data as WishData | undefined)?.wish)
  return {
    wish: (['stop', 'pause'] as const).find(wish => wishes.includes(wish)),
    last: entries.at(-1)?.seq ?? 0,
  }
}
