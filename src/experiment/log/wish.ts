import type { Thread } from '../../history/index.ts'
import { tryAgain } from '../../history/turn.ts'
import type { RunEnd } from './experiment-log.ts'

/** What another process wants of an experiment. */
export type Wish = 'pause' | 'stop'

/** A wish as the log stores it; the text of its message is for people. */
type WishData = { readonly wish: Wish }
const texts = { pause: 'Pause, please.', stop: 'Stop, please.' }

export const endOf: Readonly<Record<Wish, RunEnd>> = {
  pause: { status: 'PAUSED', result: 'Paused' },
  stop: { status: 'STOPPED', result: 'Stopped by User' },
}

/** Logs a wish for the process that runs the experiment. Needs no lease; tries again when another writer was first. */
export async function leaveWish(control: Thread, wish: Wish): Promise<void> {
  const data: WishData = { wish }
  const message = { role: 'user', content: texts[wish] }
  await tryAgain('conflict', 20, () => control.seed({ message, data }))
}

/** The wish since a place, and the place of the last one. A stop outweighs a pause. */
export async function readWishes(control: Thread, after: number) {
  const entries = await control.entries({ limit: 16 })
  const wishes = entries
    .filter(({ seq }) => seq > after)
    .map(({ data }) => (data as WishData | undefined)?.wish)
  return {
    wish: (['stop', 'pause'] as const).find(wish => wishes.includes(wish)),
    last: entries.at(-1)?.seq ?? 0,
  }
}
