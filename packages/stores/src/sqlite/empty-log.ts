import { statSync } from 'node:fs'
import { StoreError } from '../store-error.ts'
import type { Connection } from './connection.ts'
import type { SpareFile } from './spare-file.ts'
import { isBusy } from './sqlite-error.ts'

export type LogEmptier = ReturnType<typeof createLogEmptier>

/**
 * Empties the write-ahead log after a deletion. Texts that are deleted are overwritten in the file, but only when the log is copied
 * into it, and the log must not keep them either. A process that reads the file keeps both as they are: then this is tried
 * again until it has ended, and nothing waits for it.
 */
export function createLogEmptier(connection: Connection, spare: SpareFile) {
  let timer: NodeJS.Timeout | undefined
  let pause = shortestPause
  let isPending = !connection.readOnly && hasLog(connection.path)

  function attempt(isLast = false): void {
    isPending = true
    try {
      const row = connection.get<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')
      isPending = row?.busy === 1
    } catch (error) {
      if (isBusy(error)) return
      if (!isStoreFull(error)) throw error
      spare.release()
      // What is deleted is deleted: without any room the log is emptied later.
      if (!isLast) attempt(true)
    }
  }

  function retry(): void {
    timer = undefined
    try {
      attempt()
    } catch {
      // A disk that fails is told of by the next write.
    }
    later()
  }

  function later(): void {
    if (!isPending || timer) return
    timer = setTimeout(retry, pause)
    // A program that has nothing else to do may end: the next one that opens the file goes on with it.
    timer.unref()
    pause = Math.min(2 * pause, longestPause)
  }

  return {
    /** Empties the log now, or as soon as no process reads it. */
    empty(): void {
      clearTimeout(timer)
      timer = undefined
      pause = shortestPause
      attempt()
      later()
    },
    /** Goes on where the process before this one could not empty the log. */
    resume: later,
    /** Whether files still hold what was deleted. */
    get isPending() {
      return isPending
    },
    close(): void {
      clearTimeout(timer)
      timer = undefined
      try {
        if (isPending) attempt()
      } catch {
        // The next process that opens the file tries it again.
      }
    },
  }
}

const shortestPause = 50
const longestPause = 1000

/** A log that is there when the file is opened may hold what an earlier process has deleted. */
const hasLog = (path: string) => (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0

export const isStoreFull = (error: unknown) =>
  error instanceof StoreError && error.code === 'store_full'
