import { sleep } from '../../models/sleep.ts'
import type { ThreadKey } from '../../stores/store.ts'
import type { Inquiry } from './inquiry.ts'

/** Waits while a turn of a thread is answered. `wasHeld`: one was, so the log may have grown. */
export async function untilFree({ log, signal }: Inquiry, thread: ThreadKey, mostMs: number) {
  const { conversation, actor, branch } = thread
  const open = log.history.thread(conversation, { actor, branch })
  for (let waited = 0, pause = 5, wasHeld = false; ; pause = Math.min(200, pause * 2)) {
    const status = await open.status()
    if (status.state !== 'open' || waited >= mostMs)
      return { ...status, wasHeld: wasHeld && status.state !== 'open' }
    wasHeld = true
    await sleep(pause, signal)
    waited += pause
  }
}
