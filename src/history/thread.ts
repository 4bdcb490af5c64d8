import type { Context, FitOptions } from '../context/context.ts'
import { dump } from '../context/dump.ts'
import type { Why } from '../context/why/why-conversation.ts'
import type { MessageLike } from '../log/message.ts'
import type { RequestContext } from '../request/index.ts'
import type { ReadStateOptions, State, StateReading } from '../state/index.ts'
import type { Mark, StoredCall, StoredTurn, ThreadKey } from '../stores/store.ts'
import type { Calibration } from '../tokens/calibration.ts'
import {
  type CallInfo,
  type CallOutcome,
  type CallStart,
  promptName,
  replayCall,
  type StartedCall,
  sentIn,
  type ThreadCall,
  toThreadCall,
  withOutcome,
} from './calls/calls.ts'
import { hashOf, toCanonical } from './calls/hash-of.ts'
import { leadingPrompt, toPlan } from './calls/plan.ts'
import type { CancelledTurn } from './log/closing.ts'
import { type EntryOptions, type LoggedMessage, type SeenMessage, toEntry } from './log/logged-message.ts'
import { makeEntries } from './log/make-entries.ts'
import { checkBranch, type LogSource, listLog } from './log/read-log.ts'
import type { ThreadLog } from './log/thread-log.ts'
import { readThreadState, type StateOptions } from './log/thread-state.ts'
import { beginTurn, createTurn, type Turn } from './turn.ts'
import {
  type DisplayMessage,
  listNewest,
  readStatus,
  readTurns,
  type ThreadStatus,
  type ViewOptions,
  viewDisplay,
  viewMessages,
  viewNotes,
} from './views.ts'

export interface ThreadContextOptions extends Partial<Omit<FitOptions, 'count'>> {
  /** The thread as it was when this entry was its last. Default: as it is. */
  readonly at?: number
  /** The system prompt: not stored, put first, fresh, on every call. */
  readonly system?: string | undefined
}

/** One actor's history in one conversation. */
export interface Thread {
  readonly key: ThreadKey
  /**
   * Begins a turn. The user's messages are stored when this resolves. While another turn is open it throws a LeaseError,
   * whose `retryAfterMs` says when the thread is free if the holder of that turn is gone.
   */
  begin(input: MessageLike | readonly MessageLike[], options?: BeginOptions): Promise<Begun>
  /**
   * Goes on with a turn whose writer is gone, instead of closing it. Undefined when no turn is open. Throws a LeaseError
   * with `retryAfterMs` while somebody holds the turn.
   */
  resume(): Promise<Resumed | undefined>
  /** The entries as they were logged, with all that is stored beside the messages. */
  entries(options?: ViewOptions): Promise<readonly LoggedMessage[]>
  /** Appends messages before the first turn. */
  seed(...messages: readonly (MessageLike | SeenMessage)[]): Promise<void>
  messages(options?: ViewOptions): Promise<readonly MessageLike[]>
  context(options?: ThreadContextOptions): Promise<Context>
  /** Why an entry has its fate in a context: which message asked for it and with which words, what took its room. */
  why(seq: number, options?: ThreadContextOptions): Promise<Why>
  /** What a user may see: no notes, no messages that Throughline wrote to close a turn. */
  display(options?: ViewOptions): Promise<readonly DisplayMessage[]>
  /** Prints a context as text; for a stored call, the context that the model was sent. */
  dump(of?: ThreadContextOptions | Pick<StoredCall, 'plan'>): Promise<string>
  state<Value, Start extends Value | undefined>(
    state: State<Value, Start>,
    options?: StateOptions,
  ): Promise<StateReading<Value | Start>>
  /**
   * The newest part of the thread, for tools: 1024 messages or more. If the thread is longer, also the values that the
   * given states had before that part.
   */
  recent(options?: RecentOptions): Promise<Recent>
  /** Whether contexts show only the beginning of a tool result of this thread, because it was too long. */
  hasClipped(): Promise<boolean>
  notes(options?: ViewOptions): Promise<readonly string[]>
  /** Whether the thread has a note: then what looks like one in a reply is one. */
  hasNotes(): Promise<boolean>
  /** Whether a turn is open, by whom and for how long; or was left open by a writer who is gone. */
  status(): Promise<ThreadStatus>
  /** All turns. A turn that was left open has failed, or was cancelled or interrupted, as soon as its lease has run out. */
  turns(): Promise<readonly StoredTurn[]>
  /** Stores a model call, its context and its model, before it is sent. `end` adds the outcome. */
  startCall(context: Context, call: CallStart): Promise<StartedCall>
  /** Stores a model call that is over: its context, its model, and what the provider reported. */
  saveCall(context: Context, call: CallInfo): Promise<StoredCall>
  /** Model calls, newest first. A call whose process died before its outcome was known is `interrupted`. */
  calls(options?: CallsOptions): Promise<readonly ThreadCall[]>
  /** The messages that the model was sent in a call, byte for byte. */
  replay(call: Pick<StoredCall, 'plan'>): Promise<readonly MessageLike[]>
  /** The newest logged calibration of a model: how far our counts are from what its provider reported. */
  calibration(model: string, options?: Pick<ViewOptions, 'at'>): Promise<Calibration | undefined>
  /**
   * Asks for all vectors that are missing: of an import, say, or from before the history had `embed`. They count from the
   * next message on. Returns how many messages that were; 0 without `embed`, and where the embedder fails.
   */
  embed(): Promise<number>
  /** Makes a branch that shares the past up to `at`: the last entry of a closed turn, or the one before a user message. */
  fork(options: ForkOptions): Promise<Thread>
}

