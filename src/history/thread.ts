import type { Context, FitOptions } from '../context/context.ts'
import { dump } from '../context/dump.ts'
import { fit } from '../context/fit.ts'
import { ThroughlineError } from '../log/error.ts'
import type { MessageLike } from '../log/message.ts'
import { toDisplay } from '../notes/to-display.ts'
import { readState, type State, type StateReading } from '../state/index.ts'
import type { Store, StoredCall, StoredTurn, ThreadKey } from '../stores/store.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { closingMessages } from './closing.ts'
import { fromEntry, type LoggedMessage, toEntry } from './logged-message.ts'
import { fromPlan, toPlan } from './plan.ts'
import { createTurn, type Turn } from './turn.ts'

/** What a view can be asked for: the thread as it was when an entry was its last. Default: as it is. */
export interface ViewOptions {
  readonly at?: number
}

export interface ThreadContextOptions extends Partial<FitOptions>, ViewOptions {
  /** The system prompt: not stored, put first, fresh, on every call. */
  readonly system?: string
}

/** One actor's history in one conversation. */
export interface Thread {
  readonly key: ThreadKey
  /** Begins a turn: the user's message is on disk when this resolves. */
  begin(input: MessageLike, options?: { readonly key?: string }): Promise<Begun>
  /** Messages from before the first turn. */
  seed(...messages: readonly MessageLike[]): Promise<void>
  messages(options?: ViewOptions): Promise<readonly MessageLike[]>
  context(options: ThreadContextOptions): Promise<Context>
  /** What a user may see: no notes, nothing that we wrote to close a turn. */
  display(options?: ViewOptions): Promise<readonly MessageLike[]>
  dump(options: ThreadContextOptions): Promise<string>
  state<Value, Start extends Value | undefined>(
    state: State<Value, Start>,
    options?: ViewOptions,
  ): Promise<StateReading<Value | Start>>
  notes(options?: ViewOptions): Promise<readonly string[]>
  turns(): Promise<readonly StoredTurn[]>
  /** Keeps a model call: which context, which model, what the provider reported. */
  saveCall(context: Context, call: CallInfo): Promise<StoredCall>
  calls(options?: { readonly limit?: number }): Promise<readonly StoredCall[]>
  /** What the model was sent in a call, byte for byte. */
  replay(call: StoredCall): Promise<readonly MessageLike[]>
  /** A new branch that shares the past up to an entry: the last of a closed turn, or the one before a user message. */
  fork(options: { readonly at: number; readonly branch?: string }): Promise<Thread>
}

export interface CallInfo {
  readonly model: string
  readonly turn?: number
  /** The prompt tokens that the provider says it read. */
  readonly reported?: number
}

export type Begun =
  | { readonly kind: 'begun'; readonly turn: Turn }
  /** The same idempotency key came before: this is what it led to. */
  | { readonly kind: 'replayed'; readonly turn: StoredTurn; readonly messages: readonly MessageLike[] }

export interface ThreadOptions {
  readonly store: Store
  readonly key: ThreadKey
  readonly count: TokenCounter
  readonly fit: FitOptions
  readonly now: () => number
  readonly newId: () => string
  readonly owner: string
  readonly leaseMs: number
}

export function createThread(options: ThreadOptions): Thread {
  const { store, key, count, now, newId, owner, leaseMs } = options
  const name = [key.conversation, key.actor, key.branch].join('/')
  /** What was read so far: an instance that is behind reads only what is new. */
  const known: LoggedMessage[] = []

  const toEntries = (messages: readonly MessageLike[], isClosing = false) =>
    messages.map(message => toEntry(message, { id: newId(), time: now(), count, isClosing }))

  async function read({
    at = Number.POSITIVE_INFINITY,
  }: ViewOptions = {}): Promise<readonly LoggedMessage[]> {
    const last = known.at(-1)?.seq ?? 0
    if (last < at) {
      for await (const entry of store.entries(key, { from: last + 1 })) known.push(fromEntry(entry, name))
    }
    return known.filter(({ seq }) => seq <= at)
  }

  /** The log as the model should read it: a turn that a crash left open is rendered as if it were closed. */
  async function view(options?: ViewOptions): Promise<readonly MessageLike[]> {
    const logged = await read(options)
    const messages = logged.map(({ message }) => message)
    const open = options?.at === undefined ? (await store.head(key))?.open : undefined
    if (!open?.isExpired) return messages
    return [...messages, ...closingMessages(turnOf(logged, open.turn), 'interrupted')]
  }

  async function contextOf({ at, system, ...changes }: ThreadContextOptions): Promise<Context> {
    const messages = await view(at === undefined ? {} : { at })
    const prompt = system === undefined ? [] : [{ role: 'system', content: system }]
    return fit<MessageLike>([...prompt, ...messages], { ...options.fit, count, ...changes })
  }

  return {
    key,
    async begin(input, { key: idempotency } = {}) {
      const before = await store.head(key)
      const closing = before?.open?.isExpired
        ? closingMessages(turnOf(await read(), before.open.turn), 'interrupted')
        : []
      const begun = await store.begin(key, {
        owner,
        leaseMs,
        ...(idempotency === undefined ? {} : { key: idempotency, body: JSON.stringify(input) }),
        closing: toEntries(closing, true),
        entries: toEntries([input]),
      })
      if (begun.kind === 'begun') {
        return {
          kind: 'begun',
          turn: createTurn({ store, key, begun, leaseMs, messages: [input], toEntries }),
        }
      }
      return { kind: 'replayed', turn: begun.turn, messages: turnOf(await read(), begun.turn.turn) }
    },
    async seed(...messages) {
      const head = (await store.head(key))?.head ?? 0
      await store.seed(key, { expectedHead: head, entries: toEntries(messages) })
    },
    messages: view,
    context: contextOf,
    async display(options) {
      const logged = await read(options)
      return toDisplay(logged.filter(({ isClosing }) => !isClosing).map(({ message }) => message))
    },
    dump: async options => dump(await contextOf(options)),
    state: async (state, options) => readState(await view(options), state),
    async notes(options) {
      const logged = await read(options)
      return logged
        .filter(({ message }) => message.role === 'assistant_note')
        .map(({ message }) => textOf(message))
    },
    turns: () => store.turns(key),
    async saveCall(context, { model, turn, reported }) {
      const call: StoredCall = {
        id: newId(),
        turn: turn ?? (await store.head(key))?.turns ?? 0,
        time: now(),
        model,
        plan: toPlan(context, await read()),
        predicted: context.tokens,
        ...(reported === undefined ? {} : { reported }),
      }
      await store.saveCall(key, call)
      return call
    },
    calls: options => store.calls(key, options),
    replay: async call => fromPlan(call.plan, await read()),
    async fork({ at, branch = newId() }) {
      const next = (await read({ at: at + 1 })).find(({ seq }) => seq === at + 1)
      const closed = (await store.turns(key)).some(({ last, status }) => last === at && status !== 'open')
      if (!closed && next?.message.role !== 'user' && at !== 0) {
        throw new ThroughlineError(
          'bad_fork',
          `Thread ${name} cannot be forked at ${at}: choose the last entry of a closed turn, or the one before a user message.`,
        )
      }
      await store.fork(key, { at, branch })
      return createThread({ ...options, key: { ...key, branch } })
    },
  }
}

function turnOf(logged: readonly LoggedMessage[], turn: number): readonly MessageLike[] {
  return logged.filter(entry => entry.turn === turn).map(({ message }) => message)
}

function textOf(message: MessageLike): string {
  return String((message as { content?: unknown }).content ?? '')
}
