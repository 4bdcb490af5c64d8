import type { FitOptions } from '@throughline/core/context'
import type { MessageLike } from '@throughline/core/messages'
import type { NoteOptions } from '@throughline/core/notes'
import type { Model, ModelSettings, ToolSpec } from '@throughline/models/model'
import type { TurnLog } from './log/turn-log.ts'
import type { Emit, Tally } from './reply.ts'

/** How a model is asked, in chats and experiments alike. */
export interface TurnOptions
  extends RetryOptions,
    Pick<FitOptions, 'pins' | 'shape' | 'maxToolTokens' | 'marker'> {
  /** Who answers: `ollama({ … })`, `openaiCompatible({ … })`, `aiSdk(model)`, `reader()`, or your own. */
  readonly model: Model
  /** The system prompt: put first in every call, not part of the log. */
  readonly system?: string | (() => string | Promise<string>)
  /** Whether the model writes notes to itself, and how. Default false. */
  readonly notes?: boolean | TurnNotes
  /** Decides what is left out when not everything fits. Default: that of the history, else `balanced()`. */
  readonly policy?: FitOptions['policy']
  /**
   * Whether changing lines of the system prompt stand apart: see `fit`. Default: `'stable'` for a model on this machine or
   * network, else `'as sent'`.
   */
  readonly systemPrompt?: FitOptions['systemPrompt']
  /**
   * The tokens that the model can take, prompt and reply together. Default: the history's, else what the model says, else
   * unknown: then nothing is cut.
   */
  readonly window?: number
  /** What is done when even the newest messages do not fit: see `fit`. Default `'trim-results'`, with a warning. */
  readonly overflow?: FitOptions['overflow']
  /**
   * Kept free for the reply. Default: that of the history, else an eighth of the window, more after longer replies, at most
   * `settings.maxTokens`.
   */
  readonly reserve?: number
  /** `temperature`, `maxTokens` and the like, for every call. */
  readonly settings?: ModelSettings
  /** Of a tool result with more tokens the model sees only the beginning. Default: a quarter of the window. */
  readonly maxResultTokens?: number
  /** How long the model, or a function `system`, may be silent. Default two minutes. */
  readonly stallMs?: number
  /** The longest reply in bytes: a longer one is stopped, and the turn ends as interrupted. Default 2 MiB. */
  readonly maxReply?: number
}

/** How a failed call is tried again. */
export interface RetryOptions {
  /** How many more attempts after the first. Default 3. */
  readonly retries?: number
  /** The first pause; each further one is twice as long. A pause that the provider asks for wins. Default 500 ms. */
  readonly backoffMs?: number
}

/** Notes that the model writes to itself, and how contexts show them. */
export interface TurnNotes {
  /** `reply`: the model ends its reply with a note. `tool`: it calls `write_note_to_self`. Default `reply`. */
  readonly by?: 'reply' | 'tool'
  /** The instruction in the system prompt. Default: a built-in text. */
  readonly instruction?: string
  /** A secret in the marker of notes, so that only the model can write one. */
  readonly nonce?: string
  /** Where the notes of earlier turns stand: with their replies, or in a section of the system prompt. Default `inline`. */
  readonly place?: 'inline' | 'system'
  /** Tokens for the section; the oldest notes are left out first. Default: a sixteenth of the window. */
  readonly budget?: number
  /** How many notes stand in the section at most: the newest. Default: as many as `budget` takes. */
  readonly keep?: number
}

/** How the model is called in a turn: the options with their defaults, the same for all rounds. */
export interface AskOptions
  extends Required<Pick<TurnOptions, 'model' | 'window' | 'settings' | 'stallMs' | 'maxReply'>>,
    Required<RetryOptions> {
  readonly signal: AbortSignal
  /** The tools as the model sees them. */
  readonly specs: readonly ToolSpec[]
  /** The tool that reads on in a clipped result: offered as soon as there is one. */
  readonly readOn?: ToolSpec | undefined
  /** Of a tool result with more tokens the model sees only the beginning. */
  readonly mostResultTokens: number
  readonly system: string | undefined
  /** Undefined: what is likely is kept free, see `replyReserve`. */
  readonly reserve: number | undefined
  readonly fit: Partial<FitOptions>
  /** How notes in a reply are marked. Undefined: what looks like a note is ordinary text. */
  readonly notes: NoteOptions | undefined
  readonly hasNoteTool: boolean
}

/** A turn that is being answered. */
export interface Asking extends AskOptions {
  readonly log: TurnLog
  readonly emit: Emit
  readonly tally: Tally
  /** The messages that are sent in place of the context, which is made and stored all the same: see `askPassed`. */
  readonly passed?: readonly MessageLike[] | undefined
  /** `whole`: a reply is shown only when complete, so one that breaks off is dropped and asked for again. */
  readonly replies: 'streamed' | 'whole'
}
