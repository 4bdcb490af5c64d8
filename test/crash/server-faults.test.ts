import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHistory, type Turn } from '../../src/history/index.ts'
import { ThroughlineError } from '../../src/log/error.ts'
import { postgresStore } from '../../src/stores/postgres/postgres-store.ts'
import { words } from '../../src/tokens/words.ts'
import { startPostgres, type TestPostgres, whyNoPostgres } from '../postgres.ts'
import { startCutProxy } from '../postgres-proxy.ts'
import { findFaults } from './find-faults.ts'
import { readMarked } from './find-torn.ts'
import { createWriterProgram, type WriterProgram } from './start-writer.ts'
import { turnMessages } from './turn-messages.ts'
import { type Fault, gaveUp, isAcknowledged, isRefused } from './writer-line.ts'

const reason = whyNoPostgres()
if (reason) console.log(`Not tested: turns in a PostgreSQL that fails, because ${reason}`)
const isOurs = !process.env.DATABASE_URL
if (!isOurs) console.log('Not tested: a server that is stopped, because the one of DATABASE_URL is not ours.')

describe.skipIf(reason)('turns in a PostgreSQL that fails', () => {
  let program: WriterProgram
  let server: TestPostgres
  beforeAll(async () => {
    program = await createWriterProgram()
    server = await startPostgres()
    const store = postgresStore({ url: server.url })
    await store.migrate()
    await store.close()
  })
  afterAll(async () => {
    await program?.stop()
    await server?.stop()
  })

  /** Two processes write until the server is gone. */
  async function stopServer(fault?: Fault) {
    const place = { kind: 'postgres', url: server.url } as const
    const conversations = ['first', 'second'].map(name => `${name} ${fault ?? 'good'}`)
    const writers = conversations.map(conversation => {
      const options = { place, conversation, name: 'ada', turns: 1_000_000, leaseMs: 500 }
      return program.start(fault ? { ...options, fault } : options)
    })
    await Promise.all(writers.map(writer => writer.waitFor('acknowledged', 25)))
    await server.stopImmediate()
    const exits = await Promise.all(writers.map(writer => writer.ended()))
    await server.restart()
    const store = postgresStore({ url: server.url })
    const faults: string[] = []
    for (const [n, conversation] of conversations.entries()) {
      const acknowledged = writers[n]!.lines.filter(isAcknowledged)
      faults.push(...(await findFaults({ store, conversation, acknowledged })))
    }
    await store.close()
    return { exits, faults, refused: writers.flatMap(writer => writer.lines.filter(isRefused)) }
  }

  it.skipIf(!isOurs)('are whole when the server is stopped in the middle of them', async () => {
    const { exits, faults, refused } = await stopServer()
    expect(faults).toEqual([])
    expect(exits).toEqual([gaveUp, gaveUp])
    expect(refused.length).toBeGreaterThan(1)
    for (const { code } of refused) expect(['outcome_unknown', 'store_unavailable']).toContain(code)
  })

  it.skipIf(!isOurs)('would be missed if the store had acknowledged them early', async () => {
    const { faults } = await stopServer('late')
    expect(faults.join()).toContain('was acknowledged and is not there')
  })

  it.each(['begin', 'append', 'complete'] as const)(
    'are written once when the answer to the COMMIT of %s is lost and it is done again',
    async step => {
      const proxy = await startCutProxy(server.url)
      const [store, direct] = [postgresStore({ url: proxy.url }), postgresStore({ url: server.url })]
      const thread = createHistory({ store, leaseMs: 500, count: words() }).thread(`cut at ${step}`)
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
      const order = ['begin', 'append', 'complete'] as const
      const written = [1, 3, 5][order.indexOf(step)]
      for (const one of order.slice(0, order.indexOf(step))) await steps[one]()
      const isCut = proxy.cutNextAnswer()
      // The head is read first: that answer must get through.
      const lost = await steps[step]().then(
        () => undefined,
        (error: unknown) => error,
      )
      await isCut
      expect(lost).toBeInstanceOf(ThroughlineError)
      // It may be told that it is too late, but it never writes twice.
      await steps[step]().catch(error => expect(error).toBeInstanceOf(ThroughlineError))
      expect((await readMarked(direct, thread.key)).length).toBe(written)
      expect(await findFaults({ store: direct, conversation: `cut at ${step}`, acknowledged: [] })).toEqual(
        [],
      )
      await Promise.all([store.close(), direct.close()])
      await proxy.stop()
    },
  )
})
