import { randomBytes, randomInt } from 'node:crypto'
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'
import { findPostgres, prepareBinaries, runAs, type ServerProcess, startAs } from './postgres-binaries.ts'

/** A real PostgreSQL for tests. */
export interface TestPostgres {
  readonly url: string
  /** Ends it, and removes what it has written. */
  stop(): Promise<void>
  /** Like a crash of the server: no process of it gets the time to clean up. Not for a server of DATABASE_URL. */
  stopImmediate(): Promise<void>
  /** Starts it again on the same data and the same port. */
  restart(): Promise<void>
}

/** Why there is no server to test against on this machine; nothing when there is one. */
export function whyNoPostgres(): string | undefined {
  if (process.env.DATABASE_URL) return undefined
  const found = findPostgres()
  return 'problem' in found ? found.problem : undefined
}

/**
 * Tests on a PostgreSQL that is started for them and stopped after them, with a client that is connected to it. Where there is
 * no server, they are skipped, and the reason is printed and stands in their name.
 */
export function describePostgres(
  name: string,
  tests: (server: TestPostgres & { readonly client: pg.Client }) => void,
): void {
  const reason = whyNoPostgres()
  if (reason) console.warn(`Not tested: ${name}: ${reason}`)
  describe.skipIf(reason)(reason ? `${name}: ${reason}` : name, () => {
    // Filled before the first test, and only used by then.
    const server = {} as TestPostgres & { readonly client: pg.Client }
    beforeAll(async () => {
      const started = await startPostgres()
      Object.assign(server, started, { client: await connect(started.url) })
    }, 60_000)
    afterAll(async () => {
      await server.client?.end()
      await server.stop?.()
    })
    tests(server)
  })
}

/** Uses DATABASE_URL if given, in a database of its own; else the server binaries that npm has brought. */
export async function startPostgres(): Promise<TestPostgres> {
  const given = process.env.DATABASE_URL
  return given ? ownDatabase(given) : ownServer()
}

async function ownDatabase(given: string): Promise<TestPostgres> {
  const name = `throughline_test_${randomBytes(6).toString('hex')}`
  const url = new URL(given)
  url.pathname = `/${name}`
  await runSql(given, `create database ${name}`)
  const refuse = async () => {
    throw new Error('The server of DATABASE_URL is not ours to stop.')
  }
  return {
    url: url.href,
    stop: () => runSql(given, `drop database ${name} with (force)`),
    stopImmediate: refuse,
    restart: refuse,
  }
}

async function ownServer(): Promise<TestPostgres> {
  // A socket path has at most 107 bytes, and the temporary folder of macOS is long.
  const base = tmpdir().length < 60 ? tmpdir() : '/tmp'
  const home = mkdtempSync(join(base, 'throughline-pg-'))
  chmodSync(home, 0o755)
  try {
    return await startIn(home)
  } catch (error) {
    rmSync(home, { recursive: true, force: true })
    throw error
  }
}

async function startIn(home: string): Promise<TestPostgres> {
  const bin = prepareBinaries(home)
  const data = mkdtempSync(join(home, 'data-'))
  if (process.getuid?.() === 0) chownSync(data, 65534, 65534)
  runAs(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-N', ...locale])
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`

  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${data}`]
  settings.push('fsync=on', 'shared_buffers=64MB', 'max_connections=60')
  const start = async () => {
    const started = startAs(join(bin, 'postgres'), ['-D', data, ...settings.flatMap(one => ['-c', one])])
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

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  // A server that is stopped ends its connections.
  client.on('error', () => {})
  await client.connect()
  return client
}

/**
 * Below the ports that the system gives to clients: while the server is down, a client that dials its port could
 * otherwise be given the same one, and would talk to itself.
 */
async function freePort(): Promise<number> {
  const port = randomInt(15_000, 30_000)
  const isFree = await new Promise(resolve => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
  return isFree ? port : freePort()
}
