import { createConversation } from '../../../context/conversation/conversation.ts'
import { stampEntry } from '../../../context/conversation/stamp-entry.ts'
import { type Context, type FitOptions, fitConversation, readWhole } from '../../../context/fit.ts'
import type { PromptLayout } from '../../../context/prompt/layout.ts'
import { shareIndex } from '../../../context/recall/index-transcript.ts'
import type { LoggedMessage } from '../../../history/index.ts'
import { applyHands, handsAt, type PlacedHands } from '../../../history/log/hand.ts'
import { isHandEntry } from '../../../history/log/hand-entry.ts'
import type { MessageLike } from '../../../log/message.ts'
import type { TokenCounter } from '../../../tokens/create-counter.ts'
import type { FitSettings } from '../fit-thread.ts'

export type ThreadReading = ReturnType<typeof createReading>

interface ReadingState {
  readonly conversation: ReturnType<typeof createConversation>
  /** The messages that contexts take, by place. */
  readonly views: (MessageLike | undefined)[]
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

export function createReading(count: Required<TokenCounter>, past?: ReadingState) {
  const read: ReadingState = past ?? {
    conversation: createConversation(count),
    views: [undefined],
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
  const { conversation, views, tokensUpTo, places, prompts, factors } = read

  /** One object for each text, so that it is read once. */
  function promptOf(text: string): MessageLike {
    const prompt = prompts.get(text) ?? { role: 'system', content: text }
    // A prompt that changes with every call is not kept for ever.
    if (prompts.size >= mostPrompts) prompts.clear()
    prompts.set(text, prompt)
    return prompt
  }

  return {
    count,
    views,
    tokensUpTo,
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
    seqOf: (message: object) => places.get(message),
    /** The calibration of a model at the last entry; 1 where there is none. */
    factorOf: (model: string | undefined) => factors.get(model ?? '') ?? 1,
    fit({ system, ...settings }: FitSettings): Context {
      const prompt = system === undefined ? [] : [stampEntry(promptOf(system), 0, count)]
      const { system: leading, transcript } = conversation
      const options = { promptLayout: read.layout, ...settings, count } as FitOptions
      const input = { system: [...prompt, ...leading], transcript, origin: leading.length + 1 }
      const wanted = applyHands(input, options, handsAt(read.hands), count)
      return readWhole(fitConversation(wanted.view, wanted.options))
    },
    /** The state of a reading that can be read on without changing this one. */
    copy(): ReadingState {
      const { system, transcript } = conversation
      const { entries } = transcript
      const fork = transcript.fork(entries.length)
      // The words of the past are the same; what is read on is in the log already, and will be the same here.
      shareIndex(transcript, fork)
      for (let at = fork.entries.length; at < entries.length; at++) fork.append(entries[at]!.source, at)
      return {
        ...read,
        conversation: createConversation(count, { system: [...system], transcript: fork }),
        views: [...views],
        tokensUpTo: [...tokensUpTo],
        factors: new Map(factors),
        hands: [...read.hands],
      }
    },
  }
}

const mostPrompts = 16
