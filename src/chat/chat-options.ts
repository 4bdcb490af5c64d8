import type { History } from '../history/create-history.ts'
import type { CancelledTurn } from '../history/log/closing.ts'
import type { State } from '../state/index.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import type { Tool, TurnOptions } from '../turn/index.ts'

export interface ChatOptions extends TurnOptions {
  /** Where conversations are kept. Without it there is only `respond`. */
  readonly history?: History
  readonly tools?: readonly Tool[]
  /**
   * What the model is told of a turn that was cancelled. `keep`: that its answer was cancelled; what the user said counts.
   * `disregard`: that it should disregard the whole turn. Default `keep`.
   */
  readonly cancelledTurn?: CancelledTurn
  /** States that tools ask for: they must be named where conversations grow beyond some thousand messages. */
  readonly state?: readonly State<unknown>[]
  /** How often the model may be asked in one turn. Default 20. */
  readonly maxRounds?: number
  /** How long a tool may take. Default one minute. */
  readonly toolTimeoutMs?: number
  /** Counts for `respond`; a history has its own counter. */
  readonly count?: TokenCounter
}
