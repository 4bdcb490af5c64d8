import type { History, Thread } from '../../history/index.ts'
import type { Emit } from '../../turn/index.ts'
import type { Environment } from '../environment/variable.ts'
import type { ExperimentEvent } from '../experiment-event.ts'
import type { ExperimentPlan } from '../plan/plan.ts'
import { controlActor } from '../plan/role.ts'
import type { ExperimentLog } from './experiment-log.ts'
import type { Wish } from './wish.ts'

/** How experiments are run, whichever they are. */
export interface ExperimentsOptions {
  readonly history: History
  readonly newId?: () => string
  /** Wishes that come another way than through the log: a file has one writer, so others must call from outside. */
  readonly wishOf?: (id: string) => Wish | undefined | Promise<Wish | undefined>
  /** How long nothing may come from a model. Default two minutes. */
  readonly stallMs?: number
  /** How long a tool may take. Default one minute. */
  readonly toolTimeoutMs?: number
  /** The first pause before a model call is made again; each further one is twice as long. Default 500 ms. */
  readonly backoffMs?: number
}

/** One experiment while this process runs it. */
export interface ActiveExperiment extends ExperimentsOptions {
  readonly id: string
  readonly plan: ExperimentPlan
  readonly log: ExperimentLog
  /** Tells what happens. */
  readonly emit: Emit<ExperimentEvent>
  /** Aborted by the caller, or when the lease is lost. */
  readonly signal: AbortSignal
  readonly isResumed: boolean
  /** As it is at this moment: the last snapshot, and what tools have changed since. */
  environment: Environment
  /** The step that is being taken. */
  step: number
}

export const roleThread = ({ history }: ExperimentsOptions, id: string, role: string): Thread =>
  history.thread(id, { actor: role })

export const controlThread = ({ history }: ExperimentsOptions, id: string): Thread =>
  history.thread(id, { actor: controlActor })
