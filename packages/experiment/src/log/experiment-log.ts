import { showValue, ThroughlineError } from '@throughline/core/errors'
import type { MessageLike } from '@throughline/core/messages'
import type { LoggedMessage, Thread, Turn } from '@throughline/history'
import { tryAgain } from '@throughline/history/threads'
import { freeze } from 'immer'
import type { Environment, VariableType } from '../environment.ts'
import type { ExperimentEnd, ExperimentResult } from '../experiment-event.ts'
import type { HookDecision, HookMessage } from '../plan/hook.ts'
import type { GoalTest, PlanJson } from '../plan/plan-json.ts'

/** How a process leaves an experiment. */
export type RunEnd = Pick<ExperimentResult, 'status' | 'result'>

export type ExperimentLog = ReturnType<typeof createExperimentLog>

/** The experiment's own thread while this process holds it: its open turn is the lease of the experiment. */
export function createExperimentLog(turn: Turn, start: ExperimentState) {
  let state = start
  return {
    get state() {
      return state
    },
    /** Aborted when another process has taken over. */
    signal: turn.signal,
    async append(entry: ExperimentEntry): Promise<void> {
      await turn.append(toEntryMessage(entry))
      state = foldEntry(state, entry)
    },
    /** Stores the end or the pause, and gives the lease back, in one step. */
    async close({ status, result }: RunEnd, environment: Environment): Promise<void> {
      const ended = { status, result, steps: stepsOf(state), environment }
      const entry =
        status === 'PAUSED' ? { kind: 'paused', environment } : { kind: 'ended', ...ended }
      await turn.complete(toEntryMessage(entry as ExperimentEntry))
    },
    /** Only gives the lease back, so that another process can go on. Never fails: a lease runs out by itself. */
    leave: () => turn.leave().catch(() => undefined),
  }
}

/** An entry of the experiment's own thread: its steps as they were settled. All else is in the roles' threads. */
export type ExperimentEntry =
  | Created
  /** What the hooks of a point decided. */
  | ({
      readonly kind: 'hook'
      readonly key: string
      readonly errors?: readonly string[]
    } & RecordedDecision)
  | ({ readonly kind: 'step-ended'; readonly goal?: MetGoal } & Snapshot)
  | Failing
  | { readonly kind: 'paused'; readonly environment: Environment }
  /** A process goes on with the experiment. Wishes up to this place of the control thread are void. */
  | { readonly kind: 'resumed'; readonly wishes: number }
  | ({ readonly kind: 'ended'; readonly status: ExperimentEnd } & Omit<
      ExperimentResult,
      'id' | 'status'
    >)

export interface Created {
  readonly kind: 'created'
  readonly version: 1
  readonly name: string
  readonly roles: readonly string[]
  readonly variables: Readonly<Record<string, VariableType>>
  readonly goals: readonly StoredGoal[]
  readonly maxSteps: number
  readonly environment: Environment
  readonly plan?: PlanJson
}

/** The experiment is about to fail, as soon as the turn of this role is closed. */
export interface Failing {
  readonly kind: 'failing'
  readonly role: string
  readonly code: string
  readonly result: string
}

/** The environment at the end of a step. */
export interface Snapshot {
  /** 0: before the first step. */
  readonly step: number
  /** The values of the variables. */
  readonly environment: Environment
}

type StoredGoal = Omit<GoalTest, 'isMet'>

export interface MetGoal extends StoredGoal {
  /** The place of the goal in the plan. */
  readonly place?: number
}

export interface RecordedDecision extends Omit<HookDecision, 'inject'> {
  readonly inject?: readonly HookMessage[]
}

/** Where an experiment stands: a fold of the entries of its own thread, while it runs and after a crash alike. */
export interface ExperimentState {
  readonly created: Created
  readonly snapshots: readonly Snapshot[]
  /** Recorded decisions of hooks, by point. Only those of the current step are read again. */
  readonly decisions: ReadonlyMap<string, RecordedDecision>
  /** Set when a hook has decided to end the current step or, with `stop`, the experiment. */
  readonly ending?: { readonly stop?: string } | undefined
  readonly goal?: MetGoal | undefined
  readonly failing?: Failing
  readonly isPaused: boolean
  /** The place of the last wish that is settled. */
  readonly wishes: number
  readonly ended?: Omit<ExperimentResult, 'id'>
}

