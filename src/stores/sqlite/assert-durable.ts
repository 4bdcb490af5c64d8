import { StoreError } from '../store-error.ts'
import type { SqliteDatabase } from './driver.ts'

/**
 * Reads the pragmas back after the first write and before its commit: a build with another default for WAL lowers
 * `synchronous` at that point, in silence, and acknowledged writes would not survive a loss of power.
 */
export function assertDurable(database: SqliteDatabase, path: string): void {
  const { synchronous } = database.prepare('PRAGMA synchronous').get() as { synchronous: number }
  const { journal_mode: journal } = database.prepare('PRAGMA journal_mode').get() as { journal_mode: string }
  if (synchronous === 2 && journal === 'wal') return
  throw new StoreError(
    'store_not_durable',
    `${path}: SQLite runs with synchronous=${synchronous}, journal_mode=${journal} instead of 2 (FULL) and wal: ` +
      'a loss of power could take back what was stored. Use another SQLite driver or file system.',
  )
}
