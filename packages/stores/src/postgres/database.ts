import { createHash } from 'node:crypto'
import { ThroughlineError } from '@throughline/core/errors'
import { OutcomeUnknownError, StoreError, type StoreProblem } from '../store-error.ts'

export type Row = Readonly<Record<string, unknown>>

/** A statement; with a name it is parsed once for a connection. */
export interface Statement {
  /** SQL, with `$1`, `$2` … where values go. */
  readonly text: string
  /** The value of `$1` first. */
  readonly values?: unknown[]
  /** The same name always stands for the same text. */
  readonly name?: string
  /** After how many milliseconds `pg` gives the statement up. */
  readonly query_timeout?: number
}

/** A statement of several in a transaction. */
export interface Step extends Statement {
  readonly mustReturn: boolean
}

/** The part of a `pg` client that is used. */
export interface PgClient {
  /** Runs one statement; rejects with the database's error. */
  query(statement: Statement): Promise<{ readonly rows: Row[]; readonly rowCount: number | null }>
  /** Listens for a connection that breaks while no statement runs, and for warnings. */
  on(event: 'error' | 'notice', listener: (error: Error) => void): unknown
  /** Stops listening. */
  off(event: 'error' | 'notice', listener: (error: Error) => void): unknown
  /** Gives the connection back to the pool; with `true` it is closed instead. */
  release(destroy?: boolean): void
}

/** The part of a `pg` pool that is used: `new Pool()` is one. */
export interface PgPool {
  /** Takes a connection out of the pool, or makes one. */
  connect(): Promise<PgClient>
  /** Closes all connections. Called for a pool that the store made, never for yours. */
  end(): Promise<void>
}

export type RunQuery = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>

/** Nearly every statement is a transaction of its own, and none needs a session: it runs behind a pooler. */
export type Database = ReturnType<typeof openDatabase>

/** Collisions are rare, and one writer always gets through. Only a default stricter than READ COMMITTED makes many in a row. */
const attempts = 12

export function openDatabase(options: {
  readonly url?: string | undefined
  readonly pool?: PgPool | undefined
  readonly timeoutMs?: number | undefined
}) {
  let opened: Promise<PgPool> | undefined
  let isClosed = false
  const runPrepared = preparedStatements()
  const pool = () => {
    if (isClosed) throw new StoreError('store_closed', 'The store was closed: open another one.')
    opened ??= options.pool ? Promise.resolve(options.pool) : openPool(options)
    return opened
  }

  async function withClient<T>(
    isWrite: boolean,
    run: (client: PgClient) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const client = await connect(await pool())
      try {
        const result = await run(client)
        release(client, false)
        return result
      } catch (error) {
        if (isRefusal(error)) {
          release(client, false)
          throw error
        }
        release(client, isLost(error))
        if (!isCollision(error) || attempt === attempts) throw toStoreError(error, isWrite)
        // A random wait, so that one of the two comes first the next time.
        await new Promise(resolve => setTimeout(resolve, Math.random() * 10 * attempt))
      }
    }
  }

  const toStatement = (text: string, values: readonly unknown[]) => ({
    text,
    values: [...values],
    query_timeout: options.timeoutMs,
  })

  const run = (isWrite: boolean, text: string, values: readonly unknown[]) =>
    withClient(isWrite, async client => {
      const statement = toStatement(text, values)
      return ((await runPrepared(client, statement)) ?? (await client.query(statement))).rows
    })

  return {
    read: (text: string, values: readonly unknown[] = []): Promise<readonly Row[]> =>
      withClient(false, async client => (await client.query(toStatement(text, values))).rows),
    /** `read`, prepared where possible: for statements that are planned alike whatever their values are. */
    readPrepared: (text: string, values: readonly unknown[]) => run(false, text, values),
    /** Runs a write, again after a collision, prepared where possible. Throws OutcomeUnknownError if the answer is lost. */
    write: (text: string, values: readonly unknown[]) => run(true, text, values),
    /** `write` that may write nothing, also because it breaks a unique constraint: then undefined, else its first row or an empty one. */
    tryWrite: (text: string, values: readonly unknown[]): Promise<Row | undefined> =>
      withClient(true, async client => {
        try {
          const statement = toStatement(text, values)
          const { rows, rowCount } =
            (await runPrepared(client, statement)) ?? (await client.query(statement))
          return rowCount === 0 ? undefined : (rows[0] ?? {})
        } catch (error) {
          if (isDuplicate(error)) return undefined
          throw error
        }
      }),
    /** Several statements in one transaction on one connection, for what is rare. `isLimited`: by the time limit. */
    transaction: <T>(work: (query: RunQuery) => Promise<T>, isLimited = true) =>
      withClient(true, async client => {
        const query: RunQuery = async (text, values = []) =>
          (
            await client.query(
              isLimited ? toStatement(text, values) : { text, values: [...values] },
            )
          ).rows
        // A cluster only warns where it does not know whether one of its machines has written.
        let doubt: Error | undefined
        const listen = (notice: Error) => {
          if (notice.message?.startsWith('failed to commit transaction on')) doubt = notice
        }
        client.on('notice', listen)
        // A transaction that waited for a lock must see what the holder has written.
        await query('begin isolation level read committed')
        try {
          const result = await work(query)
          await query('commit')
          if (doubt)
            throw new OutcomeUnknownError(
              `PostgreSQL cannot tell whether it is stored (${doubt.message})`,
              doubt,
            )
          return result
        } catch (error) {
          if (error instanceof OutcomeUnknownError) throw error
          if (isRefusal(error) || !isLost(error)) await query('rollback')
          throw error
        } finally {
          client.off('notice', listen)
        }
      }),
    async close() {
      // A given pool is not closed: it belongs to its owner. A pool that failed to open has already been reported.
      const openedPool = options.pool || isClosed ? undefined : opened?.catch(() => undefined)
      isClosed = true
      await (await openedPool)?.end()
    },
  }
}

