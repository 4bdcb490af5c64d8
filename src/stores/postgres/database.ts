import { StoreError } from '../store-error.ts'
import type { PgClient, PgPool, Row } from './pg-client.ts'
import { isCollision, isDuplicate, isLost, messageOf, toStoreError } from './postgres-error.ts'
import { preparedStatements } from './prepared-statements.ts'

/** Every statement is a transaction of its own, so it runs behind any pooler. */
export interface Database {
  read(sql: string, values: readonly unknown[]): Promise<readonly Row[]>
  /** Runs a write, again after a collision, prepared where possible. Throws OutcomeUnknownError if the answer is lost. */
  write(sql: string, values: readonly unknown[]): Promise<readonly Row[]>
  /** `write`, but without rows where it cannot be prepared or breaks a unique constraint. */
  tryWrite(sql: string, values: readonly unknown[]): Promise<readonly Row[]>
  /** Several statements in one transaction on one connection. Only migrations need it. */
  transaction<T>(run: (client: PgClient) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/**
 * Collisions are rare, as no transaction waits with a lock in hand: many in a row are a fault to be seen. In a database
 * whose default is stricter than READ COMMITTED every two writers of a branch collide, and one always gets through.
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
        // A random wait, so that one of the two comes first the next time.
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
        // A transaction that waited for a lock must see what the holder has written.
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
      // A given pool is not closed: it belongs to its owner. A pool that failed to open has already been reported.
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

/** A broken connection rejects the statement that waits for it; its error event adds nothing. */
const ignore = () => {}

async function openPool(url: string | undefined): Promise<PgPool> {
  const { default: pg } = await import('pg').catch(cause => {
    throw new StoreError('store_unavailable', 'The PostgreSQL store needs pg: npm install pg', { cause })
  })
  const pool = new pg.Pool({ ...(url === undefined ? {} : { connectionString: url }), max: 10 })
  pool.on('error', ignore)
  return pool
}
