import type { Context } from '@throughline/core/context'
import type { Why } from '@throughline/core/explain'
import type { Calibration, MessageLike } from '@throughline/core/messages'
import type { Mentions } from '@throughline/core/recall'
import type { ReadStateOptions, State, StateReading } from '@throughline/core/state'
import type { Mark, StoredCall, StoredTurn, ThreadKey } from '@throughline/stores/store'
import type { CallInfo, CallStart, StartedCall, ThreadCall } from './calls/calls.ts'
import type { Hands } from './hands.ts'
import type { CancelledTurn } from './log/closing.ts'
import type { LoggedMessage, SeenMessage, TurnMessage } from './log/logged-message.ts'
import type { Overlay, OverlayState } from './log/overlay.ts'
import type { ThreadCopy } from './log/thread-copy.ts'
import type { ContextRequest } from './log/thread-log.ts'
import type { StateOptions } from './log/thread-state.ts'
import type { RequestContext } from './request/request-context.ts'
import type { Turn } from './turn.ts'
import type { DisplayMessage, ThreadStatus, ViewOptions } from './views.ts'

/** What a context is made of; what is not named is as in the options of the history. */
export type ThreadContextOptions = Partial<Omit<ContextRequest, 'count'>>

export interface MentionOptions extends ThreadContextOptions {
  /** What is looked for. Default: the newest user message. */
  readonly text?: string
}

/** One actor's history in one conversation. */
export interface Thread extends Hands {
  /** The names of tenant, conversation, actor and branch. */
  readonly key: ThreadKey
  /** Begins a turn and stores its messages. LeaseError while another is held; `retryAfterMs` says when its lease runs out. */
  begin(input: TurnMessage | readonly TurnMessage[], options?: BeginOptions): Promise<Begun>
  /** Goes on with a turn whose writer is gone; undefined if none is open. LeaseError with `retryAfterMs` while it is held. */
  resume(options?: Pick<BeginOptions, 'mayDeferSync'>): Promise<Resumed | undefined>
  /** Erases a message's text from log, index, vectors, caches and records of calls; a mark stays. LeaseError if a turn is held. */
  erase(seq: number): Promise<void>
  /** Messages that repeat others, to be stored from a place on, with what a person has done with those: the last has all hands. */
  withHands(messages: readonly TurnMessage[], first: number): Promise<readonly TurnMessage[]>
  /** The entries as they were logged, with all that is stored beside the messages. */
  entries(options?: ViewOptions): Promise<readonly LoggedMessage[]>
  /**
   * Appends a past conversation as closed turns, in one step: each user message behind another one's begins a turn. A message
   * that says when it was sent (`time`, `createdAt`) keeps its time; the others have that of the one before.
   */
  seedTurns(messages: readonly (MessageLike | SeenMessage)[]): Promise<void>
  /** Appends messages before the first turn. */
  seed(...messages: readonly (MessageLike | SeenMessage)[]): Promise<void>
  /** The messages as they were said, with notes, oldest first. */
  messages(options?: ViewOptions): Promise<readonly MessageLike[]>
  /** The messages for the next model call, with the receipt. Stores nothing. */
  context(options?: ThreadContextOptions): Promise<Context>
  /** The thread as it was at a place, to be read on without changing what is held of it. */
  copyAt(at: number): Promise<ThreadCopy>
  /** Why an entry has its fate in a context: which message asked for it and with which words, what took its room. */
  why(seq: number, options?: ThreadContextOptions): Promise<Why>
  /** Which words of a text were said, in whatever form, and in which messages. Without a text: those of the newest user message. */
  mentions(options?: MentionOptions): Promise<Mentions>
  /** What a user may see: no notes, no messages that Throughline wrote to close a turn. */
  display(options?: ViewOptions): Promise<readonly DisplayMessage[]>
  /** Prints a context as text; for a stored call, the context that the model was sent. */
  dump(of?: ThreadContextOptions | Pick<StoredCall, 'plan'>): Promise<string>
  /** The value of a state in the whole log, and where it was found. */
  state<Value, Start extends Value | undefined>(
    state: State<Value, Start>,
    options?: StateOptions,
  ): Promise<StateReading<Value | Start>>
  /** The newest 1024 messages or more, for tools; of a longer thread also what the given states were before them. */
  recent(options?: RecentOptions): Promise<Recent>
  /** Whether contexts show only the beginning of a tool result of this thread, because it was too long. */
  hasClipped(): Promise<boolean>
  /** The model's notes to itself, oldest first. Users must not see them. */
  notes(options?: ViewOptions): Promise<readonly string[]>
  /** Whether the thread has a note: then what looks like one in a reply is one. */
  hasNotes(): Promise<boolean>
  /** What the requests of a client have left out up to a place, or word otherwise; undefined where that is nothing. */
  overlay(at?: number): Promise<OverlayState | undefined>
  /** The places of all system messages. */
  systemPlaces(): Promise<readonly number[]>
  /** Whether a turn is open, by whom and for how long; or was left open by a writer who is gone. */
  status(): Promise<ThreadStatus>
  /** All turns. A turn that was left open has failed, or was cancelled or interrupted, as soon as its lease has run out. */
  turns(): Promise<readonly StoredTurn[]>
  /** Stores a model call, its context and its model, before it is sent. `end` adds the outcome. */
  startCall(context: Context, call: CallStart): Promise<StartedCall>
  /** Stores a model call that is over: its context, its model, and what the provider reported. */
  saveCall(context: Context, call: CallInfo): Promise<StoredCall>
  /** Model calls, newest first. A call whose process died before its outcome was known is `interrupted`. */
  calls(options?: Pick<ViewOptions, 'limit'>): Promise<readonly ThreadCall[]>
  /** The messages that the model was sent in a call, byte for byte. */
  replay(call: Pick<StoredCall, 'plan'>): Promise<readonly MessageLike[]>
  /** The newest logged calibration of a model: how far our counts are from what its provider reported. */
  calibration(model: string, options?: Pick<ViewOptions, 'at'>): Promise<Calibration | undefined>
  /** Gets all missing vectors, after an import, say; they count from the next message. Returns how many, 0 if it fails. */
  embed(): Promise<number>
  /** Makes a branch that shares the past up to `at`: the last entry of a closed turn, or the one before a user message. */
  fork(options: ForkOptions): Promise<Thread>
}

