import { existsSync } from 'node:fs'
import type { Experiments, ExperimentsOptions } from '../../experiment/index.ts'
import { createHistory } from '../../history/create-history.ts'
import { isPostgres, type LogOptions, withStore } from '../log/open-log.ts'
import { UserError } from '../user-error.ts'

export interface OpenOptions extends Omit<ExperimentsOptions, 'history'> {
  readonly leaseMs?: number
}

/** Looks only: works while another process runs an experiment. */
export function readExperiments(
  options: LogOptions,
  use: (experiments: Experiments) => Promise<void>,
): Promise<void> {
  requireDatabase(options)
  return open(options, true, {}, use)
}

export function writeExperiments(
  options: LogOptions,
  rest: OpenOptions,
  use: (experiments: Experiments) => Promise<void>,
): Promise<void> {
  return open(options, false, rest, use)
}

/** A mistyped path must not become a new file. */
export function requireDatabase({ db }: LogOptions): void {
  if (!isPostgres(db) && !existsSync(db))
    throw new UserError(`there is no database ${db}: say where it is with --db`)
}

function open(
  { db, tenant }: LogOptions,
  readOnly: boolean,
  { leaseMs, ...rest }: OpenOptions,
  use: (experiments: Experiments) => Promise<void>,
): Promise<void> {
  return withStore({ db, tenant }, readOnly, async store => {
    // Loaded only here: other commands need nothing of it.
    const { createExperiments } = await import('../../experiment/index.ts')
    const history = createHistory({ store, tenant, ...(leaseMs !== undefined && { leaseMs }) })
    return use(createExperiments({ ...rest, history }))
  })
}
