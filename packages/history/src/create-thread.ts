import { type Context, type FitOptions, fitNames } from '@throughline/core/context'
import { type OptionNames, refuseUnknown } from '@throughline/core/errors'
import { dump } from '@throughline/core/explain'
import { type Message, readMessage, timeOf } from '@throughline/core/messages'
import type { State, StateReading } from '@throughline/core/state'
import { hashOf, present, toCanonical } from '@throughline/core/values'
import type { StoredCall } from '@throughline/stores/store'
import type { CallOutcome, CallStart } from './calls/calls.ts'
import { dumpableOf, promptName, replayCall, toThreadCall, withOutcome } from './calls/calls.ts'
import { leadingPrompt, toPlan } from './calls/plan.ts'
import { eraseEntry } from './erase-entry.ts'
import { createHands, type HandSource } from './hands.ts'
import { findQuotes, type Passages } from './log/find-quotes.ts'
import { type Hand, isHandEntry } from './log/hand-entry.ts'
import type { StillSaid } from './log/lines.ts'
import {
  asSeen,
  isSeen,
  makeEntries,
  type QuoteReference,
  type SeenMessage,
  type TurnMessage,
  toEntry,
  wholeOf,
} from './log/logged-message.ts'
import { toPastTurns } from './log/past-turn.ts'
import { checkBranch, listLog, mainBranch } from './log/read-log.ts'
import { markRepeats, repeatedHands } from './log/repeats.ts'
import type { ContextRequest } from './log/thread-log.ts'
import { readThreadState } from './log/thread-state.ts'
import { isSideThread } from './side-name.ts'
import type { Thread, ThreadContextOptions } from './thread.ts'
import { beginTurn, createTurn, type TurnSource } from './turn.ts'
import { listNewest, readStatus, readTurns, viewDisplay, viewMessages, viewNotes } from './views.ts'

interface ThreadSource extends HandSource {
  readonly fit: FitOptions
  /** Who speaks, if that was said. */
  readonly person?: string
  readonly remember?: 'conversation' | 'person'
  readonly passages: Passages
  readonly isStillSaid: () => StillSaid
}

const { count: _, ...changeNames } = fitNames
const contextNames: OptionNames<ThreadContextOptions> = {
  ...changeNames,
  at: 1,
  system: 1,
  next: 1,
  hands: 1,
}