export interface ForkOptions {
  /** The `seq` of the last entry that both branches share. */
  readonly at: number
  /** The name of the new branch. Default: a new id. */
  readonly branch?: string
}

export interface BeginOptions {
  /** An idempotency key: the same key again gives the answer of the first time. */
  readonly key?: string | undefined
  /** What the model reads if the turn is cancelled. Default `keep`: that the answer was cancelled. */
  readonly cancelledTurn?: CancelledTurn | undefined
  /** The application's own data, as JSON: stored with the last message, never sent and never shown. */
  readonly data?: unknown
  /** Marks of these messages, `at` counted from 1: stored in the same step. `store.findMarks` finds them. */
  readonly marks?: readonly Mark[]
  /** The last entry that the caller knows: if the thread has gone on since, a ConflictError says so. Default: wherever it ends. */
  readonly after?: number
  /** How the list of the client that sent these messages lies over the thread. Holds from the first of them on. */
  readonly overlay?: Overlay | undefined
  /** Whether the caller stores a call, or leaves or ends the turn, before reporting success: then all is on disk. Default false. */
  readonly mayDeferSync?: boolean | undefined
}

/** What is read beside the newest messages. */
export interface RecentOptions extends ReadStateOptions {
  /** States whose older results are read too, where the conversation is longer than what is loaded. */
  readonly states?: readonly State<unknown>[]
}

/** The newest messages of a thread, as a request context takes them. */
export type Recent = Pick<RequestContext, 'conversation' | 'older'>

/** A new turn, or the stored answer to a key that came before. */
export type Begun =
  | { readonly kind: 'begun'; readonly turn: Turn }
  /** The key came before: `messages` is that turn's answer with notes, without closing messages; show it by `toDisplay`. */
  | {
      readonly kind: 'replayed'
      readonly turn: StoredTurn
      readonly messages: readonly MessageLike[]
    }

export interface Resumed {
  readonly turn: Turn
  readonly entries: readonly LoggedMessage[]
}
