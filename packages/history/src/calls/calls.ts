import { noteLine } from '@throughline/core/context'
import type { Quotes } from '@throughline/core/conversation'
import type { Dumpable, Remembered, SentMessage } from '@throughline/core/explain'
import { deletedQuotes, type MessageLike, notesTitle } from '@throughline/core/messages'
import { renderQuotes } from '@throughline/core/recall'
import type { Room } from '@throughline/core/tokens'
import { hashOf, parseJson, present } from '@throughline/core/values'
import { CorruptEntryError } from '@throughline/stores/errors'
import type { CallStatus, Head, Store, StoredCall, ThreadKey } from '@throughline/stores/store'
import { loadQuotes } from '../log/load-quotes.ts'
import { type LogSource, readLog, threadName } from '../log/read-log.ts'
import { tryAgain, untilKnown } from '../turn.ts'
import { fromPlan, type Plan, placesIn, promptOf, quotingIn, type Run } from './plan.ts'
import { type LateAccount, readPlan, sentIn, withLate } from './read-plan.ts'
import type { ShadowAccount } from './shadow-account.ts'

/** What is stored of a call before it is sent. */
export interface CallStart {
  /** The name of the model, as records of calls show it. */
  readonly model: string
  /** Default: the newest turn. */
  readonly turn?: number
  /** The window that was set, and the calibration of the model. Default: those of the context, without a calibration. */
  readonly room?: Room
  /** How the model was asked to answer: temperature and the like. */
  readonly settings?: object
  /** What was sent in place of the context. */
  readonly shadow?: ShadowAccount | undefined
}

/** How a call went. What `LateAccount` has is kept in the call's plan. */
export interface CallOutcome extends Pick<StoredCall, 'error' | 'reported'>, LateAccount {
  /** How it ended. */
  readonly status: Exclude<CallStatus, 'sent'>
}

/** A call that is stored, and whose outcome is not known yet. */
export interface StartedCall {
  /** The call as it is stored, with the status `sent`. */
  readonly call: StoredCall
  /** Stores the outcome. */
  end(outcome: CallOutcome): Promise<StoredCall>
  /** The call with its outcome, for `turn.keepCall`. */
  with(outcome: CallOutcome): StoredCall
}

/** A call as a thread shows it: `interrupted` if it has no outcome and its turn is no longer held. */
export interface ThreadCall extends Omit<StoredCall, 'status'> {
  /** How it ended; `sent` while it runs. */
  readonly status: CallStatus | 'interrupted'
}

/** What is stored of a call that is over. */
export interface CallInfo extends CallStart, Pick<CallOutcome, 'reported'> {}

export function toThreadCall(call: StoredCall, { open }: Pick<Head, 'open'>): ThreadCall {
  const isUnderWay = open !== undefined && open.expiresInMs > 0 && open.turn === call.turn
  return call.status === 'sent' && !isUnderWay ? { ...call, status: 'interrupted' } : call
}

export function withOutcome(call: StoredCall, late: CallOutcome): StoredCall {
  const { warnings, cached, cacheLost, sent, ...outcome } = late
  return {
    ...call,
    ...outcome,
    plan: withLate(call.plan, present({ warnings, cached, cacheLost, sent })),
  }
}

/** The messages of a call as they were sent, even if policies have changed since. Reads only the entries it names. */
export async function replayCall(source: LogSource, call: Pick<StoredCall, 'plan'>) {
  const plan = readPlan(call.plan)
  const messages = new Map<number, MessageLike>()
  const quotes = new Map<number, Quotes['quotes']>()
  const quoting = quotingIn(plan)
  for (const [from, to] of together(placesIn(plan)))
    for await (const { seq, view, quotes: references } of readLog(source, { from, to })) {
      messages.set(seq, view)
      if (references && quoting.has(seq)) quotes.set(seq, await loadQuotes(source, references))
    }
  const prompt = promptOf(plan)
  const text = prompt === undefined ? undefined : await loadPrompt(source.store, source.key, prompt)
  return fromPlan(plan, seq => messages.get(seq), {
    prompt: text,
    quotes: part => renderNamed(quotes.get(part.for) ?? [], part),
  })
}

/** The quotes that a plan names, as a text; of those that are gone it says how many there were. */
function renderNamed(quotes: Quotes['quotes'], { quotes: named }: Remembered): string {
  const gone = named.filter(place => !quotes[place]).length
  const text = renderQuotes(quotes, named)
  return gone > 0 ? `${text}\n${deletedQuotes(gone)}` : text
}

