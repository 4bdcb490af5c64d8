import { freeze } from 'immer'
import type { LoggedMessage } from '../../history/index.ts'
import { ThroughlineError } from '../../log/error.ts'
import type { MessageLike } from '../../log/message.ts'
import type { Environment, VariableType } from '../environment/variable.ts'
import type { ExperimentEnd } from '../experiment-event.ts'
import type { HookDecision } from '../plan/hook.ts'
import type { PlanJson } from '../plan/plan-json.ts'

/** What the run's own thread holds: the steps of an experiment as they were settled. Everything else is in the roles' threads. */
export type ExperimentEntry =
  | {
      readonly kind: 'created'
      readonly version: 1
      readonly name: string
      readonly roles: readonly string[]
      readonly variables: Readonly<Record<string, VariableType>>
      readonly goals: readonly { readonly description: string; readonly outcome: 'completed' | 'failed' }[]
      readonly maxSteps: number
      readonly environment: Environment
      readonly plan?: PlanJson
    }
  /** What the hooks of a point decided; nothing, mostly. */
  | ({ readonly kind: 'hook'; readonly key: string; readonly errors?: readonly string[] } & RecordedDecision)
  | {
      readonly kind: 'step-ended'
      readonly step: number
      readonly environment: Environment
      readonly goal?: MetGoal
    }
  /** The experiment is about to fail; the turn of this role must be closed first. */
  | { readonly kind: 'failing'; readonly role: string; readonly code: string; readonly result: string }
  | { readonly kind: 'paused'; readonly environment: Environment }
  /** Somebody goes on. Wishes up to this place of the control thread are void. */
  | { readonly kind: 'resumed'; readonly wishes: number }
  | {
      readonly kind: 'ended'
      readonly status: ExperimentEnd
      readonly result: string
      readonly steps: number
      readonly environment: Environment
    }

export interface MetGoal {
  readonly description: string
  readonly outcome: 'completed' | 'failed'
  /** Which one of the plan's it is. */
  readonly place?: number
}

/** The decisions of all hooks of a point. */
export interface RecordedDecision extends Omit<HookDecision, 'inject'> {
  readonly inject?: readonly string[]
}

/** How an entry is kept. */
export function toEntryMessage(entry: ExperimentEntry): MessageLike {
  return { role: 'system', content: JSON.stringify(entry) }
}

export function fromEntryMessage({ seq, message }: LoggedMessage): ExperimentEntry {
  try {
    // Hooks and goals are handed what is in it.
    return freeze(JSON.parse(String(message.content)) as ExperimentEntry, true)
  } catch (error) {
    const problem = `Entry ${seq} of the run cannot be read as one that an experiment writes.`
    throw new ThroughlineError('corrupt_experiment', problem, { cause: error })
  }
}
