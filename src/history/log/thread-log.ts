import { emptyEntries, isAbsent } from '../../context/checkpoint/absent-entry.ts'
import { restoreTranscript } from '../../context/checkpoint/restore-transcript.ts'
import type { Context, FitOptions } from '../../context/context.ts'
import { createConversation } from '../../context/conversation/conversation.ts'
import { stampEntry } from '../../context/conversation/stamp-entry.ts'
import type { Quotes } from '../../context/conversation/transcript.ts'
import { checkOptions } from '../../context/draft/frame-options.ts'
import { fitConversation, readWhole } from '../../context/fit.ts'
import type { Fate } from '../../context/receipt.ts'
import { type Why, whyConversation } from '../../context/why/why-conversation.ts'
import { InvalidOptionError, showValue } from '../../log/error.ts'
import { isCount } from '../../log/is-count.ts'
import type { MessageLike } from '../../log/message.ts'
import type { ReadStateOptions, State, StateReading } from '../../state/index.ts'
import type { Head } from '../../stores/store.ts'
import type { Calibration } from '../../tokens/calibration.ts'
import { addFacts, factsIn, type LogFacts, loadCheckpoints, saveCheckpoints } from './checkpoints.ts'
import { unloggedEnd } from './closing.ts'
import { type ConversationOwner, createOwner } from './conversation-owner.ts'
import { loadQuotes } from './load-quotes.ts'
import { type LoggedMessage, viewOf } from './logged-message.ts'
import { createQueue } from './queue.ts'
import { checkBranch, checkPlace, type LogSource, listLog, readLog } from './read-log.ts'
import { createRecentMessages } from './recent-messages.ts'
import { readThreadState, type StateBefore } from './thread-state.ts'
import type { CheckedEmbed } from './vectors/embed-options.ts'
import { tell } from './vectors/embed-texts.ts'
import { createThreadVectors } from './vectors/thread-vectors.ts'
import { indexAhead, type Loading, pastTranscript, whileLoading } from './while-loading.ts'

/**
 * A thread in the memory of this process. Each use first reads the new entries of the store. Of a long thread, memory
 * holds the texts at its end and those that contexts ask for; of the rest only sizes and words, from checkpoints.
 */
export interface ThreadLog extends ConversationOwner {
  /** The place of a message that a context holds. */
  seqOf(message: object): number | undefined
  /** Texts of entries that other messages of a context may quote, by place. */
  textsIn(context: Context): ReadonlyMap<number, string>
  /** `prompt`: the system prompt, which stands first. */
  context(end: End, prompt: readonly MessageLike[], options: FitOptions): Promise<Context>
  /** Why the entry at a place has its fate in a context. */
  why(seq: number, end: End, prompt: readonly MessageLike[], options: FitOptions): Promise<Why>
  /** The newest messages in full, with the place of the first. */
  recent(): Promise<{ readonly from: number; readonly messages: readonly MessageLike[] }>
  /** A state as it was when an entry was the last. Goes on from the previous reading of the same state. */
  stateAt(state: State<unknown>, at: number, options: ReadStateOptions): Promise<StateReading<unknown>>
  hasNotes(): Promise<boolean>
  /** Whether contexts show a tool result in another form: only its beginning, say. */
  hasClipped(): Promise<boolean>
  /** The newest calibration at or before a place. */
  calibration(model: string, at?: number): Promise<Calibration | undefined>
  /**
   * Asks for vectors of the newest entries that have none, after a turn began at this place; without a place, of entries
   * that wait, for the messages to come. Returns how many there were. Never throws; without an embedder nothing happens.
   */
  embed(first?: number): Promise<number>
}

/** Where a context ends. */
export interface End {
  /** Its last entry. Default: the newest. */
  readonly at?: number | undefined
  /** A message behind it that is no entry. */
  readonly next?: MessageLike | undefined
}

/** The fates of entries that other messages may quote. */
const within: ReadonlySet<Fate> = new Set(['altered', 'cleared', 'recalled', 'digested'])

/** How many texts stay in memory when others are dropped, which happens at about twice as many. */
const fewestTexts = 1024

