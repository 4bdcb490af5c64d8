import { afterAll, beforeAll, describe, it } from 'vitest'
import { startPostgres, type TestPostgres, whyNoPostgres } from '../../../test/postgres.ts'
import { storeCases } from '../../testing/store-cases.ts'
import { postgresStore } from './postgres-store.ts'

const reason = whyNoPostgres()
if (reason) console.warn(`Not tested: ${reason}`)

describe.skipIf(reason)(`PostgreSQL${reason ? `: ${reason}` : ''}`, () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server?.stop())

  describe('is a store', () => {
    for (const { name, run } of storeCases)
      it(name, () => run(async () => postgresStore({ url: server.url })))
  })
})
