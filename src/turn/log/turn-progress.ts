import type { SeenMessage } from '../../history/log/logged-message.ts'
import { errorsIn } from '../../log/errors-in.ts'
import type { ToolCall } from '../../log/message.ts'
import { readMessage } from '../../log/parse-message.ts'
import { openRound } from '../../log/round.ts'
import type { ReplyCall } from '../model-reply.ts'

/** What the log stores beside a message, for resuming the turn. Never sent, never shown. */
export interface TurnData {
  /** The note of a reply with calls: it becomes a message when the turn ends. */
  readonly note?: string
}

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
  readonly answered: AnsweredCall | undefined
  readonly note: string | undefined
}

export interface AnsweredCall {
  readonly call: ReplyCall
  readonly text: string
  readonly isError: boolean
}

/** Takes the messages of a turn one by one, both while it is answered and when it is resumed. */
export interface ProgressReader extends TurnProgress {
  take(said: readonly SeenMessage[]): void
}

export function readProgress(): ProgressReader {
  let seq = 0
  let rounds = 0
  let results = 0
  let calls: readonly ToolCall[] = []
  let round = openRound(calls)
  let answered: AnsweredCall | undefined
  let note: string | undefined

  function takeOne({ message: source, data }: SeenMessage): void {
    const message = readMessage(source, seq++)
    const { note: noted } = (data ?? {}) as TurnData
    if (message.role === 'assistant') {
      rounds += 1
      calls = message.calls
      round = openRound(calls)
    }
    answered = undefined
    const isError = errorsIn(source)
    for (const [index, result] of message.results.entries()) {
      const call = calls[round.take(result)]
      if (!call) continue
      const { text } = result
      answered = { call: toReplyCall(call), text, isError: isError(text, index) }
      results += 1
    }
    note = (message.role === 'assistant_note' ? message.text : noted) ?? note
  }

  return {
    get rounds() {
      return rounds
    },
    get waiting() {
      return round.unanswered().map(toReplyCall)
    },
    get called() {
      return calls.map(({ name }) => name)
    },
    get results() {
      return results
    },
    get answered() {
      return answered
    },
    get note() {
      return note
    },
    take: said => said.forEach(takeOne),
  }
}

const toReplyCall = ({ id = '', name, arguments: json }: ToolCall): ReplyCall => ({
  id,
  name,
  arguments: json,
})
