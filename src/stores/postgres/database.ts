import { StoreError } from '../store-error.ts'
import type { PgClient, PgPool, Row } from './pg-client.ts'
import { isCollision, isDuplicate, isLost, messageOf, toStoreError } from './postgres-error.ts'
import { preparedStatements } from './prepared-statements.ts'

/** Every statement is a transaction of its own: that is what runs behind any pooler. */
export interface Database {
  read(sql: string, values: readonly unknown[]): Promise<readonly Row[]>
  /** Rolled back by a collision: run again. No answer: OutcomeUnknownError. Prepared, where the pooler allows it. */
  write(sql: string, values: readonly unknown[]): Promise<readonly Row[]>
  /** The same, but gives no rows where it cannot be prepared, or something in it is there already. */
  tryWrite(sql: string, values: readonly unknown[]): Promise<readonly Row[]>
  /** Several statements in one transaction on one connection. Only migrations need it. */
  transaction<T>(run: (client: PgClient) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/**
 * Collisions are rare, because nobody waits with a lock in hand: many in a row are a fault to be seen. A database whose
 * default is stricter than READ COMMITTED has them for every two writers of a branch; one of them always gets through.
 */
const attempts = 12

export function openDatabase(given: { readonly url?: string; readonly pool?: PgPool }): Database {
  let opened: Promise<PgPool> | undefined
  let isClosed = false
  const prepared = preparedStatements()
  const pool = () => {
    if (isClosed) throw new StoreError('store_closed', 'The store was closed: open another one.')
    opened ??= given.pool ? Promise.resolve(given.pool) : openPool(given.url)
    return opened
  }

  async function withClient<T>(isWrite: boolean, run: (client: PgClient) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const client = await connect(await pool())
      try {
        const result = await run(client)
        release(client, false)
        return result
      } catch (error) {
        release(client, isLost(error))
        if (!isCollision(error) || attempt === attempts) throw toStoreError(error, isWrite)
        // Of two that collided, one should come first the next time.
        await new Promise(resolve => setTimeout(resolve, Math.random() * 10 * attempt))
      }
    }
  }

  return {
    read: (text, values) =>
      withClient(false, async client => (await client.query({ text, values: [...values] })).rows),
    write: (text, values) =>
      withClient(true, async client => (await prepared.query(client, { text, values: [...values] })).rows),
    tryWrite: (text, values) =>
      withClient(true, async client => {
        const query = prepared.tryQuery(client, { text, values: [...values] })
        return (await query.catch(error => (isDuplicate(error) ? none : Promise.reject(error)))).rows
      }),
    transaction: run =>
      withClient(true, async client => {
        // Whoever waited for a lock must see what the one before has done.
        await client.query({ text: 'begin isolation level read committed' })
        try {
          const result = await run(client)
          await client.query({ text: 'commit' })
          return result
        } catch (error) {
          if (!isLost(error)) await client.query({ text: 'rollback' })
          throw error
        }
      }),
    async close() {
      // A pool that was handed in belongs to its owner. One that never came to be has said so to whoever needed it.
      const mine = given.pool || isClosed ? undefined : opened?.catch(() => undefined)
      isClosed = true
      await (await mine)?.end()
    },
  }
}

async function connect(pool: PgPool): Promise<PgClient> {
  try {
    const client = await pool.connect()
    client.on('error', ignore)
    return client
  } catch (error) {
    const hint =
      'Is the server up, and its address right? It is the option "url", else PGHOST, PGPORT and their kin.'
    throw new StoreError('store_unavailable', `Cannot connect to PostgreSQL: ${messageOf(error)}. ${hint}`, {
      cause: error,
    })
  }
}

function release(client: PgClient, destroy: boolean): void {
  client.off('error', ignore)
  client.release(destroy)
}

const none = { rows: [] }

/** A connection that breaks rejects the statement that waits for it; the event says nothing more. */
const ignore = () => {}

async function openPool(url: string | undefined): Promise<PgPool> {
  const { default: pg } = await import('pg').catch(cause => {
    throw new StoreError('store_unavailable', 'The PostgreSQL store needs pg: npm install pg', { cause })
  })
  const pool = new pg.Pool({ ...(url === undefined ? {} : { connectionString: url }), max: 10 })
  pool.on('error', ignore)
  return pool
}
