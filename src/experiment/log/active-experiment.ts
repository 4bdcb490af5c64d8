import type { History } from '../../history/index.ts'
import type { Emit } from '../../turn/index.ts'
import type { Environment } from '../environment.ts'
import type { ExperimentEvent } from '../experiment-event.ts'
import type { ExperimentPlan } from '../plan/define-experiment.ts'
import type { ExperimentLog } from './experiment-log.ts'
import type { ExperimentThreads } from './experiment-threads.ts'
import type { Wish } from './wish.ts'

/** Options for all experiments of a history. */
export interface ExperimentsOptions {
  readonly history: History
  readonly newId?: () => string
  /** Gives wishes from outside the log: an SQLite file has one writer, so other processes cannot log theirs. */
  readonly wishOf?: (id: string) => Wish | undefined | Promise<Wish | undefined>
  /** How long a model may be silent. Default two minutes. */
  readonly stallMs?: number
  /** How long a tool may take. Default one minute. */
  readonly toolTimeoutMs?: number
  /** The first pause before a model call is made again; each further one is twice as long. Default 500 ms. */
  readonly backoffMs?: number
}

/** An experiment that this process runs. */
export interface ActiveExperiment extends ExperimentsOptions, ExperimentThreads {
  readonly plan: ExperimentPlan
  readonly log: ExperimentLog
  readonly emit: Emit<ExperimentEvent>
  /** Aborted by the caller, or because the lease was lost. */
  readonly signal: AbortSignal
  readonly isResumed: boolean
  /** The current environment: the last snapshot with the changes of tools since. */
  environment: Environment
  /** The step that is open, or comes next. */
  readonly step: number
}
