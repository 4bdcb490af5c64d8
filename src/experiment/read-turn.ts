import type { ReplyCall } from '../chat/call-model.ts'
import { isErrorResult } from '../log/is-error-result.ts'
import type { ToolCall } from '../log/message.ts'
import { readMessage } from '../log/parse-message.ts'
import { openRound } from '../log/round.ts'
import type { Said } from './open-turn.ts'

/** How far a turn has come, read from its messages alone: so a turn that was left open goes on where it stopped. */
export interface TurnProgress {
  /** How often the model was asked. */
  readonly rounds: number
  /** The calls of the last round that have no result yet, in order. */
  readonly waiting: readonly ReplyCall[]
  /** The names of all tools that were called in the last round. */
  readonly called: readonly string[]
  /** How many calls have a result, in all rounds. */
  readonly results: number
  /** The call that was answered last, when nothing was said since. */
  readonly answered:
    | { readonly call: ReplyCall; readonly text: string; readonly isError: boolean }
    | undefined
  readonly note: string | undefined
}

export function readTurn(said: readonly Said[]): TurnProgress {
  let rounds = 0
  let results = 0
  let calls: readonly ToolCall[] = []
  let round = openRound(calls)
  let answered: TurnProgress['answered']
  let note: string | undefined
  for (const [seq, { message: raw, data }] of said.entries()) {
    const message = readMessage(raw, seq)
    if (message.role === 'assistant') {
      rounds += 1
      calls = message.calls
      round = openRound(calls)
    }
    answered = undefined
    for (const [index, result] of message.results.entries()) {
      const call = calls[round.take(result)]
      if (!call) continue
      const isError = isErrorResult(raw, result, index)
      answered = { call: toReplyCall(call), text: result.text, isError }
      results += 1
    }
    note = data?.note ?? note
  }
  const called = calls.map(({ name }) => name)
  return { rounds, results, called, answered, note, waiting: round.unanswered().map(toReplyCall) }
}

const toReplyCall = ({ id = '', name, arguments: json }: ToolCall): ReplyCall => ({
  id,
  name,
  arguments: json,
})
