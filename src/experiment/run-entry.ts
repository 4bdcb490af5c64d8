import type { SeenMessage } from '../history/logged-message.ts'
import type { LoggedMessage } from '../history/index.ts'
import { ThroughlineError } from '../log/error.ts'
import type { ExperimentEnd } from './experiment-event.ts'
import type { HookDecision } from './hook.ts'
import type { PlanJson } from './plan-json.ts'
import type { Environment, VariableType } from './variable.ts'

/** What the run's own thread holds: the steps of an experiment as they were settled. Everything else is in the roles' threads. */
export type RunEntry =
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
}

/** The decisions of all hooks of a point. */
export interface RecordedDecision extends Omit<HookDecision, 'inject'> {
  readonly inject?: readonly string[]
}

/** How an entry is kept: the text is for people who look at the log. */
export function toRunMessage(entry: RunEntry): SeenMessage {
  return { message: { role: 'system', content: describe(entry) }, data: entry }
}

export function fromRunMessage({ seq, data }: LoggedMessage): RunEntry {
  if (typeof data === 'object' && data !== null && 'kind' in data) return data as RunEntry
  throw new ThroughlineError('corrupt_experiment', `Entry ${seq} of the run is none that an experiment writes.`)
}

function describe(entry: RunEntry): string {
  switch (entry.kind) {
    case 'created':
      return `Experiment "${entry.name}" was created.`
    case 'hook':
      return `Hooks were asked: ${entry.key}`
    case 'step-ended':
      return `Step ${entry.step} ended.`
    case 'failing':
      return `The turn of "${entry.role}" failed: ${entry.code}.`
    case 'paused':
      return 'Paused.'
    case 'resumed':
      return 'Resumed.'
    case 'ended':
      return `Ended as ${entry.status} after ${entry.steps} steps.`
  }
}
