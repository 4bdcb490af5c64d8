import fs from 'node:fs'
import { onTestFinished } from 'vitest'

/** What stores ask of the disk, beside the event loop, during one test. */
export interface WatchedDisk {
  /** How many syncs have begun. */
  begun: number
  /** How many run now. */
  running: number
  /** The error of every further sync, such as `EIO`; undefined lets them succeed. */
  error: 'EIO' | 'ENOSPC' | undefined
  /** Whether syncs that begin from now on wait for `release`. */
  isHeld: boolean
  /** Lets the oldest sync that waits go on. */
  release(): void
  /** The files that were closed while they were synced. */
  readonly closedEarly: readonly number[]
}

/** Counts, holds and fails the syncs of this process, and lets all others through to the real disk. */
export function watchDisk(): WatchedDisk {
  const { fdatasync, closeSync } = fs
  const held: (() => void)[] = []
  const open = new Set<number>()
  const closedEarly: number[] = []
  const disk: WatchedDisk = {
    ...{ begun: 0, running: 0, error: undefined, isHeld: false, closedEarly },
    release: () => held.shift()?.(),
  }
  fs.fdatasync = ((file: number, done: (error: NodeJS.ErrnoException | null) => void) => {
    const end = (error: NodeJS.ErrnoException | null) => {
      disk.running -= 1
      open.delete(file)
      done(error)
    }
    const { error } = disk
    const run = () =>
      error
        ? setImmediate(end, Object.assign(new Error(`${error}: fdatasync`), { code: error }))
        : fdatasync(file, end)
    disk.begun += 1
    disk.running += 1
    open.add(file)
    if (disk.isHeld) held.push(run)
    else run()
  }) as typeof fdatasync
  fs.closeSync = file => {
    if (open.has(file)) closedEarly.push(file)
    closeSync(file)
  }
  onTestFinished(() => {
    Object.assign(fs, { fdatasync, closeSync })
  })
  return disk
}
