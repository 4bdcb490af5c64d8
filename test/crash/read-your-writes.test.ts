import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHistory } from '../../src/history/index.ts'
import { postgresStore } from '../../src/stores/postgres/postgres-store.ts'
import type { Store } from '../../src/stores/store.ts'
import { words } from '../../src/tokens/words.ts'
import { startPostgres, type TestPostgres, whyNoPostgres } from '../postgres.ts'
import { createWriterProgram, type WriterProgram } from './start-writer.ts'
import { markOf, parts, partText } from './turn-messages.ts'
import type { Fault } from './writer-line.ts'

const reason = whyNoPostgres()
if (reason) console.log(`Not tested: one process reads what another has written, because ${reason}`)

describe.skipIf(reason)('another process', () => {
  let program: WriterProgram
  let server: TestPostgres
  let store: Store
  beforeAll(async () => {
    program = await createWriterProgram()
    server = await startPostgres()
    store = postgresStore({ url: server.url })
    await store.migrate()
  })
  afterAll(async () => {
    await program?.stop()
    await store?.close()
    await server?.stop()
  })

  /** Reads right after each turn of a writer. For each turn: which of its parts were not seen, how many entries read. */
  async function readAfterEach(conversation: string, turns: number, fault?: Fault) {
    const { counting, takeCount } = countEntries(store)
    const thread = createHistory({ store: counting, count: words() }).thread(conversation)
    const place = { kind: 'postgres', url: server.url } as const
    const options = { place, conversation, name: 'ada', turns, isStepped: true }
    const writer = program.start(fault ? { ...options, fault } : options)
    const rounds: { readonly unseen: readonly string[]; readonly entries: number }[] = []
    for (let turn = 1; turn <= turns; turn++) {
      writer.step(3)
      await writer.waitFor('acknowledged', 3 * turn)
      const seen = (await thread.messages()).map(message => markOf((message as { content: string }).content))
      const unseen = parts.map(part => partText('ada', turn, part)).filter(text => !seen.includes(text))
      rounds.push({ unseen, entries: takeCount() })
    }
    await writer.kill()
    return rounds
  }

  it('reads a turn as soon as it is complete, and nothing again that it knows', async () => {
    const rounds = await readAfterEach('fresh', 6)
    expect(rounds).toEqual(rounds.map(() => ({ unseen: [], entries: parts.length })))
    expect(rounds.length).toBe(6)
  })

  it('would notice a store that acknowledges before others can read', async () => {
    const rounds = await readAfterEach('stale', 2, 'late')
    expect(rounds.flatMap(({ unseen }) => unseen).length).toBeGreaterThan(0)
  })

  it('would notice an instance that reads everything again', async () => {
    const { counting, takeCount } = countEntries(store)
    const read = async () => {
      for await (const _ of counting.entries({
        tenant: 'default',
        conversation: 'fresh',
        actor: 'assistant',
        branch: 'main',
      })) {
      }
      return takeCount()
    }
    expect(await read()).toBe(6 * parts.length)
  })
})

/** The same store, and how many entries it has given since the last time. */
function countEntries(store: Store) {
  let count = 0
  const counting: Store = {
    ...store,
    async *entries(thread, range) {
      for await (const entry of store.entries(thread, range)) {
        count++
        yield entry
      }
    },
  }
  const takeCount = () => {
    const taken = count
    count = 0
    return taken
  }
  return { counting, takeCount }
}
