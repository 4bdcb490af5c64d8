import type { Thread } from '../history/index.ts'
import { ThroughlineError } from '../log/error.ts'

/** What somebody outside of the run wants of it. */
export type Wish = 'pause' | 'stop'

const texts: Readonly<Record<Wish, string>> = { pause: 'Pause, please.', stop: 'Stop, please.' }

/** Leaves a wish for whoever runs the experiment. It needs no lease; two who wish at once both get through. */
export async function leaveWish(control: Thread, wish: Wish): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await control.seed({ role: 'user', content: texts[wish] })
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
  const wishes = entries.filter(({ seq }) => seq > after).map(({ message }) => message.content)
  const wish = wishes.includes(texts.stop) ? 'stop' : wishes.includes(texts.pause) ? 'pause' : undefined
  return { wish, last: entries.at(-1)?.seq ?? 0 }
}
