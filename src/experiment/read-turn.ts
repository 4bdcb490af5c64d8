import type { ReplyCall } from '../chat/call-model.ts'
import { matchResult } from '../log/match-result.ts'
import type { ToolCall } from '../log/message.ts'
import { parseMessage } from '../log/parse-message.ts'
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
  readonly note: string | undefined
}

export function readTurn(said: readonly Said[]): TurnProgress {
  let rounds = 0
  let results = 0
  let waiting: ToolCall[] = []
  let called: readonly string[] = []
  let note: string | undefined
  for (const [seq, { message: raw, data }] of said.entries()) {
    const message = parseMessage(raw, seq)
    if (message.role === 'assistant') {
      rounds += 1
      waiting = [...message.calls]
      called = message.calls.map(({ name }) => name)
    }
    for (const result of message.results) {
      const at = matchResult(result, waiting)
      if (at >= 0) waiting.splice(at, 1)
      results += 1
    }
    note = data?.note ?? note
  }
  return {
    rounds,
    results,
    called,
    note,
    waiting: waiting.map(({ id = '', name, arguments: json }) => ({ id, name, arguments: json })),
  }
}
