import { StoreError } from '../store-error.ts'
import type { SqliteDatabase, SqliteDriver } from './driver.ts'
import { resultCode, SQLITE_BUSY, toStoreError } from './sqlite-error.ts'

/**
 * One writer a file: several starve each other in waits of seconds, so the second one is told at once. The lock is a
 * write transaction on a small database beside the file that is never finished. The system lets go of it when the
 * process dies, however it dies. Gives the function that lets go of it.
 */
export function lockForWriting(driver: SqliteDriver, path: string): () => void {
  let lock: SqliteDatabase | undefined
  try {
    lock = new driver(`${path}-lock`)
    lock.exec('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE')
    // Who it is must be committed to be read by the one who is refused.
    lock.exec('CREATE TABLE IF NOT EXISTS owner (pid INTEGER NOT NULL); DELETE FROM owner')
    lock.exec(`INSERT INTO owner VALUES (${Number(process.pid)})`)
    lock.exec('COMMIT; BEGIN IMMEDIATE')
    return () => release(lock!)
  } catch (error) {
    const owner = resultCode(error) === SQLITE_BUSY ? ownerOf(lock) : undefined
    lock?.close()
    if (owner === undefined) throw toStoreError(error, `${path}-lock`)
    const problem = `${path} is open for writing in ${owner}: a file has one writer. Open it with { readOnly: true }`
    throw new StoreError('store_locked', `${problem}, or use PostgreSQL for several processes.`, {
      cause: error,
    })
  }
}

function ownerOf(lock: SqliteDatabase | undefined): string {
  try {
    const row = lock?.prepare('SELECT pid FROM owner').get() as { pid: number } | undefined
    if (row) return row.pid === process.pid ? 'this process' : `process ${row.pid}`
  } catch {
    // It is being written this very moment.
  }
  return 'another process'
}

/** Rolled back first: a driver may keep a closed database until its statements are collected, and the lock with it. */
function release(lock: SqliteDatabase): void {
  lock.exec('ROLLBACK')
  lock.close()
}