export function createThread(options: ThreadSource): Thread {
  const {
    store,
    key,
    count,
    now,
    newId,
    owner,
    person,
    remember,
    passages,
    leaseMs,
    logOf,
    isStillSaid,
  } = options
  const source = { store, key, count }

  /** Makes entries of a turn in which a guest speaks, if it is one. */
  const newEntryOf =
    (guest?: string): TurnSource['newEntry'] =>
    (message, rest) =>
      toEntry(message, { id: newId(), time: now(), count, guest, ...rest })

  /** Who speaks, if this is another person's conversation. */
  async function guestHere(): Promise<string | undefined> {
    if (person === undefined) return undefined
    const whose = await logOf(key).owner()
    return whose === undefined || whose === person ? undefined : person
  }

  function toRequest(changes: ThreadContextOptions = {}): ContextRequest {
    refuseUnknown(changes, contextNames)
    return { ...options.fit, ...changes }
  }

  const context = async (changes?: ThreadContextOptions) => logOf(key).context(toRequest(changes))

  async function saveCall(
    fitted: Context,
    { model, turn, room, settings, shadow }: CallStart,
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
      plan: JSON.stringify(toPlan(fitted, log, { ...stored, room, settings, shadow })),
      predicted: shadow?.tokens ?? fitted.tokens,
      ...outcome,
    })
  }

  /** What a message brings back from other conversations, if that is wanted. */
  async function quotesFor(message: Message): Promise<readonly QuoteReference[] | undefined> {
    if (
      remember !== 'person' ||
      person === undefined ||
      message.role !== 'user' ||
      isSideThread(key)
    )
      return undefined
    const { window, reserve = 0, policy } = options.fit
    const { messages } = await logOf(key).recent()
    const settings = {
      passages,
      isStillSaid: isStillSaid(),
      person,
      now,
      effort: policy?.effort ?? 0.5,
      room: window - reserve,
    }
    const quotes = await findQuotes(source, message, messages, settings)
    return quotes.length > 0 ? quotes : undefined
  }

  /** Prepares entries for the person's other conversations, which may bring them back. */
  const prepare = async (from: number, to: number) => {
    if (remember === 'person' && person !== undefined && !isSideThread(key))
      await passages.prepare(key, from, to)
  }

  const claim = async () => (person === undefined ? undefined : logOf(key).claim(person))

  async function saved(call: StoredCall): Promise<StoredCall> {
    await store.saveCall(key, call)
    return call
  }

  /** A branch that begins takes along what was done with the messages that it shares, and with those that it repeats. */
  async function takeAlong(messages: readonly TurnMessage[], first?: number) {
    if (key.branch === mainBranch) return { messages, hands: [] }
    const { forkOf, head = 0 } = (await store.head(key)) ?? {}
    if (!forkOf) return { messages, hands: [] }
    const { branch, at } = forkOf
    const line = { source: { ...source, key: { ...key, branch } }, at }
    const isFirst = head === at
    const all = isFirst ? await markRepeats(messages, line) : messages
    const shared = isFirst ? await logOf(line.source.key).carriedHands(at) : []
    const isRepeat = all.some(message => isSeen(message) && message.repeats !== undefined)
    const hands = isRepeat ? await logOf(line.source.key).hands() : undefined
    const repeated = hands ? await repeatedHands(all, first ?? head + 1, line, hands) : []
    return { messages: all, hands: [...shared, ...repeated] as readonly Hand[] }
  }

  /** Messages of a client with what they take along, which stands beside the last of them. */
  async function withHands(
    messages: readonly TurnMessage[],
    first?: number,
  ): Promise<readonly TurnMessage[]> {
    const { messages: all, hands } = await takeAlong(messages, first)
    const last = all.at(-1)
    if (last === undefined || hands.length === 0) return all
    return [...all.slice(0, -1), { ...asSeen(last), hands }]
  }

  return {
    key,
    ...createHands(options),
    erase: seq => eraseEntry(options, seq),
    async begin(input, how = {}) {
      refuseUnknown(how, {
        key: 1,
        cancelledTurn: 1,
        data: 1,
        marks: 1,
        after: 1,
        mayDeferSync: 1,
        overlay: 1,
      })
      const { key: idempotency, cancelledTurn, data, marks, after, mayDeferSync, overlay } = how
      const sources = Array.isArray(input)
        ? (input as readonly TurnMessage[])
        : [input as TurnMessage]
      const wholes = sources.map(wholeOf)
      const body = Array.isArray(input) ? wholes : wholes[0]
      const once = idempotency !== undefined && {
        key: idempotency,
        body: await hashOf(toCanonical(body)),
      }
      const guest = await guestHere()
      const messages = wholes.map((message, at) => readMessage(message, at))
      const newest = messages.at(-1)
      const quotes = newest && guest === undefined ? await quotesFor(newest) : undefined
      const all = [...(await withHands(sources))]
      const beside = present({ data, quotes })
      const last = all.at(-1)
      if (last !== undefined && Object.keys(beside).length > 0)
        all[all.length - 1] = { ...asSeen(last), ...beside }
      const [first] = all
      if (first !== undefined && overlay) all[0] = { ...asSeen(first), overlay }
      const entries = await makeEntries(all, newEntryOf(guest))
      const closing = (message: SeenMessage) => newEntryOf()(message, { isClosing: true })
      const request = { owner, leaseMs, entries, marks, mayDeferSync, ...once }
      const begun = await beginTurn(source, request, closing, after)
      await claim()
      if (begun.kind === 'begun') {
        const newEntry = newEntryOf(guest)
        const turn = createTurn({
          ...options,
          begun,
          mayDeferSync,
          cancelledTurn,
          messages,
          newEntry,
        })
        // Not awaited.
        void prepare(begun.turn.first, begun.turn.first)
        // The turn keeps its lease meanwhile.
        await logOf(key).embed(begun.turn.first)
        return { kind: 'begun', turn }
      }
      const { turn } = begun
      const to = turn.status === 'open' ? undefined : turn.last
      const logged = await listLog(source, { from: turn.first, to })
      const answer = logged
        .filter(({ isClosing, isBroken }) => !isClosing && !isBroken)
        .map(({ message }) => message)
      return { kind: 'replayed', turn, messages: answer }
    },
    async resume({ mayDeferSync } = {}) {
      const begun = await store.resume(key, { owner, leaseMs, mayDeferSync })
      if (!begun) return undefined
      const all = await listLog(source, { from: begun.turn.first })
      const entries = all.filter(entry => !isHandEntry(entry))
      const messages = entries.filter(({ isBroken }) => !isBroken).map(({ reading }) => reading)
      const newEntry = newEntryOf(entries[0]?.guest)
      return { turn: createTurn({ ...options, begun, mayDeferSync, messages, newEntry }), entries }
    },
    withHands,
    entries: view => listNewest(source, view),
    async seedTurns(messages) {
      let time = now()
      const guest = await guestHere()
      const entries = await makeEntries(messages, message => {
        time = timeOf(wholeOf(message)) ?? time
        return toEntry(message, { id: newId(), time, count, guest })
      })
      const head = await store.head(key)
      checkBranch(key, head)
      const seq = head?.head ?? 0
      await store.restore(key, toPastTurns(entries, { seq, turn: head?.turns ?? 0 }))
      await claim()
      await prepare(seq + 1, seq + entries.length)
    },
    async seed(...messages) {
      const entries = await makeEntries(await withHands(messages), newEntryOf(await guestHere()))
      const head = await store.head(key)
      checkBranch(key, head)
      await store.seed(key, { expectedHead: head?.head ?? 0, entries })
      await claim()
    },
    messages: view => viewMessages(source, view),
    context,
    copyAt: async at => logOf(key).copyAt(at),
    why: async (seq, changes) => logOf(key).why(seq, toRequest(changes)),
    mentions: async ({ text, ...changes } = {}) => logOf(key).mentions(text, toRequest(changes)),
    display: view => viewDisplay(source, view),
    async dump(of = {}) {
      return dump('plan' in of ? await dumpableOf(source, of) : await context(of))
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
    overlay: at => logOf(key).overlay(at),
    systemPlaces: () => logOf(key).systemPlaces(),
    notes: async view => (await viewNotes(source, view)).map(({ text }) => text),
    status: () => readStatus(store, key),
    turns: () => readTurns(source),
    async startCall(fitted, start) {
      const call = await saveCall(fitted, start, { status: 'sent' })
      const ended = (outcome: CallOutcome) => withOutcome(call, outcome)
      return { call, end: outcome => saved(ended(outcome)), with: ended }
    },
    saveCall: (fitted, { reported, ...start }) =>
      saveCall(fitted, start, { status: 'completed', reported }),
    async calls(limit) {
      const stored = await store.calls(key, limit)
      const head = stored.some(({ status }) => status === 'sent')
        ? await store.head(key)
        : undefined
      return stored.map(call => toThreadCall(call, head ?? {}))
    },
    replay: call => replayCall(source, call),
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
