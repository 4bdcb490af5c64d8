import type { Context } from '../../context/fit.ts'
import type { CallOutcome } from '../../history/calls/calls.ts'
import type { SeenMessage } from '../../history/log/logged-message.ts'
import type { Recent, ThreadContextOptions } from '../../history/thread.ts'
import { errorsIn } from '../../log/errors-in.ts'
import type { MessageLike, ToolCall } from '../../log/message.ts'
import { readMessage } from '../../log/parse-message.ts'
import { openRound } from '../../log/round.ts'
import type { ModelSettings } from '../../models/model.ts'
import type { StoredCall } from '../../stores/store.ts'
import type { Calibration, Room } from '../../tokens/calibration.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import type { ReplyCall } from '../model-reply.ts'

/** A call that was stored before it is sent. */
export interface CallToEnd {
  end(outcome: CallOutcome): Promise<unknown>
  /** Stores the outcome together with the next entries of the turn. */
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
  context(options: ThreadContextOptions & { window: number; mostResultTokens: number }): Promise<Context>
  calibration(model: string): Promise<Calibration | undefined>
  calibrate(calibration: Calibration): void
  startCall(context: Context, model: string, room: Room, settings: ModelSettings): Promise<CallToEnd>
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
  /** The message at a place, in full; undefined where there is none, and where it is hidden. */
  messageAt(place: number): Promise<MessageLike | undefined>
}

/** The tokens of a prompt as we counted them, and as the provider reported them. */
export type Report = Required<Pick<StoredCall, 'predicted' | 'reported'>>

/** How far a turn has come. Read from its messages alone, so that a turn that was left open can be resumed. */
export interface TurnProgress {
  /** How often the model has answered. */
  readonly rounds: number
  /** The calls of the last round that have no result yet, in order. */
  readonly waiting: readonly ReplyCall[]
  /** The names of all tools that were called in the last round. */
  readonly called: readonly string[]
  /** How many calls have a result, in all rounds. */
  readonly results: number
  /** The call that was answered last, if no message came since. */
  readonly answered:
    | { readonly call: ReplyCall; readonly text: string; readonly isError: boolean }
    | undefined
  readonly note: string | undefined
}

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
    rounds: 0,
    get waiting() {
      return round.unanswered().map(toReplyCall)
    },
    get called() {
      return calls.map(({ name }) => name)
    },
    results: 0,
    answered: undefined as TurnProgress['answered'],
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
    progress: progress as TurnProgress,
    onAdded: (listener: (message: MessageLike) => void) => void listeners.push(listener),
    add(added: readonly SeenMessage[]): void {
      added.forEach(take)
      for (const { message } of added) for (const listener of listeners) listener(message)
    },
  }
}

const toReplyCall = (call: ToolCall): ReplyCall => ({ ...call, id: call.id ?? '' })

/** The last messages of a turn, with its note behind them. */
export const withNote = (last: readonly SeenMessage[], note: string | undefined): readonly SeenMessage[] =>
  note === undefined ? last : [...last, { message: { role: 'assistant_note', content: note } }]
