import type { Turn } from '../history/index.ts'
import { type RunEntry, toRunMessage } from './run-entry.ts'
import { foldEntry, type RunState } from './run-state.ts'

/** The run's own thread while it is ours: its open turn is the lease of the experiment. */
export interface RunLog {
  readonly state: RunState
  /** Aborted when somebody else has taken over. */
  readonly signal: AbortSignal
  /** Durable when it resolves; only then is it part of the state. */
  append(entry: RunEntry): Promise<void>
  /** The last entry, and the lease given back, in one step. */
  close(entry: RunEntry): Promise<void>
  /** The lease given back, and nothing else: whoever comes next goes on. Never fails: then it runs out by itself. */
  leave(): Promise<void>
}

export function createRunLog(turn: Turn, start: RunState): RunLog {
  let state = start
  const take = (entry: RunEntry) => {
    state = foldEntry(state, entry)!
  }
  return {
    get state() {
      return state
    },
    signal: turn.signal,
    async append(entry) {
      await turn.append(toRunMessage(entry))
      take(entry)
    },
    async close(entry) {
      await turn.complete(toRunMessage(entry))
      take(entry)
    },
    leave: () => turn.leave().catch(() => undefined),
  }
}
