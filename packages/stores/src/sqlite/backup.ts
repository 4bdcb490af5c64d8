import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { InvalidOptionError, refuseUnknown, showValue } from '@throughline/core/errors'
import { StoreError } from '../store-error.ts'
import { openConnection } from './connection.ts'
import { syncFolder } from './disk-sync.ts'
import type { SqliteDriver } from './driver.ts'

/** Options of `backupSqlite`. */
export interface BackupSqliteOptions {
  /** The file of a store. Another process may write to it during the copy; this process waits. */
  readonly path: string
  /** The name of the copy; it must be free. */
  readonly to: string
  /** The SQLite driver. Default: `node:sqlite` where Node has it, else `@photostructure/sqlite`. */
  readonly driver?: SqliteDriver
}

/**
 * Copies a store as it is at one moment. The copy opens by itself, and gets its name only when all of it is on disk.
 *
 * @example
 * await backupSqlite({ path: 'conversations.db', to: 'backups/monday.db' })
 */
export async function backupSqlite(options: BackupSqliteOptions): Promise<{ bytes: number }> {
  refuseUnknown(options, { path: 1, to: 1, driver: 1 })
  const { path, to, driver } = options
  refuseExisting(to)
  const connection = openConnection({ path, readOnly: true, driver })
  const partial = resolve(`${to}.${process.pid}-${Date.now()}.partial`)
  try {
    // Created with the permissions of the file: who may not read the file may not read the copy.
    onDisk(to, () => closeSync(openSync(partial, 'wx', statSync(connection.path).mode & 0o777)))
    connection.run('VACUUM INTO ?', partial)
    return onDisk(to, () => {
      sync(partial)
      refuseExisting(to)
      renameSync(partial, to)
      syncFolder(dirname(resolve(to)))
      return { bytes: statSync(to).size }
    })
  } finally {
    await connection.close()
    for (const end of ['', '-journal']) rmSync(partial + end, { force: true })
  }
}

function refuseExisting(to: string): void {
  if (typeof to !== 'string')
    throw new InvalidOptionError('to', `expected a new name, got ${showValue(to)}`)
  if (to === '' || existsSync(to))
    throw new InvalidOptionError(
      'to',
      `"${to}" is not free: give a new name, a backup overwrites nothing`,
    )
}

function onDisk<T>(to: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (error instanceof InvalidOptionError || code === undefined) throw error
    const text =
      code === 'ENOSPC'
        ? 'the disk is full: make room and try again'
        : 'the copy cannot be written: does its folder exist, and may this process write to it?'
    const problem = code === 'ENOSPC' ? 'store_full' : 'store_io'
    throw new StoreError(problem, `${to}: ${text} (${code}).`, { cause: error })
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