export interface CallsOptions {
  /** Only the newest ones. Default: all. */
  readonly limit?: number
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
}

export interface RecentOptions extends ReadStateOptions {
  /** States whose older results are read too, where the conversation is longer than what is loaded. */
  readonly states?: readonly State<unknown>[]
}

export type Recent = Pick<RequestContext, 'conversation' | 'older'>

export type Begun =
  | { readonly kind: 'begun'; readonly turn: Turn }
  /**
   * The idempotency key came before: `messages` is the answer of that turn, with notes, without messages that closed it.
   * `toDisplay` makes them fit for a user.
   */
  | { readonly kind: 'replayed'; readonly turn: StoredTurn; readonly messages: readonly MessageLike[] }

export interface Resumed {
  readonly turn: Turn
  readonly entries: readonly LoggedMessage[]
}

export interface ThreadSource extends LogSource {
  readonly fit: FitOptions
  readonly now: () => number
  readonly newId: () => string
  readonly owner: string
  readonly leaseMs: number
  /** The log of a thread, shared by all threads of the same key. */
  readonly logOf: (key: ThreadKey) => ThreadLog
}

/** The system prompt as a message. */
const toPrompt = (system: string | undefined): readonly MessageLike[] =>
  system === undefined ? [] : [{ role: 'system', content: system }]

