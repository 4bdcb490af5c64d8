import type { ExperimentStatus, Experiments, ExperimentsOptions } from '../../experiment/index.ts'
import { createHistory } from '../../history/create-history.ts'
import { StoreError } from '../../stores/store-error.ts'
import { isPostgres, type LogOptions, withStore } from '../log/open-log.ts'
import { hasRunner } from './control-file.ts'

export interface OpenOptions extends Omit<ExperimentsOptions, 'history'> {
  readonly leaseMs?: number
}

/** Opens experiments for reading, also while another process runs one. */
export function readExperiments(
  options: LogOptions,
  use: (experiments: Experiments) => Promise<void>,
): Promise<void> {
  return open(options, true, {}, use)
}

/**
 * Shows experiments with their right status. Only a process that can become the writer of a file knows that the one that
 * ran an experiment is gone.
 */
export async function lookAtExperiments<Seen extends { readonly status: ExperimentStatus }>(
  options: LogOptions,
  look: (experiments: Experiments) => Promise<readonly Seen[]>,
): Promise<readonly Seen[]> {
  let seen: readonly Seen[] = []
  const use = async (experiments: Experiments) => {
    seen = await look(experiments)
  }
  await readExperiments(options, use)
  const isSure = isPostgres(options.db) || seen.every(({ status }) => status !== 'RUNNING')
  if (isSure || hasRunner(options.db)) return seen
  await writeExperiments(options, {}, use).catch(error => {
    if (!(error instanceof StoreError)) throw error
  })
  return seen
}

export function writeExperiments(
  options: LogOptions,
  rest: OpenOptions,
  use: (experiments: Experiments) => Promise<void>,
): Promise<void> {
  return open(options, false, rest, use)
}

function open(
  { db, tenant }: LogOptions,
  readOnly: boolean,
  { leaseMs, ...rest }: OpenOptions,
  use: (experiments: Experiments) => Promise<void>,
): Promise<void> {
  return withStore({ db, tenant }, readOnly, async store => {
    // Loaded only here, because other commands do not need it.
    const { createExperiments } = await import('../../experiment/index.ts')
    const history = createHistory({ store, tenant, ...(leaseMs !== undefined && { leaseMs }) })
    return use(createExperiments({ ...rest, history }))
  })
}
