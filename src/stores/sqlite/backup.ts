import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { InvalidOptionError } from '../../log/error.ts'
import { showValue } from '../../log/show-value.ts'
import { StoreError } from '../store-error.ts'
import { openConnection } from './connection.ts'
import type { SqliteDriver } from './driver.ts'

export interface BackupSqliteOptions {
  /** The file of a store. Another process may be writing to it; only this one waits while it is copied. */
  readonly path: string
  /** The copy: a name that is free. */
  readonly to: string
  readonly driver?: SqliteDriver
}

/**
 * A whole copy of a store as it was at one moment, that opens by itself. It has its name only when all of it is on disk.
 *
 * @example
 * await backupSqlite({ path: 'conversations.db', to: 'backups/monday.db' })
 */
export async function backupSqlite({ path, to, driver }: BackupSqliteOptions): Promise<{ bytes: number }> {
  refuseExisting(to)
  const connection = openConnection({ path, readOnly: true, ...(driver && { driver }) })
  const partial = resolve(`${to}.${process.pid}-${Date.now()}.partial`)
  try {
    // Made here, so that nobody may read the copy who may not read the file.
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
    connection.close()
    for (const end of ['', '-journal']) rmSync(partial + end, { force: true })
  }
}

function refuseExisting(to: string): void {
  if (typeof to !== 'string') throw new InvalidOptionError('to', `expected a new name, got ${showValue(to)}`)
  if (to === '' || existsSync(to))
    throw new InvalidOptionError('to', `"${to}" is not free: give a new name, a backup overwrites nothing`)
}

function onDisk<T>(to: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (error instanceof InvalidOptionError || code === undefined) throw error
    const [problem, text] =
      code === 'ENOSPC'
        ? (['store_full', 'the disk is full: make room and try again'] as const)
        : ([
            'store_io',
            'the copy cannot be written: does its folder exist, and may we write to it?',
          ] as const)
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

/** The new name, too, is to survive a loss of power. Not every system can open a folder. */
function syncFolder(path: string): void {
  try {
    const folder = openSync(path, 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  } catch {
    // The file itself is on disk.
  }
}
