import type { History } from '../history/create-history.ts'
import type { CancelledTurn } from '../history/log/closing.ts'
import type { State } from '../state/index.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import type { Tool, TurnOptions } from '../turn/index.ts'

export interface ChatOptions extends TurnOptions {
  /** Where conversations are stored. Without a history, only `respond` works. */
  readonly history?: History
  readonly tools?: readonly Tool[]
  /**
   * What the model reads of a turn that was cancelled. `keep` (default): the answer was cancelled, and the user's message
   * still counts. `disregard`: the model should disregard the whole turn.
   */
  readonly cancelledTurn?: CancelledTurn
  /** States that tools read. Name them if conversations may grow beyond 2048 messages. */
  readonly state?: readonly State<unknown>[]
  /** How often the model may be asked in one turn. Default 20. */
  readonly maxRounds?: number
  /** How long a tool may take. Default one minute. */
  readonly toolTimeoutMs?: number
  /** The counter for `respond`; a history has its own. */
  readonly count?: TokenCounter
}
