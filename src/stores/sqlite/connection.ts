import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { InvalidOptionError } from '../../log/error.ts'
import { showValue } from '../../log/show-value.ts'
import { StoreError } from '../store-error.ts'
import { assertDurable } from './assert-durable.ts'
import { loadDriver, type SqliteDriver, type SqliteStatement, type SqliteValue } from './driver.ts'
import { type OpenDatabase, openForReading, openForWriting } from './open-database.ts'
import { toStoreError } from './sqlite-error.ts'
import { lockForWriting } from './writer-lock.ts'

export interface ConnectionOptions {
  readonly path: string
  readonly readOnly?: boolean
  readonly driver?: SqliteDriver
  /** A transaction was taken back: what was remembered of it is wrong. */
  readonly onRollBack?: () => void
}

export interface Connection {
  readonly path: string
  readonly readOnly: boolean
  get<Row>(sql: string, ...values: SqliteValue[]): Row | undefined
  all<Row>(sql: string, ...values: SqliteValue[]): Row[]
  /** Rows one by one. Leave the loop before anything is awaited: the statement is shared. */
  iterate<Row>(sql: string, ...values: SqliteValue[]): Iterable<Row>
  /** The id of the row that was inserted. */
  run(sql: string, ...values: SqliteValue[]): number
  exec(sql: string): void
  /** One transaction: all of it is on disk when this returns, nothing of it when it throws. */
  write<T>(work: () => T): T
  close(): void
}

export function openConnection({
  path: given,
  readOnly = false,
  driver = loadDriver(),
  onRollBack = () => {},
}: ConnectionOptions): Connection {
  const path = realPath(given)
  const unlock = readOnly ? () => {} : lockForWriting(driver, path)
  const statements = new Map<string, SqliteStatement>()
  let isClosed = false
  let isDurable = false
  let { database, hasChanged, farewell } = open(unlock)

  function open(onError = () => {}): OpenDatabase {
    try {
      return readOnly ? openForReading(driver, path) : openForWriting(driver, path)
    } catch (error) {
      onError()
      throw toStoreError(error, path)
    }
  }

  function reopen(): void {
    const next = open()
    statements.clear()
    database.close()
    ;({ database, hasChanged, farewell } = next)
  }

  function attempt<T>(work: () => T, onError = () => {}): T {
    if (isClosed) throw new StoreError('store_closed', `The store ${path} is closed.`)
    try {
      if (hasChanged()) reopen()
      return work()
    } catch (error) {
      onError()
      throw toStoreError(error, path)
    }
  }

  /** What only the driver does: any error of it is one of the file. */
  function typed<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw toStoreError(error, path, true)
    }
  }

  function statement(sql: string): SqliteStatement {
    const known = statements.get(sql)
    if (known) return known
    const prepared = database.prepare(sql)
    statements.set(sql, prepared)
    return prepared
  }

  return {
    path,
    readOnly,
    get: <Row>(sql: string, ...values: SqliteValue[]) =>
      attempt(() => typed(() => statement(sql).get(...values) as Row | undefined)),
    all: <Row>(sql: string, ...values: SqliteValue[]) =>
      attempt(() => typed(() => statement(sql).all(...values) as Row[])),
    *iterate<Row>(sql: string, ...values: SqliteValue[]) {
      const rows = attempt(() =>
        statement(sql)
          .iterate(...values)
          [Symbol.iterator](),
      )
      try {
        for (let row = typed(() => rows.next()); !row.done; row = typed(() => rows.next()))
          yield row.value as Row
      } finally {
        rows.return?.()
      }
    },
    run: (sql, ...values) => attempt(() => Number(statement(sql).run(...values).lastInsertRowid)),
    exec: sql => attempt(() => database.exec(sql)),
    write(work) {
      if (readOnly) throw new StoreError('store_read_only', `The store ${path} was opened to be read only.`)
      return attempt(() => {
        statement('BEGIN IMMEDIATE').run()
        const result = work()
        if (!isDurable) assertDurable(database, path)
        statement('COMMIT').run()
        isDurable = true
        return result
      }, rollBack)
    },
    close() {
      if (isClosed) return
      isClosed = true
      statements.clear()
      try {
        database.exec(farewell)
      } catch {
        // What is not yet in the file stays in the write-ahead log beside it.
      }
      database.close()
      unlock()
    },
  }

  /** SQLite has rolled back by itself after some errors, a full disk for one: then there is nothing to do. */
  function rollBack(): void {
    onRollBack()
    try {
      database.exec('ROLLBACK')
    } catch {
      // The error that brought us here says more.
    }
  }
}

/** One file, one name: a link to it must find the same lock. */
function realPath(path: string): string {
  if (typeof path !== 'string')
    throw new InvalidOptionError('path', `expected the path of a file, got ${showValue(path)}`)
  if (path === '' || path.startsWith(':') || path.startsWith('file:'))
    throw new InvalidOptionError('path', `"${path}" is not a file; use memoryStore() for a store without one`)
  for (const [real, rest] of [
    [path, ''],
    [dirname(path), basename(path)],
  ] as const) {
    try {
      return join(realpathSync(real), rest)
    } catch {
      // The file is new, or its folder is missing: opening it says so.
    }
  }
  return path
}
