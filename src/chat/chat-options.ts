import type { FitOptions } from '../context/context.ts'
import type { History } from '../history/create-history.ts'
import type { CancelledTurn } from '../history/turn/closing.ts'
import type { Model, ModelSettings } from '../models/model.ts'
import type { State } from '../state/index.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import type { RetryOptions } from './backoff.ts'
import type { Tool } from './tool.ts'

export interface ChatOptions extends RetryOptions {
  readonly model: Model
  /** Where conversations are kept. Without it there is only `respond`. */
  readonly history?: History
  /** The system prompt: not stored, put first, fresh, on every call. */
  readonly system?: string | (() => string | Promise<string>)
  readonly tools?: readonly Tool[]
  /** Whether the model leaves notes to itself, and how. Default false. */
  readonly notes?: boolean | ChatNotes
  /**
   * What the model is told of a turn that was cancelled. `keep`: that its answer was cancelled; what the user said counts.
   * `disregard`: that it should disregard the whole turn. Default `keep`.
   */
  readonly cancelledTurn?: CancelledTurn
  /** States that tools ask for: they must be named where conversations grow beyond some thousand messages. */
  readonly state?: readonly State<unknown>[]
  readonly policy?: FitOptions['policy']
  /** Facts that travel in the system prompt. */
  readonly pins?: readonly string[]
  /** `alternating` for models whose template wants user and assistant to take turns. */
  readonly shape?: FitOptions['shape']
  /** Default: what the model says, else 4096. */
  readonly window?: number
  /** Kept free for the reply. Default: `settings.maxTokens`, else an eighth of the window. */
  readonly reserve?: number
  readonly settings?: ModelSettings
  /** How often the model may be asked in one turn. Default 20. */
  readonly maxRounds?: number
  /** How long nothing may come from the model. Default two minutes. */
  readonly stallMs?: number
  /** How long a tool may take. Default one minute. */
  readonly toolTimeoutMs?: number
  /** A longer result is shown by its beginning, and the model can read on. Default: a quarter of the window. */
  readonly maxResultTokens?: number
  /** Counts for `respond`; a history has its own counter. */
  readonly count?: TokenCounter
}

export interface ChatNotes {
  /** `reply`: the model ends its reply with a note. `tool`: it calls `write_note_to_self`. Default `reply`. */
  readonly by?: 'reply' | 'tool'
  /** What the system prompt asks for, instead of our words. */
  readonly instruction?: string
  /** A secret in the marker, so that only the model can write one. */
  readonly nonce?: string
  /** Where the notes of earlier turns stand. Default `inline`. */
  readonly place?: 'inline' | 'system'
}
