import { statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { SqliteDatabase, SqliteDriver } from './driver.ts'
import { isFull, resultCode, SQLITE_CANTOPEN, SQLITE_IOERR } from './sqlite-error.ts'

/** A file that is open. */
export interface OpenDatabase {
  readonly database: SqliteDatabase
  /** Whether it must be opened again: somebody has written to it, and this one would not notice. */
  hasChanged(): boolean
  /** What comes before it is closed. A driver may keep the file until its statements are collected, and a lock with it. */
  readonly farewell: string
}

const pragmas = 'PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF'
/** `fullfsync` matters on macOS only, where fsync does not reach the disk; `secure_delete` overwrites what is deleted. */
const writerPragmas = `${pragmas}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;
  PRAGMA checkpoint_fullfsync = ON; PRAGMA recursive_triggers = ON; PRAGMA secure_delete = ON;
  PRAGMA journal_size_limit = 67108864`
/** An index that was made in memory cannot be shared: only without any is the lock given back, by the next look. */
const shareAgain = 'PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL; PRAGMA schema_version'
/** The last one reads the file: only then is it known whether it can be read. */
const readerPragmas = `${pragmas}; PRAGMA schema_version`

/**
 * The writer of a file shares with its readers an index of what is not yet in the file, in `-shm`. On a full disk there is no room
 * for it: then the index is in memory and the file is ours alone, so that it can be read until there is room again.
 */
export function openForWriting(driver: SqliteDriver, path: string): OpenDatabase {
  const open = (more: string) => prepared(new driver(path), more + writerPragmas)
  // The file should be whole by itself.
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
 * A reader makes `-shm` too, and cannot where nothing may be written: on a read-only mount, or in a folder of somebody
 * else's. If all that was written is in the file itself, it is read as one that does not change, for as long as that holds.
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

/** Tells one state of a file from another; undefined where there is none, or what was written is not in it yet. */
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
