import type { Environment } from '../environment/variable.ts'
import type { ExperimentResult } from '../experiment-event.ts'
import type { ExperimentEntry, MetGoal, RecordedDecision } from './experiment-entry.ts'

export interface Snapshot {
  /** 0: before the first step. */
  readonly step: number
  readonly environment: Environment
}

export type Created = Extract<ExperimentEntry, { kind: 'created' }>

/** Where an experiment stands: a fold of the entries of its own thread, while it runs and after a crash alike. */
export interface ExperimentState {
  readonly created: Created
  readonly snapshots: readonly Snapshot[]
  /** Recorded decisions of hooks, by point. Only those of the current step are read again. */
  readonly decisions: ReadonlyMap<string, RecordedDecision>
  /** Set when a hook has decided to end the current step or, with `stop`, the experiment. */
  readonly ending: { readonly stop?: string } | undefined
  readonly goal: MetGoal | undefined
  readonly failing: Extract<ExperimentEntry, { kind: 'failing' }> | undefined
  readonly isPaused: boolean
  /** The place of the last wish that is settled. */
  readonly wishes: number
  readonly ended: Omit<ExperimentResult, 'id'> | undefined
}

/** How many steps have ended. */
export const stepsOf = ({ snapshots }: ExperimentState) => snapshots.at(-1)!.step

/** The environment when the last step had ended. */
export const lastSnapshot = ({ snapshots }: ExperimentState) => snapshots.at(-1)!.environment

export function foldEntries(entries: readonly ExperimentEntry[]): ExperimentState | undefined {
  return entries.reduce<ExperimentState | undefined>(foldEntry, undefined)
}

export function foldEntry(
  state: ExperimentState | undefined,
  entry: ExperimentEntry,
): ExperimentState | undefined {
  if (entry.kind === 'created') return begin(entry)
  if (!state) return undefined
  switch (entry.kind) {
    case 'hook': {
      const { key, endStep, stop } = entry
      const decisions = new Map(state.decisions).set(key, entry)
      const ending =
        endStep || stop !== undefined ? { ...(stop === undefined ? {} : { stop }) } : state.ending
      return { ...state, decisions, ending }
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
  }
}

function begin(created: Created): ExperimentState {
  return {
    created,
    snapshots: [{ step: 0, environment: created.environment }],
    decisions: new Map(),
    ending: undefined,
    goal: undefined,
    failing: undefined,
    isPaused: false,
    wishes: 0,
    ended: undefined,
  }
}
