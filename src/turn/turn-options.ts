import type { FitOptions } from '../context/context.ts'
import type { Model, ModelSettings } from '../models/model.ts'
import type { RetryOptions } from './wait/backoff.ts'

/** How a model is asked, in chats and experiments alike. */
export interface TurnOptions extends RetryOptions {
  readonly model: Model
  /** The system prompt: put first in every call, not part of the log. */
  readonly system?: string | (() => string | Promise<string>)
  /** Whether the model writes notes to itself, and how. Default false. */
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
  /** Of a tool result with more tokens the model sees only the beginning. Default: a quarter of the window. */
  readonly maxResultTokens?: number
  /** How long the model may be silent. Default two minutes. */
  readonly stallMs?: number
}

export interface TurnNotes {
  /** `reply`: the model ends its reply with a note. `tool`: it calls `write_note_to_self`. Default `reply`. */
  readonly by?: 'reply' | 'tool'
  /** The instruction in the system prompt, in place of the built-in one. */
  readonly instruction?: string
  /** A secret in the marker of notes, so that nobody but the model can write one. */
  readonly nonce?: string
  /** Where the notes of earlier turns stand. Default `inline`. */
  readonly place?: 'inline' | 'system'
}
