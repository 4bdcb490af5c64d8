import {
  type Context,
  checkOptions,
  type FitOptions,
  fitConversation,
  readWhole,
} from '@throughline/core/context'
import {
  type Conversation,
  isAbsent,
  type Quotes,
  type Transcript,
} from '@throughline/core/conversation'
import { InvalidOptionError, showValue } from '@throughline/core/errors'
import { type Why, whyConversation } from '@throughline/core/explain'
import type { Fate } from '@throughline/core/fates'
import { type MessageLike, stampEntry } from '@throughline/core/messages'
import { type Mentions, mentionsOf } from '@throughline/core/recall'
import type { ReadStateOptions, State } from '@throughline/core/state'
import { isCount, putNewest } from '@throughline/core/values'
import type { ThreadKey } from '@throughline/stores/store'
import { applyOverlay } from './apply-overlay.ts'
import type { LogFacts } from './checkpoints.ts'
import { unloggedEnd } from './closing.ts'
import { createOwner } from './conversation-owner.ts'
import { unitAt } from './copy-transcript.ts'
import { createPassages, isQuotable } from './find-quotes.ts'
import { applyHands, carriedHands, handsAt } from './hand.ts'
import { createStillSaid, type StillSaid } from './lines.ts'
import { loadQuotes } from './load-quotes.ts'
import { type QuoteReference, viewOf } from './logged-message.ts'
import { overlayAt } from './overlay.ts'
import { createQueue } from './queue.ts'
import { checkPlace, type LogSource, threadId } from './read-log.ts'
import { type ThreadCopy, threadCopy } from './thread-copy.ts'
import { createThreadMemory } from './thread-memory.ts'
import { readThreadState, type StateBefore } from './thread-state.ts'
import { type CheckedEmbed, tell } from './vectors/embed-texts.ts'
import { createThreadVectors } from './vectors/thread-vectors.ts'
import { indexAhead, pastTranscript, whileLoading } from './while-loading.ts'

export type ThreadLog = ReturnType<typeof createThreadLog>

export interface ContextRequest extends FitOptions {
  /** The thread as it was when this entry was its last. Default: as it is. */
  readonly at?: number
  /** The system prompt: not stored, put first, fresh, on every call. */
  readonly system?: string | undefined
  /** A message that is not sent yet, taken for the newest: what would be sent if it came. Default: none. */
  readonly next?: MessageLike
  /** `now`: with what is pinned and hidden now, also at an earlier place. Default: as it was there. */
  readonly hands?: 'now' | undefined
}

/** Thrown where the turn of a thread meets quotes that are not read yet. */
class QuotesWanted {
  readonly seq: number
  readonly references: readonly QuoteReference[]

  constructor(seq: number, references: readonly QuoteReference[]) {
    this.seq = seq
    this.references = references
  }
}

/** The fates of entries that other messages may quote. */
const within: ReadonlySet<Fate> = new Set(['altered', 'cleared', 'recalled', 'digested'])

