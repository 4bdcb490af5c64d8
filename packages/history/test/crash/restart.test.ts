import { join } from 'node:path'
import { words } from '@throughline/core/counters'
import { sqliteStore } from '@throughline/stores/sqlite'
import { startPostgres, whyNoPostgres } from '@throughline/test-tools/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHistory } from '../../src/index.ts'
import { openStore } from './kill-loop.ts'
import { createWriterProgram, type Writer, type WriterProgram } from './start-writer.ts'
import type { Place } from './writer-line.ts'

let program: WriterProgram
beforeAll(async () => {
  program = await createWriterProgram()
})
afterAll(() => program?.stop())

const question = { role: 'user', content: 'And now?' }
const newPath = () => join(program.folder, `${crypto.randomUUID()}.db`)

/** A process in the middle of its first turn: the question and a round of tools are stored. */
async function startTurn(place: Place, leaseMs: number): Promise<Writer> {
  const options = { place, conversation: 'trip', name: 'ada', turns: 1, isStepped: true, leaseMs }
  const writer = program.start(options)
  await writer.waitFor('ready', 1)
  writer.step(2)
  await writer.waitFor('acknowledged', 2)
  return writer
}

const open = (place: Place) => {
  const history = createHistory({ store: openStore(place), count: words() })
  return { history, thread: history.thread('trip') }
}

describe('a process that is killed in the middle of a turn', () => {
  it('on SQLite, is known to be gone: the next one goes on at once', async () => {
    const place = { kind: 'sqlite', path: newPath() } as const
    const writer = await startTurn(place, 600_000)
    await writer.kill()
    const { history, thread } = open(place)
    expect(await thread.status()).toMatchObject({ state: 'interrupted', turn: 1 })
    expect(await thread.turns()).toMatchObject([{ turn: 1, status: 'interrupted' }])
    expect((await thread.begin(question)).kind).toBe('begun')
    expect(await thread.turns()).toMatchObject([{ status: 'interrupted' }, { status: 'open' }])
    await history.close()
  })

  it('on SQLite, can be gone on with at once', async () => {
    const place = { kind: 'sqlite', path: newPath() } as const
    const writer = await startTurn(place, 600_000)
    await writer.kill()
    const { history, thread } = open(place)
    const resumed = await thread.resume()
    expect(resumed?.entries.length).toBe(3)
    await resumed?.turn.complete({ role: 'assistant', content: 'Done.' })
    expect(await thread.turns()).toMatchObject([{ turn: 1, status: 'completed' }])
    await history.close()
  })

  it('but lives, is not taken for one that is gone', async () => {
    const place = { kind: 'sqlite', path: newPath() } as const
    const writer = await startTurn(place, 600_000)
    const reader = createHistory({
      store: sqliteStore({ path: place.path, readOnly: true }),
    }).thread('trip')
    expect(await reader.status()).toMatchObject({ state: 'open', turn: 1 })
    expect(() => open(place)).toThrow(expect.objectContaining({ code: 'store_locked' }))
    writer.step()
    await writer.waitFor('acknowledged', 3)
    expect(await reader.status()).toEqual({ state: 'idle' })
  })

  const why = whyNoPostgres()
  if (why) console.warn(`Not tested on PostgreSQL: ${why}`)
  it.skipIf(why)(
    'on PostgreSQL, holds its turn for as long as the refusal says, and no longer',
    async () => {
      const kill = async (leaseMs: number) => {
        const postgres = await startPostgres()
        const place = { kind: 'postgres', url: postgres.url } as const
        const writer = await startTurn(place, leaseMs)
        const { history, thread } = open(place)
        await writer.kill()
        return { thread, close: () => history.close().then(() => postgres.stop()) }
      }
      const held = await kill(600_000)
      const refused = await held.thread.begin(question).catch(error => error)
      expect(refused).toMatchObject({ code: 'turn_open', message: expect.stringContaining('s') })
      expect(refused.retryAfterMs).toBeGreaterThan(0)
      expect(refused.retryAfterMs).toBeLessThanOrEqual(600_000)
      expect(await held.thread.status()).toMatchObject({ state: 'open', turn: 1 })
      await held.close()

      const { thread, close } = await kill(500)
      await expect.poll(() => thread.status()).toMatchObject({ state: 'interrupted', turn: 1 })
      expect(await thread.turns()).toMatchObject([{ status: 'interrupted' }])
      expect((await thread.begin(question)).kind).toBe('begun')
      await close()
    },
  )
})
