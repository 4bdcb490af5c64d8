import type { Environment } from './environment.ts'
import type { GoalTest } from './plan/plan-json.ts'

/** How an experiment ends: by a goal, by an error, or stopped by a person or a hook. */
export type ExperimentEnd = 'COMPLETED' | 'FAILED' | 'STOPPED'

/** What an experiment came to, or where it paused. */
export interface ExperimentResult {
  /** Its name in the history. */
  readonly id: string
  /** `PAUSED`: it has not ended, and `resume` goes on with it. */
  readonly status: ExperimentEnd | 'PAUSED'
  /** Why the experiment ended, or `Paused`. */
  readonly result: string
  /** How many steps have ended. */
  readonly steps: number
  /** The values of the variables at the end. */
  readonly environment: Environment
}

interface RoleEvent {
  readonly step: number
  readonly role: string
}

/** A tool of a role has ended. */
export interface ToolResultEvent extends RoleEvent {
  /** Tells it from the other events. */
  readonly type: 'tool-result'
  /** The name of the tool. */
  readonly name: string
  /** The result as the model reads it. */
  readonly text: string
  /** Whether the tool failed; the text then says why. */
  readonly isError: boolean
}

/** What happens in an experiment. For operators: events hold texts of models and tools. */
export type ExperimentEvent =
  | {
      readonly type: 'experiment-started'
      readonly id: string
      readonly name: string
      /** The first step to be taken. */
      readonly step: number
      readonly isResumed: boolean
    }
  | { readonly type: 'step-started'; readonly step: number; readonly environment: Environment }
  | ({ readonly type: 'role-started' } & RoleEvent)
  | ({
      readonly type: 'model-called'
      readonly round: number
      readonly model: string
      /** The tokens of the prompt as we counted them. */
      readonly predicted: number
      /** The prompt tokens that the provider reported. */
      readonly reported?: number
      readonly replyTokens?: number
      readonly text: string
    } & RoleEvent)
  | ({
      readonly type: 'tool-called'
      readonly name: string
      readonly arguments: string
    } & RoleEvent)
  | ToolResultEvent
  | ({ readonly type: 'role-ended'; readonly isSkipped: boolean } & RoleEvent)
  | ({ readonly type: 'goal-tested'; readonly step: number } & GoalTest)
  | { readonly type: 'step-ended'; readonly step: number; readonly environment: Environment }
  | {
      readonly type: 'warning'
      /** `hook_failed`, or a code of `throughline/chat`. */
      readonly code: string
      readonly message: string
      readonly role?: string
    }
  | ({ readonly type: 'paused' } & Omit<ExperimentResult, 'status'>)
  | ({ readonly type: 'experiment-ended'; readonly status: ExperimentEnd } & Omit<
      ExperimentResult,
      'status'
    >)
