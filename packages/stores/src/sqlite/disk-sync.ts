import fs from 'node:fs'
import { dirname } from 'node:path'
import { StoreError } from '../store-error.ts'

/**
 * Makes commits survive a loss of power. SQLite only writes them to the write-ahead log; the waiting is done in Node's thread pool.
 * One sync runs at a time. A commit waits for a sync that began after it, and all commits during one sync share the next.
 *
 * After a sync has failed, the system may report the next one as done although the bytes never reached the disk. So a failure
 * is final: every later write is refused, until the file is opened again and its log written anew.
 */
export function createDiskSync(path: string) {
  let file: number | undefined
  let commits = 0
  let onDisk = 0
  let failure: NodeJS.ErrnoException | undefined
  /** The sync that runs, the commits that were there when it began, and the writers that wait for it. */
  let running: { readonly upTo: number; readonly group: WaitingSync[] } | undefined
  let waiting: WaitingSync[] = []

  function start(file: number): void {
    const [group, upTo] = [waiting, commits]
    running = { upTo, group }
    waiting = []
    fs.fdatasync(file, error => {
      running = undefined
      if (error) return fail(error, [...group, ...waiting])
      onDisk = upTo
      for (const { resolve } of group) resolve()
      // Those who were just told may commit again at once, in an immediate: waiting for that, all share one sync again.
      if (waiting.length > 0) setImmediate(() => setImmediate(startNext, file))
    })
  }

  function startNext(file: number): void {
    if (!running && waiting.length > 0) start(file)
  }

  function fail(error: NodeJS.ErrnoException, all: readonly WaitingSync[]): void {
    failure = error
    waiting = []
    for (const { reject } of all) reject(notSynced(path, error))
  }

  return {
    /** Call it before every transaction. Throws after a sync has failed. */
    assertSound() {
      if (failure) throw refused(path, failure)
    },
    /** Call it inside every transaction, just before its commit. */
    expectCommit() {
      file ??= openLog(path)
      commits += 1
    },
    /** Resolves when every commit up to now is on disk. */
    synced: () =>
      new Promise<void>((resolve, reject) => {
        if (file === undefined || onDisk === commits) return resolve()
        if (failure) return reject(notSynced(path, failure))
        if (running?.upTo === commits) return running.group.push({ resolve, reject })
        waiting.push({ resolve, reject })
        startNext(file)
      }),
    /** Whether there are commits that a sync can still bring to the disk. While one runs, there are. */
    isBehind: () => onDisk < commits && !failure,
    /** Call it when it is not behind: a file must not be closed while it is synced. */
    close() {
      if (file === undefined) return
      try {
        // SQLite copies the log into the file when it closes, and syncs the log before it.
        if (failure) writeAnew(file)
      } catch {
        // Opening the file again tries it again.
      }
      fs.closeSync(file)
      file = undefined
    },
  }
}

interface WaitingSync {
  readonly resolve: () => void
  readonly reject: (error: StoreError) => void
}

/** Opens the log that SQLite has made. It stays the same file for as long as SQLite has the database open. */
function openLog(path: string): number {
  let file: number | undefined
  try {
    file = fs.openSync(`${path}-wal`, 'r+')
    writeAnew(file)
    syncFolder(dirname(path))
    return file
  } catch (error) {
    if (file !== undefined) fs.closeSync(file)
    throw notOpened(path, error as NodeJS.ErrnoException)
  }
}

/** Rewrites the log in place: bytes whose sync failed in a former process count as written, and the next sync would skip them. */
function writeAnew(file: number): void {
  const bytes = Buffer.alloc(2 ** 20)
  for (let at = 0; ; ) {
    const length = fs.readSync(file, bytes, 0, bytes.length, at)
    if (length === 0) return
    for (let done = 0; done < length; )
      done += fs.writeSync(file, bytes, done, length - done, at + done)
    at += length
  }
}

/** Makes the name of a new file survive. Not every system can open or sync a folder; those that cannot keep names by themselves. */
export function syncFolder(path: string): void {
  let folder: number | undefined
  try {
    folder = fs.openSync(path, 'r')
    fs.fsyncSync(folder)
  } catch (error) {
    if (['EIO', 'ENOSPC'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  } finally {
    if (folder !== undefined) fs.closeSync(folder)
  }
}

const notOpened = (path: string, cause: NodeJS.ErrnoException) =>
  new StoreError(
    cause.code === 'ENOSPC' ? 'store_full' : 'store_io',
    `${path}-wal: the log cannot be opened and written: nothing was stored, check the disk and try again (${cause.message}).`,
    { cause },
  )

const notSynced = (path: string, cause: NodeJS.ErrnoException) =>
  new StoreError(
    'store_io',
    `${path}-wal: the disk failed to keep what was written (${cause.message}): it may be stored or not. ` +
      'Check the disk, close the store, open it again and read again.',
    { cause },
  )

const refused = (path: string, cause: NodeJS.ErrnoException) =>
  new StoreError(
    'store_io',
    `${path}: nothing was stored, because the disk has failed before (${cause.message}). ` +
      'Check the disk, close the store and open it again; until then it can be read only.',
    { cause },
  )