export function createThreadLog(source: LogSource, embed?: CheckedEmbed): ThreadLog {
  const { store, key, count } = source
  const vectors = embed && createThreadVectors(source, embed)
  const inTurn = createQueue()
  const places = new WeakMap<object, number>()
  const recent = createRecentMessages(source)
  const readings = new WeakMap<State<unknown>, StateBefore & ReadStateOptions>()
  let conversation = createConversation(count)
  let facts = factsIn([])
  let known = 0
  /** How many units are in stored checkpoints. */
  let kept = 0
  /** Texts before this entry are not in memory, except the `borrowed` ones. */
  let emptied = 0
  let borrowed: number[] = []
  let previous: Context | undefined
  /** The newest entry when a context was last made. */
  let fitted = 0

  function add(logged: LoggedMessage): void {
    const { message, view, seq } = logged
    addFacts(facts, logged)
    places.set(view, seq)
    recent.add(message)
    conversation.append(view, seq)
    known = seq
  }

  /** Starts over from the stored checkpoints. Reads all before it changes anything, so that a failed read does no harm. */
  async function restart(head: Head): Promise<void> {
    const loaded = await loadCheckpoints(source, head)
    const packed = loaded.map(checkpoint => checkpoint.packed)
    const restored = restoreTranscript(count, packed)
    const lead = loaded[0]?.facts.lead ?? 0
    // Checkpoints of another log, whatever brought them here, have other entries.
    const isOwn = loaded[restored.used - 1]?.at === lead + restored.transcript.entries.length
    const { transcript, used } = isOwn ? restored : restoreTranscript(count, [])
    const found = loaded.slice(0, used)
    const leading = lead > 0 && isOwn ? await listLog(source, { to: lead }) : []
    const system = leading.map(({ view, seq }) => stampEntry(view, seq, count))
    conversation = createConversation(count, { system, transcript })
    for (const { view, seq } of leading) places.set(view, seq)
    facts = factsIn(found)
    kept = found.at(-1)?.to ?? 0
    known = found.at(-1)?.at ?? 0
    recent.restart(known + 1)
    emptied = transcript.entries.length
    borrowed = []
    previous = undefined
  }

  async function refresh(): Promise<Head | undefined> {
    const head = await store.head(key)
    checkBranch(key, head)
    if (head && vectors) notice(await vectors.refresh(head))
    if (known === 0 || (head?.head ?? 0) < known) await restart(head ?? { head: 0, turns: 0 })
    if (head && head.head > known)
      for await (const logged of readLog(source, { from: known + 1, to: head.head })) add(logged)
    return head
  }

  /** Forgets what was made of entries without vectors that count from a place on, and came too late for it. */
  function notice(since: number): void {
    if (since > fitted) return
    known = 0
    fitted = 0
  }

  /** Reads from memory, once that holds the new entries of the store. */
  const fresh = <T>(read: () => T | Promise<T>): Promise<T> => inTurn(() => refresh().then(read))

  async function context(
    end: End,
    prompt: readonly MessageLike[],
    options: FitOptions,
    isAgain = false,
  ): Promise<Context> {
    checkOptions({ ...options, count })
    const { isNow, ...viewed } = await conversationAt(end, prompt)
    const all = { ...(isNow && previous && { previous }), ...layoutAt(end.at), ...options, count }
    await indexAhead(viewed.transcript, loading())
    const read = await whileLoading(viewed.transcript, loading(), rest => fitConversation(viewed, all, rest))
    const fitted = isAgain ? readWhole(read) : read
    if (!fitted) {
      // A caller changed a message that a context gave him: all is read again from the store.
      known = 0
      return context(end, prompt, options, true)
    }
    if (isNow) previous = fitted
    await tidy()
    return fitted
  }

  /** What was known of the system prompt when an entry was the last. */
  function layoutAt(at = Number.POSITIVE_INFINITY): Pick<FitOptions, 'promptLayout'> {
    const known = facts.layouts.findLast(([seq]) => seq <= at)
    return known ? { promptLayout: known[1] } : {}
  }

  /**
   * What the newest of the messages that brought something back has brought back, as far as it still exists. It was quoted to the
   * person whose conversation this is: a guest, who has the turn, does not get it.
   */
  async function quotesAt(at = known, lead: number): Promise<Quotes | undefined> {
    if (facts.guests.findLast(seq => seq <= at) === at) return undefined
    const newest = facts.quoted.findLast(([seq]) => seq <= at)
    return newest && { at: newest[0] - lead - 1, quotes: await loadQuotes(source, newest[1]) }
  }

  /** The conversation as it was when an entry was the last. */
  async function conversationAt({ at: given, next }: End, prompt: readonly MessageLike[]) {
    if (given !== undefined) checkPlace(given)
    const head = await refresh()
    const at = given === undefined || given >= known ? undefined : given
    // A turn that its writer left open is read as if it were closed, but not in views of the past.
    const left = given === undefined ? await unloggedEnd(source, head) : undefined
    const tail = [...(left?.closing.map(viewOf) ?? []), ...(next ? [next] : [])]
    const isNow = at === undefined && tail.length === 0
    const { system: lead, transcript: all } = conversation
    const transcript = isNow ? all : await pastTranscript(all, loading(), at, tail)
    const leading = at === undefined ? lead : lead.slice(0, at)
    // Entries count from 1, so that the prompt is 0.
    const first = 1 - prompt.length
    const system = [...prompt.map((message, place) => stampEntry(message, first + place, count)), ...leading]
    transcript.meaning = vectors?.meaningOf(transcript, lead.length)
    transcript.quotes = await quotesAt(at, lead.length)
    fitted = known
    return { isNow, system, transcript, origin: leading.length + 1 }
  }

  async function why(
    seq: number,
    end: End,
    prompt: readonly MessageLike[],
    options: FitOptions,
  ): Promise<Why> {
    checkOptions({ ...options, count })
    const viewed = await conversationAt(end, prompt)
    const last = viewed.origin + viewed.transcript.entries.length - 1
    if (!isCount(seq, 1) || seq > last)
      throw new InvalidOptionError(
        'seq',
        `expected the place of an entry, 1 to ${last}, got ${showValue(seq)}`,
      )
    await indexAhead(viewed.transcript, loading())
    const told = await whileLoading(viewed.transcript, loading(), () =>
      whyConversation(viewed, { ...layoutAt(end.at), ...options, count }, seq),
    )
    await tidy()
    return told
  }

  const loading = (): Loading => ({
    source,
    lead: conversation.system.length,
    places,
    onLoad: place => borrowed.push(place),
  })

  async function tidy(): Promise<void> {
    const { system, transcript } = conversation
    const led = { lead: system.length, ...facts }
    kept = await saveCheckpoints(loading(), transcript, led, kept)
    // Texts without a checkpoint stay: a checkpoint is made of them.
    const stored = transcript.units[kept]?.from ?? 0
    // Texts that were just sent stay: they will be sent again.
    const most = Math.max(fewestTexts, 2 * (previous?.messages.length ?? 0))
    const end = Math.min(transcript.entries.length - most, stored)
    if (end - emptied > most) {
      emptyEntries(transcript, emptied, end)
      emptied = end
    }
    for (const place of borrowed.splice(0, Math.max(0, borrowed.length - most)))
      if (place < emptied) emptyEntries(transcript, place, place + 1)
  }

  async function embedMissing(first?: number): Promise<number> {
    try {
      const head = await store.head(key)
      if (!head || !vectors) return 0
      notice(await vectors.refresh(head))
      const since = first ?? head.head + 1
      const count = await vectors.settle(head, since)
      if (count > 0) notice(since)
      return count
    } catch (error) {
      // The turn has begun and its message is stored: it goes on without vectors, which the next turn asks for again.
      if (embed) tell(embed.onError, error)
      return 0
    }
  }

  return {
    ...createOwner(store, key),
    // In the queue, so that a context of this turn waits for its vectors.
    embed: async first => (vectors ? inTurn(() => embedMissing(first)) : 0),
    context: (end, prompt, options) => inTurn(() => context(end, prompt, options)),
    why: (seq, end, prompt, options) => inTurn(() => why(seq, end, prompt, options)),
    seqOf: message => places.get(message),
    textsIn({ receipt }) {
      const { system, transcript } = conversation
      const texts = new Map<number, string>()
      for (const { first, last, fate } of receipt.stretches) {
        if (!within.has(fate)) continue
        for (let seq = first; seq <= last; seq++) {
          const entry = transcript.entries[seq - system.length - 1]
          if (!entry || isAbsent(entry)) continue
          const { content } = entry.source
          if (typeof content === 'string') texts.set(seq, content)
        }
      }
      return texts
    },
    recent: () => fresh(recent.read),
    async stateAt(state, at, options) {
      const last = readings.get(state)
      const before = last && last.projectId === options.projectId && last.at <= at ? last : undefined
      if (before?.at === at) return before.reading
      const reading = await readThreadState(source, state, { ...options, at }, before)
      readings.set(state, { ...options, at, reading })
      return reading
    },
    hasNotes: () => fresh(() => conversation.transcript.notes.length > 0),
    hasClipped: () => fresh(() => facts.clipped !== undefined),
    async calibration(model, at = Number.POSITIVE_INFINITY) {
      const isIts = ([seq, { model: of, counter }]: LogFacts['calibrations'][number]) =>
        seq <= at && of === model && counter === count.id
      return (await fresh(() => facts.calibrations.findLast(isIts)))?.[1]
    },
  }
}
