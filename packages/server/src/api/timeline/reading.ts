import {
  type Context,
  type FitOptions,
  fitConversation,
  readWhole,
} from '@throughline/core/context'
import { createConversation } from '@throughline/core/conversation'
import type { TokenCounter } from '@throughline/core/counters'
import { type MessageLike, type PromptLayout, stampEntry } from '@throughline/core/messages'
import { shareIndex } from '@throughline/core/recall'
import type { LoggedMessage } from '@throughline/history'
import { applyHands, handsAt, type PlacedHands } from '@throughline/history/hands'
import { isHandEntry, type ThreadCopy } from '@throughline/history/log'
import type { FitSettings } from '../fit-thread.ts'

export type ThreadReading = ReturnType<typeof createReading>

interface ReadingState {
  readonly conversation: ReturnType<typeof createConversation>
  /** Reads on from a copy of the thread: the texts before it are loaded when they are needed. */
  readonly past?: ThreadCopy | undefined
  /** The messages that contexts take, from `first` on. */
  readonly views: MessageLike[]
  readonly first: number
  /** Running sums: [seq] are the tokens of all entries up to one. */
  readonly tokensUpTo: number[]
  readonly places: WeakMap<object, number>
  readonly prompts: Map<string, MessageLike>
  readonly factors: Map<string, number>
  /** The last user message; 0 where there is none. */
  user: number
  last: LoggedMessage | undefined
  /** The last entry that a model could be asked about: what a person has done with a message asks for nothing. */
  asking: LoggedMessage | undefined
  /** What is known of the system prompt at the last entry. */
  layout: PromptLayout
  /** What a person has done with messages. */
  readonly hands: PlacedHands[number][]
}

export function createReading(count: Required<TokenCounter>, before?: ReadingState) {
  const read: ReadingState = before ?? {
    conversation: createConversation(count),
    views: [],
    first: 1,
    tokensUpTo: [0],
    places: new WeakMap(),
    prompts: new Map(),
    factors: new Map(),
    user: 0,
    last: undefined,
    asking: undefined,
    layout: {},
    hands: [],
  }
  const { conversation, past, views, first, tokensUpTo, places, prompts, factors } = read

  /** One object for each text, so that it is read once. */
  function promptOf(text: string): MessageLike {
    const prompt = prompts.get(text) ?? { role: 'system', content: text }
    // A prompt that changes with every call is not kept for ever.
    if (prompts.size >= mostPrompts) prompts.clear()
    prompts.set(text, prompt)
    return prompt
  }

  /** Works with all texts that the work reads. */
  const loaded = async <T>(work: () => T): Promise<T> => (past ? past.loaded(work) : work())

  return {
    count,
    tokensUpTo,
    loaded,
    /** The message that contexts take at a place. */
    viewAt: (seq: number): MessageLike | undefined =>
      seq < first ? past?.viewAt(seq) : views[seq - first],
    /** How many messages it holds. */
    get size() {
      return views.length
    },
    get user() {
      return read.user
    },
    get last() {
      return read.last
    },
    get asking() {
      return read.asking
    },
    add(logged: LoggedMessage): void {
      const { view, seq, message, calibration, learned, hands } = logged
      if (hands) read.hands.push([seq, hands])
      if (learned) read.layout = { ...read.layout, ...learned }
      if (calibration?.counter === count.id) factors.set(calibration.model, calibration.factor)
      conversation.append(view, seq)
      places.set(view, seq)
      views.push(view)
      tokensUpTo.push(tokensUpTo.at(-1)! + stampEntry(view, seq, count).tokens)
      if (message.role === 'user') read.user = seq
      read.last = logged
      if (!isHandEntry(logged)) read.asking = logged
    },
    seqOf: (message: object) => places.get(message) ?? past?.seqOf(message),
    /** The calibration of a model at the last entry; 1 where there is none. */
    factorOf: (model: string | undefined) => factors.get(model ?? '') ?? 1,
    fit({ system, ...settings }: FitSettings): Promise<Context> {
      const prompt = system === undefined ? [] : [stampEntry(promptOf(system), 0, count)]
      const { system: leading, transcript } = conversation
      const options = { promptLayout: read.layout, ...settings, count } as FitOptions
      const input = { system: [...prompt, ...leading], transcript, origin: leading.length + 1 }
      return loaded(() => {
        const wanted = applyHands(input, options, handsAt(read.hands), count)
        return readWhole(fitConversation(wanted.view, wanted.options))
      })
    },
    /** The state of a reading that can be read on without changing this one. */
    copy(): Promise<ReadingState> {
      const { system, transcript } = conversation
      const { entries } = transcript
      return loaded(() => {
        const fork = transcript.fork(entries.length)
        // The words of the past are the same; what is read on is in the log already, and will be the same here.
        shareIndex(transcript, fork)
        for (let at = fork.entries.length; at < entries.length; at++)
          fork.append(entries[at]!.source, at)
        return {
          ...read,
          past: past?.of(fork),
          conversation: createConversation(count, { system: [...system], transcript: fork }),
          views: [...views],
          tokensUpTo: [...tokensUpTo],
          factors: new Map(factors),
          hands: [...read.hands],
        }
      })
    },
  }
}

/** A reading that goes on from a copy of the thread: the entries before it are not read. */
export function readOn(count: Required<TokenCounter>, past: ThreadCopy): ThreadReading {
  const { system, transcript, facts, last, asking, at } = past
  const tokensUpTo = [0]
  for (const { tokens } of [...system, ...transcript.entries])
    tokensUpTo.push(tokensUpTo.at(-1)! + tokens)
  const isBefore = ([seq]: readonly [number, ...unknown[]]) => seq <= at
  const factors = facts.calibrations
    .filter(one => isBefore(one) && one[1].counter === count.id)
    .map(([, { model, factor }]) => [model, factor] as const)
  const newest = transcript.turns.at(-1)
  return createReading(count, {
    past,
    views: [],
    first: at + 1,
    tokensUpTo,
    places: new WeakMap(),
    prompts: new Map(),
    conversation: createConversation(count, { system, transcript }),
    factors: new Map(factors),
    user: newest === undefined ? 0 : system.length + 1 + transcript.units[newest]!.from,
    last,
    asking,
    layout: facts.layouts.findLast(isBefore)?.[1] ?? {},
    hands: facts.hands.filter(isBefore),
  })
}

const mostPrompts = 16
