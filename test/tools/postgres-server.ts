import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { prepareBinaries, runAs, type ServerProcess, startAs } from './postgres-binaries.ts'

/** A real PostgreSQL for tests. */
export interface TestPostgres {
  readonly url: string
  /** Ends it, and removes what it has written. */
  stop(): Promise<void>
  /** Like a crash of the server: no process of it gets the time to clean up. Only for a server of one's own. */
  stopImmediate(): Promise<void>
  /** Starts it again on the same data and the same port. Only for a server of one's own. */
  restart(): Promise<void>
}

/** Starts the server binaries that npm has brought. `settings` as on the command line: `fsync=off`. */
export async function startServer(...settings: readonly string[]): Promise<TestPostgres> {
  // A socket path has at most 107 bytes, and the temporary folder of macOS is long.
  const base = tmpdir().length < 60 ? tmpdir() : '/tmp'
  const home = mkdtempSync(join(base, 'throughline-pg-'))
  chmodSync(home, 0o755)
  try {
    return await startIn(home, settings)
  } catch (error) {
    rmSync(home, { recursive: true, force: true })
    throw error
  }
}

async function startIn(home: string, given: readonly string[]): Promise<TestPostgres> {
  const bin = await prepareBinaries(home)
  const data = mkdtempSync(join(home, 'data-'))
  if (process.getuid?.() === 0) chownSync(data, 65534, 65534)
  await runAs(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-N', ...locale])
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`

  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${data}`]
  settings.push('fsync=on', 'shared_buffers=64MB', 'max_connections=60', ...given)
  const start = async () => {
    const started = startAs(join(bin, 'postgres'), [
      '-D',
      data,
      ...settings.flatMap(one => ['-c', one]),
    ])
    await waitUntilReady(url, started)
    return started
  }
  let server = await start()

  return {
    url,
    async stop() {
      await server.end('SIGINT')
      rmSync(home, { recursive: true, force: true })
    },
    stopImmediate: () => server.end('SIGQUIT'),
    async restart() {
      await server.end('SIGINT')
      server = await start()
    },
  }
}

/** A locale that sorts other than by code points, so that a store that relies on the database's order is caught. */
const locale = ['-E', 'UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en']

async function waitUntilReady(url: string, server: ServerProcess): Promise<void> {
  for (;;) {
    if (server.hasEnded()) throw new Error(`PostgreSQL did not start: ${server.output()}`)
    try {
      return await runSql(url, 'select 1')
    } catch {
      await sleep(25)
    }
  }
}

export async function runSql(url: string, sql: string): Promise<void> {
  const client = await connect(url)
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  // A server that is stopped ends its connections.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** A pool of connections, for a test that reads beside the store. */
export function openPool(url: string, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, ...options })
  // A pool has ended before its connections have: a database that is dropped then breaks them.
  pool.on('error', () => {})
  return pool
}