export function createThread(options: ThreadSource): Thread {
  const { store, key, count, now, newId, owner, leaseMs, logOf } = options
  const source = { store, key, count }

  const newEntry = (
    message: MessageLike | SeenMessage,
    rest?: Pick<EntryOptions, 'isClosing' | 'calibration'>,
  ) => toEntry(message, { id: newId(), time: now(), count, ...rest })

  function context({ at, system, ...changes }: ThreadContextOptions = {}): Promise<Context> {
    return logOf(key).context(at, toPrompt(system), { ...options.fit, ...changes })
  }

  function why(seq: number, { at, system, ...changes }: ThreadContextOptions = {}): Promise<Why> {
    return logOf(key).why(seq, at, toPrompt(system), { ...options.fit, ...changes })
  }

  const replay = (call: Pick<StoredCall, 'plan'>) => replayCall(source, call)

  async function saveCall(
    fitted: Context,
    { model, turn, room }: CallStart,
    outcome: Pick<StoredCall, 'status' | 'reported'>,
  ): Promise<StoredCall> {
    const log = logOf(key)
    const prompt = leadingPrompt(fitted, log)
    const tools = fitted.tools && JSON.stringify(fitted.tools)
    const isText = prompt !== undefined || tools !== undefined
    const head = turn === undefined || isText ? await store.head(key) : undefined
    // Without a head there is no thread: no prompt is stored, and the store refuses the call.
    const nameOf = async (kind: 'prompt' | 'tools', text: string | undefined) =>
      text === undefined || !head ? undefined : promptName(log, kind, source, text, now)
    const stored = { prompt: await nameOf('prompt', prompt), tools: await nameOf('tools', tools) }
    return saved({
      id: newId(),
      turn: turn ?? head?.turns ?? 0,
      time: now(),
      model,
      plan: JSON.stringify(toPlan(fitted, log, { ...stored, room })),
      predicted: fitted.tokens,
      ...outcome,
    })
  }

  async function saved(call: StoredCall): Promise<StoredCall> {
    await store.saveCall(key, call)
    return call
  }

  return {
    key,
    async begin(given, { key: idempotency, cancelledTurn, data, marks, after } = {}) {
      const messages = Array.isArray(given) ? (given as readonly MessageLike[]) : [given as MessageLike]
      const asked = idempotency !== undefined && { key: idempotency, body: await hashOf(toCanonical(given)) }
      const last = messages.at(-1)
      const isWithData = data !== undefined && last !== undefined
      const entries = await makeEntries(
        isWithData ? [...messages.slice(0, -1), { message: last, data }] : messages,
        newEntry,
      )
      const closing = (message: SeenMessage) => newEntry(message, { isClosing: true })
      const begun = await beginTurn(source, { owner, leaseMs, entries, marks, ...asked }, closing, after)
      if (begun.kind === 'begun') {
        const turn = createTurn({ store, key, begun, leaseMs, cancelledTurn, messages, newEntry })
        // The turn keeps its lease meanwhile.
        await logOf(key).embed(begun.turn.first)
        return { kind: 'begun', turn }
      }
      const { turn } = begun
      const to = turn.status === 'open' ? {} : { to: turn.last }
      const logged = await listLog(source, { from: turn.first, ...to })
      const answer = logged
        .filter(({ isClosing, isBroken }) => !isClosing && !isBroken)
        .map(({ message }) => message)
      return { kind: 'replayed', turn, messages: answer }
    },
    async resume() {
      const begun = await store.resume(key, { owner, leaseMs })
      if (!begun) return undefined
      const entries = await listLog(source, { from: begun.turn.first })
      const messages = entries.filter(({ isBroken }) => !isBroken).map(({ message }) => message)
      return { turn: createTurn({ store, key, begun, leaseMs, messages, newEntry }), entries }
    },
    entries: view => listNewest(source, view),
    async seed(...messages) {
      const entries = await makeEntries(messages, newEntry)
      const head = await store.head(key)
      checkBranch(key, head)
      await store.seed(key, { expectedHead: head?.head ?? 0, entries })
    },
    messages: view => viewMessages(source, view),
    context,
    why,
    display: view => viewDisplay(source, view),
    async dump(of = {}) {
      return dump('plan' in of ? await sentIn(source, of) : await context(of))
    },
    state: (state, options) => readThreadState(source, state, options),
    async recent({ states = [], ...owner } = {}) {
      const { from, messages } = await logOf(key).recent()
      if (from === 1) return { conversation: messages }
      const older = new Map<State<unknown>, StateReading<unknown>>()
      for (const state of states) older.set(state, await logOf(key).stateAt(state, from - 1, owner))
      return { conversation: messages, older }
    },
    hasClipped: () => logOf(key).hasClipped(),
    hasNotes: () => logOf(key).hasNotes(),
    notes: async view => (await viewNotes(source, view)).map(({ text }) => text),
    status: () => readStatus(store, key),
    turns: () => readTurns(source),
    async startCall(fitted, start) {
      const call = await saveCall(fitted, start, { status: 'sent' })
      const ended = (outcome: CallOutcome) => withOutcome(call, outcome)
      return { call, end: outcome => saved(ended(outcome)), with: ended }
    },
    saveCall: (fitted, { reported, ...start }) =>
      saveCall(fitted, start, { status: 'completed', ...(reported !== undefined && { reported }) }),
    async calls(limit) {
      const found = await store.calls(key, limit)
      const head = found.some(({ status }) => status === 'sent') ? await store.head(key) : undefined
      return found.map(call => toThreadCall(call, head ?? {}))
    },
    replay,
    calibration: (model, { at } = {}) => logOf(key).calibration(model, at),
    async embed() {
      let all = 0
      for (let some = -1; some !== 0; all += some) some = await logOf(key).embed()
      return all
    },
    async fork({ at, branch = newId() }) {
      await store.fork(key, { at, branch })
      return createThread({ ...options, key: { ...key, branch } })
    },
  }
}
