import {
  appendFileSync,
  closeSync,
  constants,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import type { Wish } from '../../experiment/index.ts'

/** Who runs which experiment in a file, as others are told. */
interface Runner {
  readonly pid: number
  readonly id: string
}

/** Where a runner looks for wishes. */
export interface ControlFile {
  wishOf(id: string): Wish | undefined
  close(): void
}

/**
 * An SQLite file has one writer, so nobody else can leave a wish in its log. They leave it in a small file beside it, which
 * is there as long as somebody runs an experiment: its first line says who, each further one is a wish.
 */
export function createControlFile(db: string, id: string): ControlFile {
  const path = pathFor(db)
  const runner: Runner = { pid: process.pid, id }
  // Wishes that a runner who is gone has not seen are void.
  writeFileSync(path, `${JSON.stringify(runner)}\n`)
  return {
    wishOf(asked) {
      const wishes = readLines<{ readonly id: string; readonly wish: Wish }>(path)
        .slice(1)
        .filter(wish => wish.id === asked)
        .map(({ wish }) => wish)
      return wishes.includes('stop') ? 'stop' : wishes[0]
    },
    close: () => rmSync(path, { force: true }),
  }
}

/** Leaves a wish for whoever runs an experiment in this file; undefined when nobody does who would see it. */
export function leaveWishInFile(db: string, id: string, wish: Wish): Runner | undefined {
  const path = pathFor(db)
  const [runner] = readLines<Runner>(path)
  if (!runner || !isAlive(runner.pid)) return undefined
  if (runner.id !== id) return runner
  // Never makes the file: the runner may have ended this very moment.
  const file = attempt(() => openSync(path, constants.O_WRONLY | constants.O_APPEND))
  if (file === undefined) return undefined
  try {
    appendFileSync(file, `${JSON.stringify({ id, wish })}\n`)
  } finally {
    closeSync(file)
  }
  return runner
}

/** Whether a command runs an experiment in this file. */
export function hasRunner(db: string): boolean {
  const [runner] = readLines<Runner>(pathFor(db))
  return runner !== undefined && isAlive(runner.pid)
}

/** The real path: two names of one file are one file. */
const pathFor = (db: string) => `${realpathSync(db)}-control`

/** The whole lines: the last one may be on its way. */
function readLines<Line>(path: string): readonly Line[] {
  const text = attempt(() => readFileSync(path, 'utf8')) ?? ''
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .flatMap(line => attempt(() => [JSON.parse(line) as Line]) ?? [])
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
