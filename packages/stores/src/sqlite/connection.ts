import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { InvalidOptionError, showValue } from '@throughline/core/errors'
import { StoreError } from '../store-error.ts'
import { createDiskSync } from './disk-sync.ts'
import type { SqliteDatabase, SqliteDriver, SqliteStatement, SqliteValue } from './driver.ts'
import { loadDriver } from './driver.ts'
import { isFull, resultCode, SQLITE_CANTOPEN, SQLITE_IOERR, toStoreError } from './sqlite-error.ts'
import { lockForWriting } from './writer-lock.ts'

export interface SqliteFileOptions {
  readonly path: string
  readonly readOnly?: boolean
  readonly driver?: SqliteDriver
}

export type Connection = ReturnType<typeof openConnection>

export function openConnection(file: SqliteFileOptions) {
  const { path: filePath, readOnly = false, driver = loadDriver() } = file
  const path = realPath(filePath)
  const unlock = readOnly ? () => {} : lockForWriting(driver, path)
  const statements = new Map<string, SqliteStatement>()
  const memory = new Map<string, unknown>()
  const disk = createDiskSync(path)
  let isClosed = false
  let closing: Promise<void> | undefined
  let isDurable = false
  const open = (): OpenDatabase =>
    readOnly ? openForReading(driver, path) : openForWriting(driver, path)
  let { database, hasChanged, farewell } = typed(open, unlock)

  /** Makes the errors of work errors of the file. `isDriver`: all of them, also those that SQLite gave no code. */
  function typed<T>(work: () => T, onError = () => {}, isDriver = false): T {
    try {
      return work()
    } catch (error) {
      onError()
      throw toStoreError(error, path, isDriver)
    }
  }

  function reopen(): void {
    const next = typed(open)
    statements.clear()
    database.close()
    ;({ database, hasChanged, farewell } = next)
  }

  function attempt<T>(work: () => T, onError?: () => void): T {
    if (isClosed) throw new StoreError('store_closed', `The store ${path} is closed.`)
    return typed(() => {
      if (hasChanged()) reopen()
      return work()
    }, onError)
  }

  /** Runs a call that only reads: any error of it is an error of the file. */
  const read = <T>(work: () => T): T => typed(work, undefined, true)

  function statement(sql: string): SqliteStatement {
    const cached = statements.get(sql)
    if (cached) return cached
    const prepared = database.prepare(sql)
    statements.set(sql, prepared)
    return prepared
  }

  return {
    path,
    readOnly,
    get: <Row>(sql: string, ...values: SqliteValue[]) =>
      attempt(() => read(() => statement(sql).get(...values) as Row | undefined)),
    all: <Row>(sql: string, ...values: SqliteValue[]) =>
      attempt(() => read(() => statement(sql).all(...values) as Row[])),
    /** Gives rows one by one. Await nothing inside the loop: the statement is shared. */
    *iterate<Row>(sql: string, ...values: SqliteValue[]) {
      const iterable = attempt(() => statement(sql).iterate(...values))
      const rows = iterable[Symbol.iterator]()
      try {
        for (let row = read(() => rows.next()); !row.done; row = read(() => rows.next()))
          yield row.value as Row
      } finally {
        rows.return?.()
      }
    },
    run: (sql: string, ...values: SqliteValue[]) =>
      attempt(() => Number(statement(sql).run(...values).lastInsertRowid)),
    exec: (sql: string) => attempt(() => database.exec(sql)),
    /** One transaction: committed when it returns, rolled back if it throws; reported once `synced` resolves. */
    write<T>(work: () => T): T {
      if (readOnly)
        throw new StoreError('store_read_only', `The store ${path} was opened to be read only.`)
      disk.assertSound()
      return attempt(() => {
        statement('BEGIN IMMEDIATE').run()
        const result = work()
        if (!isDurable) assertDurable(database, path)
        isDurable = true
        disk.expectCommit()
        statement('COMMIT').run()
        return result
      }, rollBack)
    },
    /** Resolves when all that was committed up to now is on disk. */
    synced: () => disk.synced(),
    /** Remembers what only the writer can change: a reader nothing. Any rollback makes it forget all. */
    remember<T>(key: string, value: T): T {
      if (memory.size >= maxKnown) memory.clear()
      if (!readOnly) memory.set(key, value)
      return value
    },
    recall: <T>(key: string) => memory.get(key) as T | undefined,
    forget: () => memory.clear(),
    /** Refuses further calls at once. Closes the file when the last sync is over. */
    close() {
      closing ??= close()
      return closing
    },
  }

  async function close(): Promise<void> {
    isClosed = true
    // The writes that wait for it are told when it fails.
    if (disk.isBehind()) await disk.synced().catch(() => {})
    memory.clear()
    statements.clear()
    disk.close()
    try {
      database.exec(farewell)
    } catch {
      // The rest stays in the write-ahead log beside the file.
    }
    database.close()
    unlock()
  }

  /** Rolls back. After some errors (a full disk, say) SQLite has done it by itself. */
  function rollBack(): void {
    memory.clear()
    try {
      database.exec('ROLLBACK')
    } catch {
      // The original error says more.
    }
  }
}

