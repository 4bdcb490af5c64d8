import { postgresStore } from '../../stores/postgres/postgres-store.ts'
import { sqliteStore } from '../../stores/sqlite/sqlite-store.ts'
import type { Store } from '../../stores/store.ts'
import type { ServerConfig } from '../config/config-schema.ts'

/** Opens the log and brings its schema up to date, so that a fault shows when the server starts. */
export async function openStore({
  db,
  store: url,
  maxEntry: maxEntryBytes,
  storeTimeout: timeoutMs,
}: Pick<ServerConfig, 'db' | 'store' | 'maxEntry' | 'storeTimeout'>): Promise<Store> {
  const store =
    url === undefined
      ? sqliteStore({ path: db, maxEntryBytes })
      : postgresStore({ url, maxEntryBytes, timeoutMs })
  try {
    await store.migrate()
    return store
  } catch (error) {
    await store.close().catch(() => undefined)
    throw error
  }
}
