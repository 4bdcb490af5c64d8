import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '@throughline/stores/store'
import { findFaults } from './find-faults.ts'
import { readMarked } from './find-torn.ts'
import type { WriterProgram } from './start-writer.ts'
import { type Fault, isAcknowledged, type Place, type WriterLine } from './writer-line.ts'

export interface StallOptions {
  readonly place: Place
  readonly conversation: string
  /** After how many steps of its turn it is stopped. */
  readonly steps: number
  readonly fault?: Fault
}

/**
 * A process begins a turn and is stopped until its lease has run out. Another one takes over; while its turn is open,
 * the first one wakes up and goes on.
 */
export async function stallWriter(
  program: WriterProgram,
  store: Store,
  { place, conversation, steps, fault }: StallOptions,
): Promise<{
  /** What the one that slept has printed. */
  readonly lines: readonly WriterLine[]
  /** The marks of all entries, before anybody goes on. */
  readonly marks: readonly (string | undefined)[]
  readonly faults: readonly string[]
}> {
  const key = { tenant: 'default', conversation, actor: 'assistant', branch: 'main' }
  const options = {
    place,
    conversation,
    turns: 1,
    isStepped: true,
    leaseMs: 600,
    ...(fault && { fault }),
  }
  const slow = program.start({ ...options, name: 'slow' })
  slow.step(steps)
  await slow.waitFor('acknowledged', steps)
  slow.signal('SIGSTOP')
  const next = program.start({ ...options, name: 'next' })
  while ((await store.head(key))?.open?.expiresInMs !== 0) await sleep(20)
  next.step()
  await next.waitFor('acknowledged', 1)
  slow.step()
  slow.signal('SIGCONT')
  // A store that does not fence acknowledges the step.
  if (fault) await slow.waitFor('acknowledged', steps + 1)
  else await Promise.all([slow.waitFor('refused', 1), slow.waitFor('aborted', 1)])
  // Enough for two steps, each refused once.
  next.step(4)
  await next.ended()
  await slow.kill()
  const acknowledged = [...slow.lines, ...next.lines].filter(isAcknowledged)
  const marks = (await readMarked(store, key)).map(({ mark }) => mark)
  return {
    lines: slow.lines,
    marks,
    faults: await findFaults({ store, conversation, acknowledged }),
  }
}