/**
 * Statements one after the other in a transaction, for tables that are spread over machines: one statement that writes to several
 * tables would need all machines. Undefined if one that must give a row gives none, or breaks a unique constraint.
 */
export async function runSteps(
  database: Database,
  steps: readonly Step[],
): Promise<Row | undefined> {
  try {
    return await database.transaction(async query => {
      let row: Row = {}
      for (const { text, values, mustReturn } of steps) {
        const [first] = await query(text, values)
        if (mustReturn && !first) throw new NothingToWrite()
        row = first ?? row
      }
      return row
    })
  } catch (error) {
    if (isRefusal(error) || isDuplicate((error as Error).cause)) return undefined
    throw error
  }
}

/** Undoes a transaction that has nothing to write. */
class NothingToWrite extends Error {}

const isRefusal = (error: unknown): boolean => error instanceof NothingToWrite

async function connect(pool: PgPool): Promise<PgClient> {
  try {
    const client = await pool.connect()
    client.on('error', ignore)
    return client
  } catch (error) {
    const hint =
      'Is the server up, and its address right? It is the option "url", else PGHOST, PGPORT and their kin.'
    throw new StoreError(
      'store_unavailable',
      `Cannot connect to PostgreSQL: ${messageOf(error)}. ${hint}`,
      {
        cause: error,
      },
    )
  }
}

function release(client: PgClient, destroy: boolean): void {
  client.off('error', ignore)
  client.release(destroy)
}

/** A broken connection rejects the statement that waits for it; its error event adds nothing. */
const ignore = () => {}

async function openPool({ url, timeoutMs }: Parameters<typeof openDatabase>[0]): Promise<PgPool> {
  const { default: pg } = await import('pg').catch(cause => {
    throw new StoreError('store_unavailable', 'The PostgreSQL store needs pg: npm install pg', {
      cause,
    })
  })
  const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: timeoutMs, max: 10 })
  pool.on('error', ignore)
  return pool
}

/**
 * Runs statements that a connection parses once. Some poolers lend another connection each time, which does not know them:
 * the first such error, before anything was run, turns preparing off, and the answer is undefined from then on. A name is
 * a hash of its text, so equal names on a lent connection mean equal statements.
 */
function preparedStatements() {
  const names = new Map<string, string>()
  let isAllowed = true

  function nameOf(text: string): string {
    const name =
      names.get(text) ??
      `throughline ${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
    names.set(text, name)
    return name
  }

  return async (client: PgClient, statement: Statement) => {
    if (!isAllowed) return undefined
    try {
      return await client.query({ ...statement, name: nameOf(statement.text) })
    } catch (error) {
      if (!isUnprepared(error)) throw error
      isAllowed = false
      return undefined
    }
  }
}

function toStoreError(error: unknown, isWrite: boolean): ThroughlineError {
  if (error instanceof ThroughlineError) return error
  if (isLost(error) && isWrite) {
    const problem = `The connection to PostgreSQL was lost before it answered (${messageOf(error)})`
    return new OutcomeUnknownError(problem, error)
  }
  if (isLost(error))
    return new StoreError('store_unavailable', `PostgreSQL went away: ${messageOf(error)}.`, {
      cause: error,
    })
  const problem = problems.find(([codes]) => codes.test(codeOf(error)))?.[1] ?? 'store_failed'
  const advice = problem === 'store_schema' ? ' Call migrate() first.' : ''
  const message = `PostgreSQL refused (${codeOf(error)}): ${messageOf(error)}.${advice}`
  return new StoreError(problem, message, { cause: error })
}

/** Whether two transactions collided and this one was rolled back: it can be run again. */
const isCollision = (error: unknown): boolean => /^(40001|40P01)$/.test(codeOf(error))

/** Whether a pooler lent a connection that does not know the prepared statement, or already has it; nothing was run. */
const isUnprepared = (error: unknown): boolean => /^(26000|42P05)$/.test(codeOf(error))

/** Citus loses the code of some, and numbers the constraint by its shard. */
const isDuplicate = (error: unknown): boolean =>
  codeOf(error) === '23505' ||
  (codeOf(error) === 'XX000' &&
    /"(entries|turns|branches|calls)_[a-z]+_[0-9]+"/.test(messageOf(error)))

/** Whether the database did not answer, or said that it is shutting down. */
const isLost = (error: unknown): boolean =>
  !(error instanceof Error && 'severity' in error) ||
  /^(08|57P0[123]|40003)/.test(codeOf(error)) ||
  // So Citus says that a machine went away while it wrote there.
  (codeOf(error) === 'XX000' && messageOf(error).startsWith('failure on connection'))

/** An attempt at several addresses of one name fails with an error that only lists others. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(messageOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}

const codeOf = (error: unknown): string =>
  String((error as { code?: unknown } | undefined)?.code ?? '')

const problems: readonly (readonly [RegExp, StoreProblem])[] = [
  // The schema, a table, a column or a function is missing: never made, or older than this program.
  [/^(3F000|42P01|42703|42883)$/, 'store_schema'],
  [/^53100$/, 'store_full'],
  [/^58030$/, 'store_io'],
  [/^XX00[12]$/, 'store_corrupt'],
  [/^25006$/, 'store_read_only'],
  [/^(40001|40P01|55P03|57014)$/, 'store_busy'],
]
