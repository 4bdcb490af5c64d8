import type { Turn } from '../../history/index.ts'
import { type ExperimentEntry, toEntryMessage } from './experiment-entry.ts'
import { type ExperimentState, foldEntry } from './experiment-state.ts'

/** The run's own thread while it is ours: its open turn is the lease of the experiment. */
export interface ExperimentLog {
  readonly state: ExperimentState
  /** Aborted when somebody else has taken over. */
  readonly signal: AbortSignal
  /** Durable when it resolves; only then is it part of the state. */
  append(entry: ExperimentEntry): Promise<void>
  /** The last entry, and the lease given back, in one step. */
  close(entry: ExperimentEntry): Promise<void>
  /** The lease given back, and nothing else: whoever comes next goes on. Never fails: then it runs out by itself. */
  leave(): Promise<void>
}

export function createExperimentLog(turn: Turn, start: ExperimentState): ExperimentLog {
  let state = start
  const take = (entry: ExperimentEntry) => {
    state = foldEntry(state, entry)!
  }
  return {
    get state() {
      return state
    },
    signal: turn.signal,
    async append(entry) {
      await turn.append(toEntryMessage(entry))
      take(entry)
    },
    async close(entry) {
      await turn.complete(toEntryMessage(entry))
      take(entry)
    },
    leave: () => turn.leave().catch(() => undefined),
  }
}
