import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'
import { skipReason } from './needs.ts'
import { findPostgres } from './postgres-binaries.ts'
import { connect, runSql, startServer, type TestPostgres } from './postgres-server.ts'
import { sharedServer } from './shared-server.ts'

export { openPool, runSql, type TestPostgres } from './postgres-server.ts'

/** Why there is no server to test against on this machine, printed; nothing when there is one. */
export function whyNoPostgres(tests = 'PostgreSQL'): string | undefined {
  if (process.env.DATABASE_URL) return undefined
  const found = findPostgres()
  return 'problem' in found ? skipReason(tests, found.problem) : undefined
}

/**
 * Tests on a PostgreSQL, with a client that is connected to it. Where there is no server, they are skipped, and the reason is
 * printed and stands in their name.
 */
export function describePostgres(
  name: string,
  tests: (server: TestPostgres & { readonly client: pg.Client }) => void,
  options: { readonly isOwn?: boolean } = {},
): void {
  const reason = whyNoPostgres(name)
  describe.skipIf(reason)(reason ? `${name}: ${reason}` : name, () => {
    // Filled before the first test, and only used by then.
    const server = {} as TestPostgres & { readonly client: pg.Client }
    beforeAll(async () => {
      const started = await startPostgres(options)
      Object.assign(server, started, { client: await connect(started.url) })
    })
    afterAll(async () => {
      await server.client?.end()
      await server.stop?.()
    })
    tests(server)
  })
}

/**
 * A PostgreSQL for a test: a database of its own in the server of DATABASE_URL, or else in the one that all files of a run
 * share. `isOwn` starts a server, for tests that stop it or change its settings; with DATABASE_URL there is none.
 */
export async function startPostgres({ isOwn = false } = {}): Promise<TestPostgres> {
  const given = process.env.DATABASE_URL
  if (given) return ownDatabase(given, 'The server of DATABASE_URL is not ours to stop.')
  if (isOwn) return startServer()
  return ownDatabase(
    await sharedServer('postgres'),
    'The server is shared with other tests: ask for one with "isOwn".',
  )
}

async function ownDatabase(given: string, problem: string): Promise<TestPostgres> {
  const name = `throughline_test_${randomBytes(6).toString('hex')}`
  const url = new URL(given)
  url.pathname = `/${name}`
  await runSql(given, `create database ${name}`)
  const refuse = async () => {
    throw new Error(problem)
  }
  return {
    url: url.href,
    stop: () => runSql(given, `drop database ${name} with (force)`),
    stopImmediate: refuse,
    restart: refuse,
  }
}
