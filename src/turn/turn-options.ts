import type { FitOptions } from '../context/context.ts'
import type { Model, ModelSettings } from '../models/model.ts'
import type { RetryOptions } from './wait/backoff.ts'

/** How a model is asked, whoever has the turn answered. */
export interface TurnOptions extends RetryOptions {
  readonly model: Model
  /** The system prompt: not stored, put first, fresh, on every call. */
  readonly system?: string | (() => string | Promise<string>)
  /** Whether the model leaves notes to itself, and how. Default false. */
  readonly notes?: boolean | TurnNotes
  readonly policy?: FitOptions['policy']
  /** Facts that travel in the system prompt. */
  readonly pins?: readonly string[]
  /** `alternating` for models whose template wants user and assistant to take turns. */
  readonly shape?: FitOptions['shape']
  /** Default: that of the history, else what the model says, else 4096. */
  readonly window?: number
  /** Kept free for the reply. Default: that of the history, else `settings.maxTokens`, else an eighth of the window. */
  readonly reserve?: number
  readonly settings?: ModelSettings
  /** A longer result is shown by its beginning. Default: a quarter of the window. */
  readonly maxResultTokens?: number
  /** How long nothing may come from the model. Default two minutes. */
  readonly stallMs?: number
}

export interface TurnNotes {
  /** `reply`: the model ends its reply with a note. `tool`: it calls `write_note_to_self`. Default `reply`. */
  readonly by?: 'reply' | 'tool'
  /** What the system prompt asks for, instead of our words. */
  readonly instruction?: string
  /** A secret in the marker, so that only the model can write one. */
  readonly nonce?: string
  /** Where the notes of earlier turns stand. Default `inline`. */
  readonly place?: 'inline' | 'system'
}
