import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { sqliteStore } from '@throughline/stores/sqlite'
import { findFaults } from './find-faults.ts'
import type { WriterProgram } from './start-writer.ts'
import { type CrashPoint, readPoints, traced } from './strace.ts'
import {
  type Acknowledged,
  isAcknowledged,
  isRefused,
  type Refused,
  type WriterLine,
  type WriterOptions,
} from './writer-line.ts'

export interface RunResult {
  /** The exit code of the writer; null when it was killed. */
  readonly exit: number | null
  readonly lines: readonly WriterLine[]
  readonly acknowledged: readonly Acknowledged[]
  readonly refused: readonly Refused[]
  readonly faults: readonly string[]
}

type RunOptions = Partial<WriterOptions>

let runs = 0

/** Runs a writer on a new file under strace, to its end, and looks at what it has left. */
export async function runTraced(
  program: WriterProgram,
  wrap: (path: string) => readonly string[],
  options: RunOptions = {},
): Promise<RunResult> {
  const folder = join(program.folder, `${++runs}`)
  mkdirSync(folder)
  const path = join(folder, 'log.db')
  const place = { kind: 'sqlite', path } as const
  const writer = program.start(
    { place, conversation: 'trip', name: 'ada', turns: 4, ...options },
    wrap(path),
  )
  const exit = await writer.ended()
  const acknowledged = writer.lines.filter(isAcknowledged)
  const store = sqliteStore({ path })
  try {
    const faults = await findFaults({ store, conversation: 'trip', acknowledged })
    return {
      exit,
      lines: writer.lines,
      acknowledged,
      refused: writer.lines.filter(isRefused),
      faults,
    }
  } finally {
    await store.close()
  }
}

/** Every call that a run makes on the files of its store. */
export async function findPoints(
  program: WriterProgram,
  options: RunOptions = {},
): Promise<readonly CrashPoint[]> {
  const trace = join(program.folder, 'trace')
  const { exit, faults } = await runTraced(program, path => traced(path, trace), options)
  if (exit !== 0 || faults.length > 0)
    throw new Error(`a run without a crash fails: ${exit}, ${faults}`)
  return readPoints(trace)
}
