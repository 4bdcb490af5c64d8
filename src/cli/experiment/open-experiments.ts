import type { ExperimentStatus, Experiments, ExperimentsOptions } from '../../experiment/index.ts'
import type { HistoryOptions } from '../../history/history.ts'
import { StoreError } from '../../stores/store-error.ts'
import { isPostgres, type LogOptions, readHistory, writeHistory } from '../open-log.ts'
import { runnerOn } from './control-file.ts'

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

/**
 * Shows experiments with their right status. Only a process that can become the writer of a file knows that the one that
 * ran an experiment is gone.
 */
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
  const { createExperiments } = await import('../../experiment/index.ts')
  return createExperiments(options)
}
