import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryStore } from '@throughline/stores/memory'
import { postgresStore } from '@throughline/stores/postgres'
import { sqliteStore } from '@throughline/stores/sqlite'
import type { Store } from '@throughline/stores/store'
import { afterAll } from 'vitest'
import { startPostgres, whyNoPostgres } from './postgres.ts'

/**
 * The stores for a test of what stands above them, where the store does not matter: memory, and with THROUGHLINE_LONG every
 * one. The suite of stores proves that all behave alike.
 */
export async function someStores(): ReturnType<typeof everyStore> {
  return process.env.THROUGHLINE_LONG ? everyStore() : [['memory', () => memoryStore()]]
}

/** Every store that can be had here, each time a new and empty one. All are closed and removed after the tests. */
export async function everyStore(): Promise<
  readonly (readonly [name: string, create: () => Store])[]
> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-stores-'))
  const reason = whyNoPostgres()
  const server = reason ? undefined : await startPostgres()
  const opened: Store[] = []
  let count = 0
  const keep = (store: Store) => {
    opened.push(store)
    return store
  }
  afterAll(async () => {
    for (const store of opened) await store.close()
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const names = {
    memory: () => keep(memoryStore()),
    sqlite: () => keep(sqliteStore({ path: join(folder, `${count++}.db`) })),
    ...(server && {
      postgres: () => keep(postgresStore({ url: server.url, schema: `store_${count++}` })),
    }),
  }
  return Object.entries(names)
}
