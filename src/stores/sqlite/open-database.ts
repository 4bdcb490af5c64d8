import { statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { SqliteDatabase, SqliteDriver } from './driver.ts'
import { isFull, resultCode, SQLITE_CANTOPEN, SQLITE_IOERR } from './sqlite-error.ts'

export interface OpenDatabase {
  readonly database: SqliteDatabase
  /** Whether the file must be opened again: it has changed, and this connection would not notice. */
  hasChanged(): boolean
  /** SQL to run before closing: a driver may keep the file and its lock until its statements are garbage-collected. */
  readonly farewell: string
}

const pragmas = 'PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF'
/**
 * `synchronous = NORMAL` waits for the disk only when the log is copied into the file or begun anew; for commits `createDiskSync`
 * waits. `fullfsync` matters on macOS only, where fsync does not reach the disk; `secure_delete` overwrites what is deleted.
 */
const writerPragmas = `${pragmas}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA fullfsync = ON;
  PRAGMA checkpoint_fullfsync = ON; PRAGMA recursive_triggers = ON; PRAGMA secure_delete = ON;
  PRAGMA journal_size_limit = 67108864`
/** Gives the exclusive lock back: an index in memory cannot be shared, so WAL is left first. */
const shareAgain = 'PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL; PRAGMA schema_version'
/** `schema_version` reads the file, so that an unreadable file fails here. */
const readerPragmas = `${pragmas}; PRAGMA schema_version`

/**
 * The writer shares an index of the write-ahead log with readers, in `-shm`. If a full disk has no room for it, the
 * index is kept in memory and the file is locked for this process, so that it can be read until there is room again.
 */
export function openForWriting(driver: SqliteDriver, path: string): OpenDatabase {
  const open = (more: string) => prepared(new driver(path), more + writerPragmas)
  // Moves the write-ahead log into the file, so that the file is whole by itself.
  const farewell = 'PRAGMA wal_checkpoint(PASSIVE)'
  try {
    return { database: open(''), hasChanged: () => false, farewell }
  } catch (error) {
    if (!isFull(error)) throw error
    const database = open('PRAGMA locking_mode = EXCLUSIVE; ')
    return { database, hasChanged: () => false, farewell: `${farewell}; ${shareAgain}` }
  }
}

/**
 * A reader needs `-shm` too, and cannot create it on a read-only mount or in a folder without write permission. If the
 * write-ahead log is empty, the file is then opened as immutable, until it changes.
 */
export function openForReading(driver: SqliteDriver, path: string): OpenDatabase {
  const open = (name: string) => prepared(new driver(name, { readOnly: true }), readerPragmas)
  try {
    return { database: open(path), hasChanged: () => false, farewell: '' }
  } catch (error) {
    const code = resultCode(error)
    const before = stateOf(path)
    if ((code !== SQLITE_CANTOPEN && code !== SQLITE_IOERR) || before === undefined) throw error
    const database = open(`${pathToFileURL(path).href}?immutable=1`)
    return { database, hasChanged: () => stateOf(path) !== before, farewell: '' }
  }
}

/** A fingerprint of the file; undefined where there is no file, or the write-ahead log is not empty. */
function stateOf(path: string): string | undefined {
  const [file, log] = [path, `${path}-wal`].map(name =>
    statSync(name, { bigint: true, throwIfNoEntry: false }),
  )
  return file && !log?.size ? `${file.ino} ${file.size} ${file.mtimeNs}` : undefined
}

function prepared(database: SqliteDatabase, sql: string): SqliteDatabase {
  try {
    database.exec(sql)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
