import { words } from '@throughline/core/counters'
import type { Store } from '@throughline/stores/store'
import { createHistory } from '../../src/index.ts'
import type { WriterProgram } from './start-writer.ts'
import { parts, partText } from './turn-messages.ts'
import type { Fault, Place } from './writer-line.ts'

export interface ReadOptions {
  readonly place: Place
  readonly conversation: string
  readonly turns: number
  readonly fault?: Fault
  /** Whether each read opens the history anew. */
  readonly isForgetful?: boolean
}

/** What one process sees right after each turn of another. */
export interface Read {
  /** The parts of the turn that are not in the context. */
  readonly unseen: readonly string[]
  /** How many entries the store had to give for it. */
  readonly entries: number
}

export async function readAfterEach(
  program: WriterProgram,
  store: Store,
  { place, conversation, turns, fault, isForgetful = false }: ReadOptions,
): Promise<readonly Read[]> {
  let entries = 0
  const counting: Store = {
    ...store,
    async *entries(thread, range) {
      for await (const entry of store.entries(thread, range)) {
        entries += 1
        yield entry
      }
    },
  }
  const open = () => createHistory({ store: counting, count: words() }).thread(conversation)
  const known = open()
  const options = { place, conversation, name: 'ada', turns, isStepped: true }
  const writer = program.start(fault ? { ...options, fault } : options)
  const reads: Read[] = []
  for (let turn = 1; turn <= turns; turn++) {
    writer.step(3)
    await writer.waitFor('acknowledged', 3 * turn)
    entries = 0
    const thread = isForgetful ? open() : known
    const seen = JSON.stringify((await thread.context({ window: 1_000_000 })).messages)
    const unseen = parts
      .map(part => partText('ada', turn, part))
      .filter(text => !seen.includes(text))
    reads.push({ unseen, entries })
  }
  await writer.kill()
  return reads
}
