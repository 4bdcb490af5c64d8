import { words } from '@throughline/core/counters'
import { postgresStore } from '@throughline/stores/postgres'
import type { Store } from '@throughline/stores/store'
import { startCutProxy } from '@throughline/test-tools/postgres-proxy'
import { createHistory, type Turn } from '../../src/index.ts'
import { findFaults } from './find-faults.ts'
import { readMarked } from './find-torn.ts'
import { turnMessages } from './turn-messages.ts'
import type { Step } from './writer-line.ts'

const order = ['begin', 'append', 'complete'] as const

/** A turn, one step of which loses its connection after its COMMIT and is done again: by the turn, or by its caller. */
export async function loseAnswer(
  url: string,
  step: Exclude<Step, 'open'>,
): Promise<{
  /** The error of the first attempt, and what the second one came to, if it failed. */
  readonly errors: readonly unknown[]
  readonly marks: readonly (string | undefined)[]
  readonly faults: readonly string[]
}> {
  const proxy = await startCutProxy(url)
  const [store, direct] = [postgresStore({ url: proxy.url }), postgresStore({ url })]
  // What is read goes past the proxy: the answer that gets lost is that of the write.
  const cut: Store = { ...store, head: direct.head, entries: direct.entries, turns: direct.turns }
  const conversation = `lost ${crypto.randomUUID()}`
  const thread = createHistory({ store: cut, leaseMs: 500, count: words() }).thread(conversation)
  const { question, round, reply, note } = turnMessages('ada', 1)
  let turn: Turn | undefined
  const steps = {
    begin: async () => {
      const begun = await thread.begin(question, { key: 'one' })
      if (begun.kind === 'begun') turn = begun.turn
    },
    append: async () => turn?.append(...round),
    complete: async () => turn?.complete(reply, { note }),
  }
  try {
    for (const before of order.slice(0, order.indexOf(step))) await steps[before]()
    // The connection must be there before its next answer can be the one that gets lost.
    await store.head(thread.key)
    const isCut = proxy.cutNextAnswer()
    const errors: unknown[] = []
    await steps[step]().catch(error => errors.push(error))
    await isCut
    if (errors.length > 0) await steps[step]().catch(error => errors.push(error))
    const marks = (await readMarked(direct, thread.key)).map(({ mark }) => mark)
    // Its turn may still be open, and would be renewed for ever.
    await store.close()
    return {
      errors,
      marks,
      faults: await findFaults({ store: direct, conversation, acknowledged: [] }),
    }
  } finally {
    await Promise.all([store.close(), direct.close()])
    await proxy.stop()
  }
}
