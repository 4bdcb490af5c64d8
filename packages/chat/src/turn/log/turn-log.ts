import { type Context, fit } from '@throughline/core/context'
import type { TokenCounter } from '@throughline/core/counters'
import {
  type Calibration,
  errorsIn,
  type MessageLike,
  openRound,
  readMessage,
  type ToolCall,
} from '@throughline/core/messages'
import type { Room } from '@throughline/core/tokens'
import { present } from '@throughline/core/values'
import type { CallOutcome, ShadowAccount } from '@throughline/history/calls'
import {
  type CancelledTurn,
  closingFor,
  type Ending,
  isSeen,
  type SeenMessage,
  viewOf,
} from '@throughline/history/log'
import type { Recent, ThreadContextOptions } from '@throughline/history/threads'
import type { ModelSettings, ReplyCall } from '@throughline/models/model'
import type { StoredCall } from '@throughline/stores/store'
import { clippedView } from './clip-result.ts'

/** A call whose outcome is to be stored: at once, or with the reply. */
export interface StartedCall {
  end(outcome: CallOutcome): Promise<unknown>
  keep(outcome: CallOutcome): void
}

/** Where a turn is written: a thread of a history, or a list that a client sent. */
export interface TurnLog {
  /** The number of the turn; undefined without a history. */
  readonly turn?: number
  readonly branch?: string
  readonly count: TokenCounter
  /** Aborted when nothing more can be written. */
  readonly signal: AbortSignal
  readonly progress: TurnProgress
  /** Calls the listener with every message that is added from now on. */
  onAdded(listener: (message: MessageLike) => void): void
  request(): Promise<Recent>
  /** `mostResultTokens`: of a tool result with more tokens the model sees only the beginning. */
  context(
    options: ThreadContextOptions & { window: number; mostResultTokens: number },
  ): Promise<Context>
  calibration(model: string): Promise<Calibration | undefined>
  calibrate(calibration: Calibration): void
  /** Stores a call before it is sent. `keep` stores its outcome together with the next entries of the turn. */
  startCall(
    ...call: [
      context: Context,
      model: string,
      room: Room,
      settings: ModelSettings,
      shadow?: ShadowAccount,
    ]
  ): Promise<StartedCall>
  reports(model: string): Promise<readonly Report[]>
  /** Appends messages. `make` is called with the place of the first one, from 1, once it is known. */
  append(make: (place: number) => readonly SeenMessage[]): Promise<void>
  complete(reply: readonly SeenMessage[], note: string | undefined): Promise<void>
  fail(code: string, arrived: readonly SeenMessage[]): Promise<void>
  cancel(arrived: readonly SeenMessage[]): Promise<void>
  interrupt(arrived: readonly SeenMessage[]): Promise<void>
  /** Leaves the turn open: it goes on, or is tried again, in a later request. `arrived`: a part that broke off. */
  leave(arrived?: readonly SeenMessage[]): Promise<void>
  /** Whether the conversation has, or ever had, a note. */
  hasNotes(): Promise<boolean>
  /** Whether the model sees only the beginning of some result, one with more tokens than this. Stays true. */
  hasClipped(mostTokens: number): Promise<boolean>
  /** The message at a place, in full; undefined where there is none, where it is hidden, and where its client deleted it. */
  messageAt(place: number): Promise<MessageLike | undefined>
}

/** The tokens of a prompt as we counted them, and as the provider reported them. */
export type Report = Required<Pick<StoredCall, 'predicted' | 'reported'>>

/** How far a turn has come. Read from its messages alone, so that a turn that was left open can be resumed. */
export type TurnProgress = Readonly<ReturnType<typeof followTurn>['progress']>

/** What the log stores beside a message, for resuming the turn. Never sent, never shown. */
export interface TurnData {
  /** The note of a reply with calls, or of one that broke off: it becomes a message when the turn ends. */
  readonly note?: string
}

/** Follows the messages of a turn, both while it is answered and when it is resumed: `turnMessages` came before. */
export function followTurn(turnMessages: readonly SeenMessage[] = []) {
  const listeners: ((message: MessageLike) => void)[] = []
  let seq = 0
  let calls: readonly ToolCall[] = []
  let round = openRound(calls)
  const progress = {
    /** How often the model has answered. */
    rounds: 0,
    /** The calls of the last round that have no result yet, in order. */
    get waiting(): readonly ReplyCall[] {
      return round.unanswered().map(toReplyCall)
    },
    /** The names of all tools that were called in the last round. */
    get called(): readonly string[] {
      return calls.map(({ name }) => name)
    },
    /** How many calls have a result, in all rounds. */
    results: 0,
    /** The call that was answered last, if no message came since. */
    answered: undefined as { call: ReplyCall; text: string; isError: boolean } | undefined,
    note: undefined as string | undefined,
  }

  function take({ message: source, data, isBroken }: SeenMessage): void {
    const message = readMessage(source, seq++)
    const { note: noted } = (data ?? {}) as TurnData
    if (isBroken) {
      progress.note = noted ?? progress.note
      return
    }
    if (message.role === 'assistant') {
      progress.rounds += 1
      calls = message.calls
      round = openRound(calls)
    }
    progress.answered = undefined
    const isError = errorsIn(source)
    for (const [index, result] of message.results.entries()) {
      const call = calls[round.take(result)]
      if (!call) continue
      const { text } = result
      progress.answered = { call: toReplyCall(call), text, isError: isError(text, index) }
      progress.results += 1
    }
    progress.note = (message.role === 'assistant_note' ? message.text : noted) ?? progress.note
  }

  turnMessages.forEach(take)
  return {
    progress,
    onAdded: (listener: (message: MessageLike) => void) => void listeners.push(listener),
    add(added: readonly SeenMessage[]): void {
      added.forEach(take)
      for (const { message } of added) for (const listener of listeners) listener(message)
    },
  }
}

