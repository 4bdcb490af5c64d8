import { freeze } from 'immer'
import type { LoggedMessage } from '../../history/index.ts'
import { ThroughlineError } from '../../log/error.ts'
import type { MessageLike } from '../../log/message.ts'
import type { Environment, VariableType } from '../environment/variable.ts'
import type { ExperimentEnd } from '../experiment-event.ts'
import type { HookDecision } from '../plan/hook.ts'
import type { PlanJson } from '../plan/plan-json.ts'

/** An entry of the experiment's own thread: its steps as they were settled. All else is in the roles' threads. */
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
  /** What the hooks of a point decided. */
  | ({ readonly kind: 'hook'; readonly key: string; readonly errors?: readonly string[] } & RecordedDecision)
  | {
      readonly kind: 'step-ended'
      readonly step: number
      readonly environment: Environment
      readonly goal?: MetGoal
    }
  /** The experiment is about to fail, as soon as the turn of this role is closed. */
  | { readonly kind: 'failing'; readonly role: string; readonly code: string; readonly result: string }
  | { readonly kind: 'paused'; readonly environment: Environment }
  /** A process goes on with the experiment. Wishes up to this place of the control thread are void. */
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
  /** The place of the goal in the plan. */
  readonly place?: number
}

/** The decisions of all hooks of a point. */
export interface RecordedDecision extends Omit<HookDecision, 'inject'> {
  readonly inject?: readonly string[]
}

export function toEntryMessage(entry: ExperimentEntry): MessageLike {
  return { role: 'system', content: JSON.stringify(entry) }
}

export function fromEntryMessage({ seq, message }: LoggedMessage): ExperimentEntry {
  try {
    // Frozen, because hooks and goals get its values.
    return freeze(JSON.parse(String(message.content)) as ExperimentEntry, true)
  } catch (error) {
    const problem = `Entry ${seq} of the experiment's own thread cannot be read: it is damaged, or of a newer version.`
    throw new ThroughlineError('corrupt_experiment', problem, { cause: error })
  }
}