/** A thread in the memory of this process. Each use first reads the new entries of the store. */
function createThreadLog(source: LogSource, { isStillSaid, lastPast, embed }: LogParts) {
  const { store, key, count } = source
  const vectors = embed && createThreadVectors(source, embed)
  const memory = createThreadMemory(source, vectors)
  const inTurn = createQueue()
  const readings = new WeakMap<State<unknown>, StateBefore & ReadStateOptions>()
  /** What the work of this turn quotes, by the place of the message that brought it back. */
  let quoted: ReadonlyMap<number, Quotes['quotes']> = new Map()

  /** Reads from memory, once that holds the new entries of the store. */
  const fresh = <T>(read: () => T | Promise<T>): Promise<T> =>
    inTurn(() => memory.refresh().then(read))

  /** Works on the thread as a request wants it, with all texts that the work reads. */
  async function onView<T>(
    { at, next, system, hands: whose, ...options }: ContextRequest,
    work: (view: LogView, options: FitOptions, rest: () => void) => T,
  ): Promise<T> {
    checkOptions({ ...options, count })
    const view = await viewAt({ at, next, system })
    const layout = memory.held.facts.layouts.findLast(
      ([seq]) => seq <= (at ?? Number.POSITIVE_INFINITY),
    )
    const all = { ...(layout && { promptLayout: layout[1] }), ...options, count }
    const hands = handsAt(memory.held.facts.hands, at, whose === 'now')
    const { overlays } = memory.held.facts
    const shown = await whileLoading(view.transcript, memory.loading(), () =>
      applyOverlay(view, overlayAt(overlays, at), `${overlays.length} ${at}`, count),
    )
    const wanted = await whileLoading(shown.transcript, memory.loading(), () =>
      applyHands(shown, all, hands, count),
    )
    const { transcript } = wanted.view
    await indexAhead(transcript, memory.loading())
    return whileLoading(transcript, memory.loading(), rest =>
      work(wanted.view, wanted.options, rest),
    )
  }

  async function context(request: ContextRequest, isAgain = false): Promise<Context> {
    let isNow = false
    const read = await onView(request, (view, options, rest) => {
      isNow = view.isNow
      return fitConversation(
        view,
        { ...(isNow && { previous: memory.held.context }), ...options },
        rest,
      )
    })
    const fitted = isAgain ? readWhole(read) : read
    if (!fitted) {
      // A caller changed a message that a context gave him: all is read again from the store.
      memory.forget()
      return context(request, true)
    }
    // Who names a place looks at the thread; who names none is about to send what it gets.
    if (isNow && request.at === undefined) memory.held.context = fitted
    await memory.tidy()
    return fitted
  }

  async function why(seq: number, request: ContextRequest): Promise<Why> {
    const reasons = await onView(request, (view, options) => {
      const last = view.origin + view.transcript.entries.length - 1
      if (isCount(seq, 1) && seq <= last) return whyConversation(view, options, seq)
      const problem = `expected the place of an entry, 1 to ${last}, got ${showValue(seq)}`
      throw new InvalidOptionError('seq', problem)
    })
    await memory.tidy()
    return reasons
  }

  /** The words of a text, of the newest user message if none is given, and the earlier messages that have them. */
  async function mentions(text: string | undefined, request: ContextRequest): Promise<Mentions> {
    const words = await onView(request, view => mentionsOf(view, text))
    await memory.tidy()
    return words
  }

  /** What the newest quoting message brought back and still exists; not for a guest, another person. */
  function quotesAt(at: number, lead: number): Quotes | undefined {
    const { guests, quoted: brought } = memory.held.facts
    if (guests.findLast(seq => seq <= at) === at) return undefined
    const newest = brought.findLast(([seq]) => seq <= at)
    if (!newest) return undefined
    const [seq, references] = newest
    const quotes = quoted.get(seq)
    if (!quotes) throw new QuotesWanted(seq, references)
    return { at: seq - lead - 1, quotes }
  }

  /**
   * Takes a turn of this thread for work that may quote other conversations. These are read between two turns: of two threads
   * that quote each other, neither waits for the other.
   */
  async function quoting<T>(work: () => Promise<T>): Promise<T> {
    const read = new Map<number, Quotes['quotes']>()
    for (;;) {
      try {
        return await inTurn(() => {
          quoted = read
          return work()
        })
      } catch (error) {
        if (!(error instanceof QuotesWanted)) throw error
        read.set(error.seq, await loadQuotes(source, error.references, isStillSaid()))
      }
    }
  }

  /** The conversation as it was when an entry was the last. */
  async function viewAt(request: Pick<ContextRequest, 'at' | 'next' | 'system'>): Promise<LogView> {
    const { next, system: prompt } = request
    if (request.at !== undefined) checkPlace(request.at)
    const head = await memory.refresh()
    const { held } = memory
    const { newest } = held
    const at = request.at === undefined || request.at >= newest ? undefined : request.at
    // A turn that its writer left open is read as if it were closed, but not in views of the past.
    const left = request.at === undefined ? await unloggedEnd(source, head) : undefined
    const tail = [...(left?.closing.map(viewOf) ?? []), ...(next ? [next] : [])]
    const isNow = at === undefined && tail.length === 0
    const { system: lead, transcript: all } = held.conversation
    const transcript = isNow ? all : await pastOf(all, at, tail)
    const leading = at === undefined ? lead : lead.slice(0, at)
    // Entries count from 1, so that the prompt is 0.
    const first =
      prompt === undefined ? [] : [stampEntry({ role: 'system', content: prompt }, 0, count)]
    transcript.meaning = vectors?.meaningOf(transcript, lead.length)
    transcript.quotes = quotesAt(at ?? newest, lead.length)
    held.fitted = newest
    return { isNow, system: [...first, ...leading], transcript, origin: leading.length + 1 }
  }

  /** A copy as of an earlier entry. The last one is used again: whoever looks at a place mostly asks several things of it. */
  async function pastOf(all: Transcript, at: number | undefined, tail: readonly MessageLike[]) {
    const { last } = lastPast
    if (last && last.all === all && last.at === at && tail.length === 0) return last.transcript
    const transcript = await pastTranscript(all, memory.loading(), at, tail)
    if (tail.length === 0) lastPast.last = { all, at, transcript }
    return transcript
  }

  /** Gets missing vectors, newest first, valid from a turn's `first` or the next message. Returns how many; never throws. */
  async function embedMissing(first?: number): Promise<number> {
    try {
      const head = await store.head(key)
      if (!head || !vectors) return 0
      memory.forgetFrom(await vectors.refresh(head))
      const since = first ?? head.head + 1
      const count = await vectors.settle(head, since)
      if (count > 0) memory.forgetFrom(since)
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
    embed: async (first?: number) => (vectors ? inTurn(() => embedMissing(first)) : 0),
    context: (request: ContextRequest) => quoting(() => context(request)),
    why: (seq: number, request: ContextRequest) => quoting(() => why(seq, request)),
    mentions: (text: string | undefined, request: ContextRequest) =>
      quoting(() => mentions(text, request)),
    /** The place of a message that a context holds. */
    seqOf: (message: object) => memory.places.get(message),
    /** The thread as it was at a place, to be read on. */
    copyAt: (at: number): Promise<ThreadCopy> =>
      fresh(async () => {
        const { conversation, facts } = memory.held
        const { system, transcript: all } = conversation
        await indexAhead(all, memory.loading())
        const transcript = await pastTranscript(all, memory.loading(), at, [])
        return threadCopy({
          at,
          system: system.slice(0, at),
          transcript,
          facts,
          loading: memory.loading(),
        })
      }),
    /** Texts of entries that other messages of a context may quote, by place. */
    textsIn({ receipt }: Pick<Context, 'receipt'>): ReadonlyMap<number, string> {
      const { system, transcript } = memory.held.conversation
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
    /** The newest messages in full, with the place of the first. */
    recent: () => fresh(memory.recent.read),
    /** A state as it was when an entry was the last. Goes on from the previous reading of the same state. */
    async stateAt(state: State<unknown>, at: number, options: ReadStateOptions) {
      const last = readings.get(state)
      const before =
        last && last.projectId === options.projectId && last.at <= at ? last : undefined
      if (before?.at === at) return before.reading
      const reading = await readThreadState(source, state, { ...options, at }, before)
      readings.set(state, { ...options, at, reading })
      return reading
    },
    hands: (at?: number) => fresh(() => handsAt(memory.held.facts.hands, at)),
    /** What the requests of a client have left out up to a place, or word otherwise. */
    overlay: (at?: number) => fresh(() => overlayAt(memory.held.facts.overlays, at)),
    /** The places of all system messages. */
    systemPlaces: () =>
      fresh(() => {
        const { system, transcript } = memory.held.conversation
        const inside = transcript.systems.map(
          index => system.length + 1 + transcript.units[index]!.from,
        )
        return [...system.keys()].map(place => place + 1).concat(inside)
      }),
    carriedHands: (at: number) => fresh(() => carriedHands(memory.held.facts.hands, at)),
    /** The unit of the message at a place, and the places of its messages; no unit where there is none. */
    unitAt: (seq: number) =>
      fresh(() => {
        const { system, transcript } = memory.held.conversation
        const origin = system.length + 1
        const unit = isCount(seq, 1) ? unitAt({ system, transcript, origin }, seq) : undefined
        const { from = seq - origin, to = from + 1 } = unit ?? {}
        return { unit, first: origin + from, last: origin + to - 1 }
      }),
    hasNotes: () => fresh(() => memory.held.conversation.transcript.notes.length > 0),
    /** Whether contexts show a tool result in another form: only its beginning, say. */
    hasClipped: () => fresh(() => memory.held.facts.clipped !== undefined),
    async calibration(model: string, at = Number.POSITIVE_INFINITY) {
      const isIts = ([seq, { model: of, counter }]: LogFacts['calibrations'][number]) =>
        seq <= at && of === model && counter === count.id
      return (await fresh(() => memory.held.facts.calibrations.findLast(isIts)))?.[1]
    },
  }
}

/** A thread as a context is made of it; `isNow` if that is what is stored now. */
type LogView = Conversation & { readonly isNow: boolean }

interface LogParts {
  readonly isStillSaid: () => StillSaid
  readonly embed?: CheckedEmbed | undefined
  /** One for all threads: with the texts that were looked at, it may be large. */
  readonly lastPast: LastPast
}

interface LastPast {
  last?: {
    readonly all: Transcript
    readonly at: number | undefined
    readonly transcript: Transcript
  }
}

const mostLogs = 256

/** The logs of the threads that were used last: a server asks for the same few again and again. */
export function createThreadLogs({
  embed,
  ...source
}: Omit<LogSource, 'key'> & { readonly embed?: CheckedEmbed | undefined }) {
  const passages = createPassages(source)
  const logs = new Map<string, { readonly key: ThreadKey; readonly log: ThreadLog }>()
  const lastPast: LastPast = {}

  function of(key: ThreadKey): ThreadLog {
    const name = threadId(key)
    const entry = logs.get(name) ?? { key, log: createThreadLog({ ...source, key }, parts) }
    return putNewest(logs, name, entry, mostLogs).log
  }

  const isStillSaid = () => createStillSaid(source.store, line => of(line).overlay())
  const parts: LogParts = { isStillSaid, embed, lastPast }

  return {
    passages,
    of,
    isStillSaid,
    /** Prepares a person's conversations, one after the other, for others that may bring something back from them. */
    async prepare(tenant: string, conversations: readonly string[]): Promise<void> {
      try {
        for (const conversation of conversations) {
          const [info] = await source.store.conversations(tenant, { only: conversation })
          for (const { actor, branch, head } of info?.person === undefined ? [] : info.threads) {
            const thread = { tenant, conversation, actor, branch }
            if (isQuotable(thread)) await passages.prepare(thread, 1, head)
          }
        }
      } catch {
        // They are read when a message asks for them.
      }
    },
    drop(tenant: string, conversation: string): void {
      passages.drop(tenant, conversation)
      lastPast.last = undefined
      for (const [name, { key }] of logs)
        if (key.tenant === tenant && key.conversation === conversation) logs.delete(name)
    },
  }
}
