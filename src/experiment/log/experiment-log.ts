import type { Turn } from '../../history/index.ts'
import { type ExperimentEntry, toEntryMessage } from './experiment-entry.ts'
import { type ExperimentState, foldEntry } from './experiment-state.ts'

/** The experiment's own thread while this process holds it: its open turn is the lease of the experiment. */
export interface ExperimentLog {
  readonly state: ExperimentState
  /** Aborted when another process has taken over. */
  readonly signal: AbortSignal
  /** Stores an entry, then adds it to the state. */
  append(entry: ExperimentEntry): Promise<void>
  /** Stores the last entry and gives the lease back, in one step. */
  close(entry: ExperimentEntry): Promise<void>
  /** Only gives the lease back, so that another process can go on. Never fails: a lease runs out by itself. */
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
