import { statSync } from 'node:fs'
import { StoreError } from '../store-error.ts'
import type { SqliteDatabase, SqliteDriver } from './driver.ts'
import { isFull, resultCode, SQLITE_BUSY, toStoreError } from './sqlite-error.ts'

/**
 * Lets one process write to a file: several would starve each other in waits of seconds, so the second is refused at
 * once. The lock is an unfinished write transaction on a small database beside the file; the system releases it when the
 * process dies, however it dies. Returns the function that releases it.
 */
export function lockForWriting(driver: SqliteDriver, path: string): () => void {
  let lock: SqliteDatabase | undefined
  try {
    lock = new driver(`${path}-lock`)
    lock.exec('PRAGMA busy_timeout = 0')
    begin(lock)
    if (ownerOf(lock) === undefined) refuseOtherNames(driver, path)
    setOwner(lock)
    const held = lock
    return () => release(held)
  } catch (error) {
    const isLocked = resultCode(error) === SQLITE_BUSY
    const owner = isLocked ? ownerOf(lock) : undefined
    if (lock) release(lock)
    if (!isLocked) throw toStoreError(error, `${path}-lock`)
    const who =
      owner === process.pid ? 'this process' : owner ? `process ${owner}` : 'another process'
    throw locked(path, `is open for writing in ${who}: a file has one writer`, error)
  }
}

/** Begins the transaction. A full disk has no room for a journal, but the lock itself needs none. */
function begin(lock: SqliteDatabase): void {
  try {
    lock.exec('BEGIN IMMEDIATE')
  } catch (error) {
    if (!isFull(error)) throw error
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE')
  }
}

/** Commits the process id, so that a refused process can read it. On a full disk the owner stays unknown. */
function setOwner(lock: SqliteDatabase): void {
  try {
    lock.exec('CREATE TABLE IF NOT EXISTS owner (pid INTEGER NOT NULL); DELETE FROM owner')
    lock.exec(`INSERT INTO owner VALUES (${Number(process.pid)}); COMMIT`)
  } catch (error) {
    if (!isFull(error)) throw error
    rollBack(lock)
  }
  begin(lock)
}

/**
 * The lock is found by the file's name. If it has no owner, this may be a second name (a link, a renamed file) of a file
 * that a process writes to, or the lock was deleted; two names would have two write-ahead logs. So the file must have one
 * name and be open nowhere: SQLite's own lock is on the file, whatever its name.
 */
function refuseOtherNames(driver: SqliteDriver, path: string): void {
  const file = statSync(path, { throwIfNoEntry: false })
  if (!file?.size) return
  if (file.nlink > 1)
    throw locked(
      path,
      `has ${file.nlink} hard links: remove the others, or copy it and write to the copy`,
    )
  let database: SqliteDatabase | undefined
  try {
    database = new driver(path)
    database.exec(
      'PRAGMA busy_timeout = 1000; PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; ROLLBACK',
    )
  } catch (error) {
    if (resultCode(error) !== SQLITE_BUSY) throw toStoreError(error, path)
    throw locked(path, `is open elsewhere, and its lock is missing: close it there first`, error)
  } finally {
    database?.close()
  }
}

const locked = (path: string, problem: string, cause?: unknown) =>
  new StoreError(
    'store_locked',
    `${path} ${problem}. Open it with { readOnly: true }, or use PostgreSQL for several processes.`,
    { cause },
  )

function ownerOf(lock: SqliteDatabase | undefined): number | undefined {
  try {
    return (lock?.prepare('SELECT pid FROM owner').get() as { pid: number } | undefined)?.pid
  } catch {
    // No owner yet, or one that is just being written.
    return undefined
  }
}

/** Rolls back before closing: a driver may keep a closed database, and the lock, until its statements are collected. */
function release(lock: SqliteDatabase): void {
  rollBack(lock)
  lock.close()
}

function rollBack(lock: SqliteDatabase): void {
  try {
    lock.exec('ROLLBACK')
  } catch {
    // There was no transaction, or SQLite has rolled back by itself.
  }
}