const maxKnown = 3_000

/** Reads the pragmas back before the first commit: some builds lower `synchronous` in WAL, and power loss could harm the file. */
function assertDurable(database: SqliteDatabase, path: string): void {
  const { synchronous } = database.prepare('PRAGMA synchronous').get() as { synchronous: number }
  const { journal_mode: journal } = database.prepare('PRAGMA journal_mode').get() as {
    journal_mode: string
  }
  if (synchronous >= 1 && journal === 'wal') return
  const mode = `synchronous=${synchronous}, journal_mode=${journal} instead of 1 (NORMAL) and wal`
  const problem = `SQLite runs with ${mode}: a loss of power could take back what was stored`
  throw new StoreError(
    'store_not_durable',
    `${path}: ${problem}. Use another SQLite driver or file system.`,
  )
}

/** The real path of a file, so that a link to it finds the same lock. */
function realPath(path: string): string {
  if (typeof path !== 'string')
    throw new InvalidOptionError('path', `expected the path of a file, got ${showValue(path)}`)
  if (path === '' || path.startsWith(':') || path.startsWith('file:'))
    throw new InvalidOptionError(
      'path',
      `"${path}" is not a file; use memoryStore() for a store without one`,
    )
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new InvalidOptionError(
      'path',
      `${showValue(path)} is a folder: give the path of a file in it`,
    )
  for (const [real, rest] of [
    [path, ''],
    [dirname(path), basename(path)],
  ] as const) {
    try {
      return join(realpathSync(real), rest)
    } catch {
      // The file is new, or its folder is missing: opening it will say so.
    }
  }
  return path
}

interface OpenDatabase {
  readonly database: SqliteDatabase
  /** Whether the file must be opened again: it has changed, and this connection would not notice. */
  hasChanged(): boolean
  /** SQL to run before closing: a driver may keep the file and its lock until its statements are garbage-collected. */
  readonly farewell: string
}

/** Only opening waits for other processes: later a wait would stop the event loop, so writes are tried again instead. */
const pragmas = 'PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF'
/**
 * `synchronous = NORMAL` waits for the disk only when the log is copied into the file or begun anew; for commits `createDiskSync`
 * waits. `fullfsync` matters on macOS only, where fsync does not reach the disk; `secure_delete` overwrites what is deleted.
 */
const writerPragmas = `${pragmas}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA fullfsync = ON;
  PRAGMA checkpoint_fullfsync = ON; PRAGMA recursive_triggers = ON; PRAGMA secure_delete = ON;
  PRAGMA journal_size_limit = 67108864; PRAGMA busy_timeout = 0`
/** Gives the exclusive lock back: an index in memory cannot be shared, so WAL is left first. */
const shareAgain =
  'PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL; PRAGMA schema_version'
/** `schema_version` reads the file, so that an unreadable file fails here. */
const readerPragmas = `${pragmas}; PRAGMA schema_version`

/** Readers share an index of the log in `-shm`. A full disk has no room for it: then it is in memory and the file is locked. */
function openForWriting(driver: SqliteDriver, path: string): OpenDatabase {
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

/** Without write permission `-shm` cannot be made: then a file with an empty log is opened as immutable until it changes. */
function openForReading(driver: SqliteDriver, path: string): OpenDatabase {
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