/** What a call sent, for `dump`: its messages, its tools, and where its notes were written. */
export async function dumpableOf(
  source: LogSource,
  call: Pick<StoredCall, 'plan'>,
): Promise<Dumpable> {
  const plan = readPlan(call.plan)
  const sent = sentIn(plan)
  const notes = sent
    .flatMap(one => [one, ...(one.joined ?? [])])
    .filter(({ part }) => part === 'notes')
  const places = notes.flatMap(({ standsFor }) => standsFor.map((seq): Run => [seq, seq]))
  const lines = new Map<number, string>()
  for (const [from, to] of together(places))
    for await (const { seq, reading } of readLog(source, { from, to }))
      lines.set(seq, noteLine(reading.text))
  const withText = (one: SentMessage): SentMessage =>
    one.part === 'notes'
      ? { ...one, text: [notesTitle, ...one.standsFor.map(seq => lines.get(seq) ?? '')].join('\n') }
      : one
  return {
    messages: await replayCall(source, call),
    receipt: { sent: sent.map(one => ({ ...withText(one), joined: one.joined?.map(withText) })) },
    tools: await toolsIn(source, plan),
  }
}

export async function toolsIn(
  { store, key }: Pick<LogSource, 'store' | 'key'>,
  { tools: stored }: Pick<Plan, 'tools'>,
): Promise<readonly unknown[] | undefined> {
  if (typeof stored !== 'string') return stored
  const tools = parseJson(await loadPrompt(store, key, stored))
  return Array.isArray(tools) ? tools : []
}

/** Joins stretches that lie close together, so that the store is asked less often. */
function together(runs: readonly Run[]): readonly Run[] {
  const joined: [number, number][] = []
  for (const [first, end] of [...runs].sort(([a], [b]) => a - b)) {
    const last = joined.at(-1)
    if (last && first - last[1] <= 8) last[1] = Math.max(last[1], end)
    else joined.push([first, end])
  }
  return joined
}

/** The thread of system prompts and tools that are used repeatedly: stored once, and named by the calls. */
export const promptActor = 'throughline:prompts'

/** Prompts with fewer characters are written out in every call. */
const shortest = 200

/** The prompt of the last call of a thread, and the one that was stored last. Known as long as the `ThreadLog`. */
type TextMemory = { last?: string; stored?: { text: string; name: string } }
type TextKind = 'prompt' | 'tools'
const memories = new WeakMap<object, Record<TextKind, TextMemory>>()

/** Stores a prompt, or tools as JSON, at the second use in a row; undefined if the call must hold it. */
export async function promptName(
  log: object,
  kind: TextKind,
  { store, key }: LogSource,
  text: string,
  now: () => number,
): Promise<string | undefined> {
  const memoryOf = memories.get(log) ?? { prompt: {}, tools: {} }
  memories.set(log, memoryOf)
  const memory = memoryOf[kind]
  const isRepeated = text === memory.last
  memory.last = text
  if (memory.stored?.text === text) return memory.stored.name
  // A prompt that changes from call to call (a clock, notes in it) is not worth storing.
  if (text.length < shortest || !isRepeated) return undefined
  const name = await savePrompt(store, promptThread(key), text, now())
  memory.stored = { text, name }
  return name
}

export async function loadPrompt(store: Store, key: ThreadKey, name: string): Promise<string> {
  const thread = promptThread(key)
  for await (const { id, payload } of store.entries(thread, { reverse: true }))
    if (id === name)
      return (JSON.parse(payload) as { message: { content: string } }).message.content
  throw new CorruptEntryError(threadName(thread), 0, `the system prompt ${name} is missing`)
}

/** The hash of a prompt is its id, so that several writers store it only once. */
async function savePrompt(
  store: Store,
  thread: ThreadKey,
  text: string,
  time: number,
): Promise<string> {
  // As JSON: encoded as UTF-8, half a surrogate pair would have the hash of its replacement character.
  const id = await hashOf(JSON.stringify(text))
  const payload = JSON.stringify({ message: { role: 'system', content: text } })
  const entries = [{ id, role: 'system' as const, time, payload, tokens: {} }]
  await tryAgain('conflict', 5, async () => {
    const head = await store.head(thread)
    // The call that names it is stored next.
    const seed = { expectedHead: head?.head ?? 0, entries, mayDeferSync: true }
    await untilKnown(() => store.seed(thread, seed))
  })
  return id
}

const promptThread = (key: ThreadKey): ThreadKey => ({ ...key, actor: promptActor, branch: 'main' })
