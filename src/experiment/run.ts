import type { History, Thread } from '../history/index.ts'
import type { Wish } from './control.ts'
import type { ExperimentPlan } from './plan.ts'
import { controlActor } from './role.ts'
import type { RunLog } from './run-log.ts'
import type { Environment } from './variable.ts'

/** How experiments are run, whichever they are. */
export interface RunOptions {
  readonly history: History
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
export interface Run extends RunOptions {
  readonly id: string
  readonly plan: ExperimentPlan
  readonly log: RunLog
  /** Aborted by the caller, or when the lease is lost. */
  readonly signal: AbortSignal
  readonly isResumed: boolean
  /** As it is at this moment: the last snapshot, and what tools have changed since. */
  environment: Environment
  /** The step that is being run. */
  step: number
}

export const roleThread = ({ history }: RunOptions, id: string, role: string): Thread =>
  history.thread(id, { actor: role })

export const controlThread = ({ history }: RunOptions, id: string): Thread =>
  history.thread(id, { actor: controlActor })
