import type { Store } from '../../stores/store.ts'
import type { ServerConfig } from '../config/config-schema.ts'

/** Opens the log and brings its schema up to date, so that a fault shows when the server starts. */
export async function openStore(config: ServerConfig): Promise<Store> {
  const { db, store: url, maxEntry: maxEntryBytes, storeTimeout: timeoutMs } = config
  const store =
    url === undefined
      ? (await import('../../stores/sqlite/sqlite-store.ts')).sqliteStore({
          ...{ path: db, maxEntryBytes },
          // Enough to delete all but very long conversations when nothing else can be written.
          spareBytes: 4 * 1024 ** 2,
        })
      : (await import('../../stores/postgres/postgres-store.ts')).postgresStore({
          ...{ url, maxEntryBytes, timeoutMs },
        })
  try {
    await store.migrate()
    return store
  } catch (error) {
    await store.close().catch(() => undefined)
    throw error
  }
}
