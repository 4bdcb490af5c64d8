import type { Message, ToolCall } from './message.ts'
import { openRound } from './round.ts'

/** A tool call of a turn, with its result when there is one. */
export interface Action {
  readonly call: ToolCall
  result?: string
}

/** The calls of a turn in order, each with its result. A result that answers no call of its round is left out. */
export function readActions(messages: readonly Message[]): readonly Action[] {
  const actions: Action[] = []
  let round = openRound([])
  let from = 0
  for (const { calls, results } of messages) {
    if (calls.length > 0) {
      round = openRound(calls)
      from = actions.length
      for (const call of calls) actions.push({ call })
    }
    for (const result of results) {
      const at = round.take(result)
      if (at >= 0) actions[from + at]!.result = result.text
    }
  }
  return actions
}
