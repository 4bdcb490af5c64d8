import type { Dumpable } from '../../context/dump.ts'
import type { MessageLike } from '../../log/message.ts'
import { parseJson } from '../../log/parse-json.ts'
import { readMessage } from '../../log/parse-message.ts'
import type { CallStatus, Head, Store, StoredCall, ThreadKey } from '../../stores/store.ts'
import { CorruptEntryError } from '../../stores/store-error.ts'
import type { Room } from '../../tokens/calibration.ts'
import { type LogSource, readLog, threadName } from '../log/read-log.ts'
import { tryAgain, untilKnown } from '../turn.ts'
import { hashOf } from './hash-of.ts'
import { fromPlan, placesIn, promptOf, type Run, readPlan, withWarnings } from './plan.ts'

export interface CallStart {
  readonly model: string
  /** Default: the newest turn. */
  readonly turn?: number
  /** The window that was set, and the calibration of the model. Default: those of the context, without a calibration. */
  readonly room?: Room
}

/** How a call went. */
export interface CallOutcome extends Pick<StoredCall, 'error' | 'reported'> {
  readonly status: Exclude<CallStatus, 'sent'>
  /** What was wrong although the model answered: codes. Kept in the call's plan. */
  readonly warnings?: readonly string[]
}

/** A call that is stored, and whose outcome is not known yet. */
export interface StartedCall {
  readonly call: StoredCall
  /** Stores the outcome of the call. */
  end(outcome: CallOutcome): Promise<StoredCall>
  /** The call with its outcome, for `turn.keepCall`. */
  with(outcome: CallOutcome): StoredCall
}

/** A call as a thread shows it: `interrupted` if it has no outcome and its turn is no longer held. */
export interface ThreadCall extends Omit<StoredCall, 'status'> {
  readonly status: CallStatus | 'interrupted'
}

export interface CallInfo extends CallStart, Pick<CallOutcome, 'reported'> {}

export function toThreadCall(call: StoredCall, { open }: Pick<Head, 'open'>): ThreadCall {
  const isUnderWay = open !== undefined && open.expiresInMs > 0 && open.turn === call.turn
  return call.status === 'sent' && !isUnderWay ? { ...call, status: 'interrupted' } : call
}

/** A call with what became of it. */
export const withOutcome = (call: StoredCall, { warnings = [], ...outcome }: CallOutcome): StoredCall => ({
  ...call,
  ...outcome,
  ...(warnings.length > 0 && { plan: withWarnings(call.plan, warnings) }),
})

/** The messages of a call as they were sent, even if policies have changed since. Reads only the entries it names. */
export async function replayCall(
  source: LogSource,
  call: Pick<StoredCall, 'plan'>,
): Promise<readonly MessageLike[]> {
  const plan = readPlan(call.plan)
  const messages = new Map<number, MessageLike>()
  for (const [from, to] of together(placesIn(plan)))
    for await (const { seq, view } of readLog(source, { from, to })) messages.set(seq, view)
  const prompt = promptOf(plan)
  const text = prompt === undefined ? undefined : await loadPrompt(source.store, source.key, prompt)
  return fromPlan(plan, seq => messages.get(seq), text)
}

/** What a call sent, for `dump`: its messages, its tools, and where its notes were written. */
export async function sentIn(source: LogSource, call: Pick<StoredCall, 'plan'>): Promise<Dumpable> {
  const { tools, notes = [], added = [] } = readPlan(call.plan)
  const messages = await replayCall(source, call)
  const texts = new Map<number, string>()
  for (const [from, to] of together(notes.map(([entry]) => [entry, entry])))
    for await (const { seq, view } of readLog(source, { from, to }))
      texts.set(seq, readMessage(view, seq).text)
  return {
    messages,
    receipt: {
      inserted: added.map(place => ({ place, text: String(messages[place]?.content) })),
      notes: notes.map(([entry, before]) => ({ before, text: texts.get(entry) ?? '' })),
    },
    ...(tools && { tools: typeof tools === 'string' ? await loadTools(source, tools) : tools }),
  }
}

async function loadTools({ store, key }: LogSource, name: string): Promise<readonly unknown[]> {
  const tools = parseJson(await loadPrompt(store, key, name))
  return Array.isArray(tools) ? tools : []
}

/** Joins stretches that lie close together, so that the store is asked less often. */
function together(runs: readonly Run[]): readonly Run[] {
  const found: [number, number][] = []
  for (const [first, end] of [...runs].sort(([a], [b]) => a - b)) {
    const last = found.at(-1)
    if (last && first - last[1] <= 8) last[1] = Math.max(last[1], end)
    else found.push([first, end])
  }
  return found
}

/**
 * The thread that holds system prompts. They are no part of a conversation's threads, but a call must be able to show
 * the prompt it was sent with. A prompt that is used repeatedly is stored here once, and calls name it.
 */
export const promptActor = 'throughline:prompts'

/** Prompts with fewer characters are written out in every call. */
const shortest = 200

/** The prompt of the last call of a thread, and the one that was stored last. Known as long as the `ThreadLog`. */
type Memory = { last?: string; stored?: { text: string; name: string } }
type Kind = 'prompt' | 'tools'
const memories = new WeakMap<object, Record<Kind, Memory>>()

/**
 * Stores a prompt, or the tools of a call as JSON, when it is used the second time in a row; undefined if the call must
 * hold the text itself.
 */
export async function promptName(
  log: object,
  kind: Kind,
  { store, key }: LogSource,
  text: string,
  now: () => number,
): Promise<string | undefined> {
  const known = memories.get(log) ?? { prompt: {}, tools: {} }
  memories.set(log, known)
  const memory = known[kind]
  const isRepeated = text === memory.last
  memory.last = text
  if (memory.stored?.text === text) return memory.stored.name
  // A prompt that changes from call to call (a clock, notes in it) is not worth storing.
  if (text.length < shortest || !isRepeated) return undefined
  const name = await savePrompt(store, promptThread(key), text, now())
  memory.stored = { text, name }
  return name
}

/** The text of a stored system prompt. */
export async function loadPrompt(store: Store, key: ThreadKey, name: string): Promise<string> {
  const thread = promptThread(key)
  for await (const { id, payload } of store.entries(thread, { reverse: true }))
    if (id === name) return (JSON.parse(payload) as { message: { content: string } }).message.content
  throw new CorruptEntryError(threadName(thread), 0, `the system prompt ${name} is missing`)
}

/** The hash of a prompt is its id, so that several writers store it only once. */
async function savePrompt(store: Store, thread: ThreadKey, text: string, time: number): Promise<string> {
  // As JSON: encoded as UTF-8, half a surrogate pair would have the hash of its replacement character.
  const id = await hashOf(JSON.stringify(text))
  const payload = JSON.stringify({ message: { role: 'system', content: text } })
  const entries = [{ id, role: 'system' as const, time, payload, tokens: {} }]
  await tryAgain('conflict', 5, async () => {
    const head = await store.head(thread)
    await untilKnown(() => store.seed(thread, { expectedHead: head?.head ?? 0, entries }))
  })
  return id
}

const promptThread = (key: ThreadKey): ThreadKey => ({ ...key, actor: promptActor, branch: 'main' })
