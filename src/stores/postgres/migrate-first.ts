import type { Database } from './database.ts'
import { migrate } from './migrate.ts'

/**
 * The database with its schema migrated before the first statement. Instances that start at once wait for one another;
 * later statements cost nothing.
 */
export function migrateFirst(database: Database, schema: string): Database {
  let isReady = false
  let preparing: Promise<void> | undefined

  async function prepare(): Promise<void> {
    // A user who may not change the schema may still use one that is up to date.
    if ((await migrate(database, schema, true)).length > 0) await migrate(database, schema, false)
    isReady = true
  }

  async function ready(): Promise<Database> {
    if (isReady) return database
    preparing ??= prepare()
    try {
      await preparing
    } finally {
      preparing = undefined
    }
    return database
  }

  return {
    ...database,
    read: async (...statement) => (await ready()).read(...statement),
    write: async (...statement) => (await ready()).write(...statement),
    tryWrite: async (...statement) => (await ready()).tryWrite(...statement),
  }
}