export const stepsOf = ({ snapshots }: ExperimentState) => snapshots.at(-1)!.step

export const lastSnapshot = ({ snapshots }: ExperimentState) => snapshots.at(-1)!.environment

export const toEntryMessage = (entry: ExperimentEntry): MessageLike => ({
  role: 'system',
  content: JSON.stringify(entry),
})

export function fromEntryMessage({ seq, message }: LoggedMessage): ExperimentEntry {
  try {
    // Frozen, because hooks and goals get its values.
    return freeze(JSON.parse(String(message.content)) as ExperimentEntry, true)
  } catch (error) {
    const problem = `Entry ${seq} of the experiment's own thread cannot be read: it is damaged, or of a newer version.`
    throw new ThroughlineError('corrupt_experiment', problem, { cause: error })
  }
}

export function beginState(created: Created): ExperimentState {
  const snapshots = [{ step: 0, environment: created.environment }]
  return { created, snapshots, decisions: new Map(), isPaused: false, wishes: 0 }
}

export function foldEntry(state: ExperimentState, entry: ExperimentEntry): ExperimentState {
  switch (entry.kind) {
    case 'created':
      return beginState(entry)
    case 'hook': {
      const { key, endStep, stop } = entry
      const decisions = new Map(state.decisions).set(key, entry)
      if (stop !== undefined) return { ...state, decisions, ending: { stop } }
      return { ...state, decisions, ...(endStep && { ending: {} }) }
    }
    case 'step-ended': {
      const { step, environment, goal } = entry
      const snapshots = [...state.snapshots, { step, environment }]
      // A decision to end the step is fulfilled; a stop goes on holding.
      const ending = state.ending?.stop === undefined ? undefined : state.ending
      return { ...state, snapshots, goal, ending, decisions: new Map() }
    }
    case 'failing':
      return { ...state, failing: entry }
    case 'paused':
      return { ...state, isPaused: true }
    case 'resumed':
      return { ...state, isPaused: false, wishes: entry.wishes }
    case 'ended': {
      const { kind: _, ...ended } = entry
      return { ...state, ended }
    }
    default: {
      const { kind } = entry as { readonly kind: unknown }
      const problem = `An entry of the experiment's own thread has the unknown kind ${showValue(kind)}: it is damaged, or of a newer version.`
      throw new ThroughlineError('corrupt_experiment', problem)
    }
  }
}

/** What another process wants of an experiment. */
export type Wish = 'pause' | 'stop'

/** A wish as the log stores it; the text of its message is for people. */
type WishData = { readonly wish: Wish }
const texts = { pause: 'Pause, please.', stop: 'Stop, please.' }

export const endOf: Readonly<Record<Wish, RunEnd>> = {
  pause: { status: 'PAUSED', result: 'Paused' },
  stop: { status: 'STOPPED', result: 'Stopped by User' },
}

/** Logs a wish for the process that runs the experiment. Needs no lease; tries again when another writer was first. */
export async function leaveWish(control: Thread, wish: Wish): Promise<void> {
  const data: WishData = { wish }
  const message = { role: 'user', content: texts[wish] }
  await tryAgain('conflict', 20, () => control.seed({ message, data }))
}

/** The wish since a place, and the place of the last one. A stop outweighs a pause. */
export async function readWishes(control: Thread, after: number) {
  const entries = await control.entries({ limit: 16 })
  const wishes = entries
    .filter(({ seq }) => seq > after)
    .map(({ data }) => (data as WishData | undefined)?.wish)
  return {
    wish: (['stop', 'pause'] as const).find(wish => wishes.includes(wish)),
    last: entries.at(-1)?.seq ?? 0,
  }
}
