import { ThroughlineError } from '@throughline/core/errors'
import { StoreError, type StoreProblem } from '../store-error.ts'

/** Turns an error of SQLite into a StoreError. Other errors are returned as they are, unless they come from the driver. */
export function toStoreError(error: unknown, path: string, isDriver = false): unknown {
  const code = isFull(error) ? SQLITE_FULL : resultCode(error)
  if (code === undefined && (!isDriver || error instanceof ThroughlineError)) return error
  const [problem, text] = problems[code ?? 1] ?? ['store_failed', 'the statement failed']
  return new StoreError(problem, `${path}: ${text} (${(error as Error).message}).`, {
    cause: error,
  })
}

/** The primary result code: SQLITE_IOERR_WRITE and its kin are all SQLITE_IOERR. */
export function resultCode(error: unknown): number | undefined {
  const { errcode: code, message } = (error ?? {}) as { errcode?: unknown; message?: string }
  // An integer beyond the range of numbers, which the library never writes: the file is damaged.
  if ((error as { code?: unknown } | undefined)?.code === 'ERR_OUT_OF_RANGE') return 11
  if (message?.startsWith('fts5: corruption')) return 11
  return typeof code === 'number' ? code & 0xff : codes[message ?? '']
}

/** Codes by SQLite's stable messages: not every driver gives the code of an error between two rows. */
const codes: Readonly<Record<string, number>> = {
  'database is locked': 5,
  'out of memory': 7,
  'disk I/O error': 10,
  'database disk image is malformed': 11,
  'database or disk is full': 13,
  'file is not a database': 26,
}

/** Whether the disk is full, also for the index shared with readers (SQLITE_IOERR_SHMSIZE). */
export const isFull = (error: unknown) =>
  resultCode(error) === SQLITE_FULL ||
  (error as { errcode?: unknown } | undefined)?.errcode === 4874

/** Whether SQLite refused a row that is there already, or that breaks another rule of the schema. */
export const isConstraint = (error: unknown) =>
  error instanceof StoreError && resultCode(error.cause) === SQLITE_CONSTRAINT

/** Whether another process holds the file. */
export const isBusy = (error: unknown) => error instanceof StoreError && error.code === 'store_busy'

export const damaged = (path: string, what: string) =>
  new StoreError(
    'store_corrupt',
    `${path}: ${what} is not what was written, the file is damaged: restore a backup. "throughline log check" says more.`,
  )

export const SQLITE_BUSY = 5
export const SQLITE_IOERR = 10
const SQLITE_FULL = 13
export const SQLITE_CANTOPEN = 14
const SQLITE_CONSTRAINT = 19

const problems: Readonly<Record<number, readonly [StoreProblem, string]>> = {
  [SQLITE_BUSY]: ['store_busy', 'another process holds the file: try again'],
  6: ['store_busy', 'a table is locked: try again'],
  8: ['store_read_only', 'the file cannot be written to: check its permissions'],
  [SQLITE_IOERR]: [
    'store_io',
    'the disk reported an error: what was being written may be stored or not, so read again',
  ],
  11: ['store_corrupt', 'the file is damaged: restore a backup'],
  [SQLITE_FULL]: [
    'store_full',
    'the disk is full: this write was not stored, make room and try again',
  ],
  [SQLITE_CANTOPEN]: [
    'store_io',
    'the file cannot be opened: does its folder exist, and may this process write to it?',
  ],
  26: ['store_corrupt', 'the file is no SQLite database: give the path of one, or of a new file'],
}
