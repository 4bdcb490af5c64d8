import { spawn } from 'node:child_process'
import { isLong } from '@throughline/test-tools/is-long'
import { describePostgres, openPool } from '@throughline/test-tools/postgres'
import { rolldown } from 'rolldown'
import { expect, it } from 'vitest'
import type { Store, ThreadKey } from '../store.ts'
import { entry, exchange, findAll, newThread, open } from '../testing/store-cases-help.ts'
import { openDatabase, type PgPool, type Statement } from './database.ts'
import { postgresStore } from './postgres-store.ts'
import { conversationKey } from './rows.ts'
import { indexWaiting } from './word-indexer.ts'

describePostgres('words that are indexed later, in PostgreSQL', server => {
  let schemas = 0

  /** A schema of its own with a store that indexes nothing by itself: tests say when. */
  async function fresh() {
    const schema = `later_${schemas++}`
    const options = { url: server.url, schema }
    const store = postgresStore({ ...options, search: false })
    await store.migrate()
    const count = async (sql: string) =>
      Number(
        (await server.client.query(`select count(*) as count from ${schema}.${sql}`)).rows[0].count,
      )
    return {
      schema,
      options,
      store,
      indexed: (thread?: ThreadKey) =>
        count(thread ? `words where key = '${conversationKey(thread)}'` : 'words'),
      waiting: () => count('branches where waiting_after is not null'),
    }
  }

  async function index(schema: string, pool?: PgPool) {
    const database = openDatabase(pool ? { pool } : { url: server.url })
    try {
      return await indexWaiting({ database, schema, isIndexed: true, isDistributed: false })
    } finally {
      await database.close()
    }
  }

  it('finds an entry once, whether it waits, is indexed, or both lie around it', async () => {
    const { schema, options, store, indexed, waiting } = await fresh()
    const [thread, others] = [newThread(), newThread()]
    const searching = postgresStore(options)
    const seqs = async () =>
      (await findAll(searching, thread.tenant, 'heron')).map(({ seq }) => seq).sort((a, b) => b - a)
    await exchange(store, thread, 'a heron', 'grey heron')
    await exchange(store, others, 'their heron')
    await store.fork(thread, { at: 2, branch: 'edit' })
    expect([await seqs(), await indexed(), await waiting()]).toEqual([[2, 1], 0, 2])
    expect(await index(schema)).toBe(true)
    expect([await seqs(), await indexed(), await waiting()]).toEqual([[2, 1], 3, 0])
    await exchange(store, thread, 'white heron', 'a pelican')
    expect([await seqs(), await indexed(), await waiting()]).toEqual([[3, 2, 1], 3, 1])
    expect(await searching.check()).toEqual([])
    await exchange(store, { ...thread, branch: 'edit' }, 'night heron')
    await index(schema)
    expect([await seqs(), await waiting()]).toEqual([[3, 3, 2, 1], 0])
    expect(await searching.check()).toEqual([])
    await Promise.all([store.close(), searching.close()])
  })

  it('is done in the background by whoever writes or searches, and ends with the store', async () => {
    const { options, store, indexed, waiting } = await fresh()
    const thread = newThread()
    await exchange(store, thread, 'a heron')
    await store.close()
    let statements = 0
    const pool = onStatement(async () => ++statements > 0)
    const searching = postgresStore({ schema: options.schema, pool })
    expect(await findAll(searching, thread.tenant, 'heron')).toHaveLength(1)
    await expect.poll(waiting).toBe(0)
    await exchange(searching, thread, 'grey heron', 'a pelican')
    await expect.poll(() => indexed(thread)).toBe(3)
    await exchange(searching, thread, 'white heron')
    await searching.close()
    const before = statements
    await new Promise(resolve => setTimeout(resolve, 1_500))
    expect(statements).toBe(before)
    await pool.end()
    expect(await searchAnew(thread.tenant, options)).toBe('4,2,1')
  })

  it('is done by a search where much waits', async () => {
    const { options, store, indexed } = await fresh()
    const thread = newThread()
    const many = Array.from({ length: 900 }, (_, n) => entry(`heron ${n}`))
    await store.seed(thread, { expectedHead: 0, entries: many })
    await store.close()
    const searching = postgresStore(options)
    expect(await findAll(searching, thread.tenant, 'heron 0', { limit: 1_000 })).toMatchObject([
      { seq: 1 },
    ])
    expect(await indexed()).toBeGreaterThanOrEqual(400)
    expect(await findAll(searching, thread.tenant, 'heron', { limit: 1_000 })).toHaveLength(900)
    await searching.close()
  })

  it('goes with its conversation, and does not come back', async () => {
    const { schema, store, indexed, waiting } = await fresh()
    const [kept, gone] = [newThread(), newThread()]
    for (const thread of [kept, gone]) await exchange(store, thread, 'a heron', 'grey heron')
    await index(schema)
    await store.deleteConversation(gone.tenant, gone.conversation)
    expect([await indexed(kept), await indexed(gone)]).toEqual([2, 0])
    // The conversation is deleted after its entries were read, before their words are written.
    const late = newThread()
    await exchange(store, late, 'a late heron')
    const pool = onStatement(async text => {
      if (text.includes('.words (')) await store.deleteConversation(late.tenant, late.conversation)
      return true
    })
    expect(await index(schema, pool)).toBe(false)
    await pool.end()
    expect([await indexed(late), await waiting()]).toEqual([0, 0])
    expect(await store.check()).toEqual([])
    await store.close()
  })

  /** Cuts an indexer off at each of its statements in turn; lists what a search misses then, and later. */
  async function cutOffEverywhere(isLoss = (_: string) => false) {
    const missed: string[] = []
    for (let at = 1; at <= 5; at++) {
      const { schema, options, store } = await fresh()
      const threads = [newThread(), newThread()]
      for (const thread of threads) await exchange(store, thread, 'a heron', 'grey heron')
      let n = 0
      const pool = onStatement(async text => {
        if (isLoss(text)) return false
        if (++n === at) throw new Error('cut off')
        return true
      })
      await index(schema, pool).catch(() => {})
      await pool.end()
      for (const when of ['then', 'later']) {
        for (const { tenant } of threads) {
          const found = await searchAnew(tenant, options)
          if (found !== '2,1') missed.push(`${when}, cut off at ${at}: ${found}`)
        }
        await index(schema)
      }
      await store.close()
    }
    return missed
  }

  async function searchAnew(tenant: string, options: Parameters<typeof postgresStore>[0]) {
    const store = postgresStore(options)
    const found = (await findAll(store, tenant, 'heron')).map(({ seq }) => seq).join()
    await store.close()
    return found
  }

  it('loses nothing, wherever it is cut off', async () => {
    expect(await cutOffEverywhere()).toEqual([])
  })

  it('catches an indexer that says more than it has written', async () => {
    expect(await cutOffEverywhere(text => text.includes('.words ('))).not.toEqual([])
  })

  if (!isLong) console.info('Skipped: an indexer that is killed, only in the long run')
  it.runIf(isLong)('loses nothing when its process is killed', async () => {
    const { schema, options, store, indexed, waiting } = await fresh()
    const threads = Array.from({ length: 3 }, newThread)
    for (const thread of threads)
      await store.seed(thread, {
        expectedHead: 0,
        entries: Array.from({ length: 600 }, () => entry('heron')),
      })
    const code = await bundleIndexer()
    const child = spawn(process.execPath, ['--input-type=module', '-e', code, server.url, schema])
    const ended = new Promise(resolve => child.on('close', resolve))
    await expect.poll(() => indexed(), { interval: 5 }).toBeGreaterThan(0)
    child.kill('SIGKILL')
    await ended
    const searching = postgresStore(options)
    const find = async ({ tenant }: ThreadKey) =>
      (await findAll(searching, tenant, 'heron', { limit: 1_000 })).length
    expect(await Promise.all(threads.map(find))).toEqual([600, 600, 600])
    while (!(await index(schema)));
    expect([await indexed(), await waiting()]).toEqual([1_800, 0])
    expect(await Promise.all(threads.map(find))).toEqual([600, 600, 600])
    expect(await searching.check()).toEqual([])
    await Promise.all([store.close(), searching.close()])
  })

  it('is done by several at once, while others write and delete', async () => {
    const { schema, options, store, indexed, waiting } = await fresh()
    const threads = Array.from({ length: 6 }, newThread)
    let isOver = false
    const indexers = Array.from({ length: 3 }, async () => {
      while (!isOver) await index(schema)
    })
    await Promise.all(threads.map(thread => appendMany(store, thread, 40)))
    const [gone, ...kept] = threads
    await store.deleteConversation(gone!.tenant, gone!.conversation)
    isOver = true
    await Promise.all(indexers)
    while (!(await index(schema)));
    expect([await indexed(), await indexed(gone), await waiting()]).toEqual([5 * 40, 0, 0])
    const searching = postgresStore(options)
    for (const { tenant } of kept)
      expect(await findAll(searching, tenant, 'heron', { limit: 100 })).toHaveLength(40)
    expect(await searching.check()).toEqual([])
    await Promise.all([store.close(), searching.close()])
  })

  it('reads what waits where it may not write', async () => {
    const { options, store } = await fresh()
    const thread = newThread()
    const many = Array.from({ length: 700 }, (_, n) => entry(`heron ${n}`))
    await store.seed(thread, { expectedHead: 0, entries: many })
    await store.close()
    const pool = openPool(server.url, { options: '-c default_transaction_read_only=on' })
    const replica = postgresStore({ schema: options.schema, pool })
    expect(await findAll(replica, thread.tenant, 'heron', { limit: 1_000 })).toHaveLength(700)
    await replica.close()
    await pool.end()
  })

  /** A pool that asks before each statement whether to run it; one that is not run has no rows. */
  function onStatement(ask: (text: string) => Promise<boolean>): PgPool {
    const pool = openPool(server.url)
    return {
      async connect() {
        const lent = await pool.connect()
        return {
          query: async (statement: Statement) =>
            (await ask(statement.text)) ? lent.query(statement) : { rows: [], rowCount: 0 },
          on: lent.on.bind(lent),
          off: lent.off.bind(lent),
          release: destroy => lent.release(destroy),
        }
      },
      end: () => pool.end(),
    }
  }
})

async function appendMany(store: Store, thread: ThreadKey, count: number) {
  const { lease } = await open(store, thread, { entries: [entry('heron')] })
  for (let head = 1; head < count; head++)
    await store.append(thread, { lease, expectedHead: head, entries: [entry('heron')] })
}

/** Node 20 runs no TypeScript: the indexer is bundled, and `pg` is found from the working folder. */
async function bundleIndexer(): Promise<string> {
  const input = new URL('../../../../test/tools/postgres-indexer.ts', import.meta.url).pathname
  const build = await rolldown({ input, platform: 'node', external: ['pg'] })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  return output[0].code
}