const toReplyCall = (call: ToolCall): ReplyCall => ({ ...call, id: call.id ?? '' })

/** The last messages of a turn, with its note behind them. */
export const withNote = (
  last: readonly SeenMessage[],
  note: string | undefined,
): readonly SeenMessage[] =>
  note === undefined ? last : [...last, { message: { role: 'assistant_note', content: note } }]

/** What a chat without a history remembers of models. */
export interface ModelMemory {
  readonly calibrations: Map<string, Calibration>
  readonly reports: Map<string, readonly Report[]>
  /** The context that was sent last: servers may have it in their cache. */
  last?: Context
}

/** A turn on a list of messages that a client sent. Nothing is stored: the client must keep the added messages. */
export function listTurnLog(
  clientMessages: readonly MessageLike[],
  count: TokenCounter,
  memory: ModelMemory,
  cancelledTurn?: CancelledTurn,
): TurnLog {
  const { calibrations, reports } = memory
  const whole = [...clientMessages]
  /** The messages of which the model sees another form. */
  const views = new Map<MessageLike, MessageLike>()
  const begin = clientMessages.findLastIndex(({ role }) => role === 'user')
  const turn = followTurn()

  function add(items: readonly SeenMessage[]): void {
    for (const { message, view } of items) {
      if (view) views.set(message, view)
      whole.push(message)
    }
    turn.add(items)
  }

  async function close(ending: Ending, some: readonly SeenMessage[]): Promise<void> {
    const turnMessages = whole.slice(Math.max(0, begin)).map(readMessage)
    const messages = some.map(({ message }) => message)
    const { results, arrived, last } = closingFor(turnMessages, messages, ending)
    add(
      [...results, ...arrived, ...last].map(one => ({ message: isSeen(one) ? viewOf(one) : one })),
    )
  }

  /** Clips a result the same way each time, whatever the calibration: else the prompt would change from its beginning. */
  function seen(message: MessageLike, at: number, mostTokens: number): MessageLike {
    const cached = views.get(message)
    if (cached || message.role !== 'tool' || typeof message.content !== 'string')
      return cached ?? message
    const content = clippedView(message.content, { place: at + 1, mostTokens, count })
    const view = content === undefined ? message : { ...message, content }
    views.set(message, view)
    return view
  }

  return {
    count,
    signal: new AbortController().signal,
    progress: turn.progress,
    onAdded: turn.onAdded,
    request: async () => ({ conversation: whole }),
    async context({ system, at: _, mostResultTokens, ...fitting }) {
      const prompt =
        system === undefined ? [] : [{ role: 'system', content: system } as MessageLike]
      const shown = whole.map((message, at) => seen(message, at, mostResultTokens))
      const { last: previous } = memory
      const layout = present({ previous, promptLayout: previous?.promptLayout })
      memory.last = fit([...prompt, ...shown], { ...layout, ...fitting, count })
      return memory.last
    },
    calibration: async model => calibrations.get(model),
    calibrate: calibration => void calibrations.set(calibration.model, calibration),
    async startCall({ tokens }, model) {
      function keep({ reported }: CallOutcome): void {
        if (reported === undefined) return
        const earlier = reports.get(model) ?? []
        reports.set(model, [{ predicted: tokens, reported }, ...earlier].slice(0, 32))
      }
      return { keep, end: async outcome => keep(outcome) }
    },
    reports: async model => reports.get(model) ?? [],
    append: async make => add(make(whole.length + 1)),
    complete: async (reply, note) => add(withNote(reply, note)),
    fail: (code, arrived) => close({ status: 'failed', code }, arrived),
    cancel: arrived => close({ status: 'cancelled', cancelledTurn }, arrived),
    interrupt: arrived => close({ status: 'interrupted' }, arrived),
    leave: async () => {},
    hasNotes: async () => whole.some(({ role }) => role === 'assistant_note'),
    hasClipped: async mostTokens =>
      whole.some(
        (message, at) => message.role === 'tool' && seen(message, at, mostTokens) !== message,
      ),
    messageAt: async place => whole[place - 1],
  }
}
