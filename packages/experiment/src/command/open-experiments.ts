import fs from 'node:fs'
import { attempt } from '@throughline/core/values'
import type { HistoryOptions } from '@throughline/history/threads'
import { type LogOptions, readHistory, writeHistory } from '@throughline/server/cli/open-log'
import { StoreError } from '@throughline/stores/errors'
import { isPostgres } from '@throughline/stores/store'
import type { ExperimentStatus, Experiments, ExperimentsOptions, Wish } from '../index.ts'

type Use<T> = (experiments: Experiments) => Promise<T>

/** Opens experiments for reading, also while another process runs one. */
export const readExperiments = <T>(options: LogOptions, use: Use<T>): Promise<T> =>
  readHistory(options, async history => use(await open({ history })))

export function writeExperiments<T>(
  options: LogOptions,
  { leaseMs, ...rest }: Omit<ExperimentsOptions, 'history'> & Pick<HistoryOptions, 'leaseMs'>,
  use: Use<T>,
): Promise<T> {
  return writeHistory(options, async history => use(await open({ ...rest, history })), { leaseMs })
}

/** Shows experiments with their right status: only who can become the writer of a file knows that its runner is gone. */
export async function lookAtExperiments<Seen extends { readonly status: ExperimentStatus }>(
  options: LogOptions,
  look: Use<readonly Seen[]>,
): Promise<readonly Seen[]> {
  const seen = await readExperiments(options, look)
  const isSure = isPostgres(options.db) || seen.every(({ status }) => status !== 'RUNNING')
  if (isSure || runnerOn(options.db)) return seen
  return writeExperiments(options, {}, look).catch(error => {
    if (error instanceof StoreError) return seen
    throw error
  })
}

/** Loaded only here, because other commands do not need it. */
async function open(options: ExperimentsOptions): Promise<Experiments> {
  const { createExperiments } = await import('../index.ts')
  return createExperiments(options)
}

interface RunnerProcess {
  readonly pid: number
  readonly id: string
}

export type ControlFile = ReturnType<typeof createControlFile>

/** Other processes cannot log a wish in an SQLite file: they append it to this file, whose first line names its owner. */
export function createControlFile(db: string, id: string) {
  const path = pathFor(db)
  const runner: RunnerProcess = { pid: process.pid, id }
  // Overwrites the file of an earlier process: its wishes are void.
  fs.writeFileSync(path, `${JSON.stringify(runner)}\n`)
  return {
    wishOf(id: string): Wish | undefined {
      const wishes = readLines<{ readonly id: string; readonly wish: Wish }>(path)
        .slice(1)
        .filter(wish => wish.id === id)
        .map(({ wish }) => wish)
      return wishes.includes('stop') ? 'stop' : wishes[0]
    },
    close: () => fs.rmSync(path, { force: true }),
  }
}

/** Leaves a wish for the process that runs an experiment on this file; undefined if there is none. */
export function leaveWishInFile(db: string, id: string, wish: Wish): RunnerProcess | undefined {
  const runner = runnerOn(db)
  if (runner?.id !== id) return runner
  // Never creates the file: the process may have ended a moment ago.
  const flags = fs.constants.O_WRONLY | fs.constants.O_APPEND
  const file = attempt(() => fs.openSync(pathFor(db), flags), undefined)
  if (file === undefined) return undefined
  try {
    fs.appendFileSync(file, `${JSON.stringify({ id, wish })}\n`)
  } finally {
    fs.closeSync(file)
  }
  return runner
}

function runnerOn(db: string): RunnerProcess | undefined {
  const [runner] = readLines<RunnerProcess>(pathFor(db))
  return runner && isAlive(runner.pid) ? runner : undefined
}

/** By the real path, so that two names of one file share a control file. */
const pathFor = (db: string) => `${fs.realpathSync(db)}-control`

/** Reads the complete lines: the last one may be half written. */
function readLines<Line>(path: string): readonly Line[] {
  const text = attempt(() => fs.readFileSync(path, 'utf8'), '')
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .flatMap(line => attempt(() => [JSON.parse(line) as Line], []))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
