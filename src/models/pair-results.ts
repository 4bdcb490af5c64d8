import { InvalidMessageError } from '../log/error.ts'
import type { Message, MessageLike, ToolCall, ToolResult } from '../log/message.ts'
import { readMessage } from '../log/parse-message.ts'
import { openRound } from '../log/round.ts'

/** A parsed message, with the call that each of its results answers. */
export interface PairedMessage {
  readonly seq: number
  readonly source: MessageLike
  readonly message: Message
  readonly calls: readonly PairedCall[]
  readonly results: readonly PairedResult[]
}

export interface PairedCall extends ToolCall {
  /** The call's id, or one made from its place in the message, so that the same call always has the same key. */
  readonly key: string
}

export interface PairedResult extends ToolResult {
  readonly call?: PairedCall
}

/** Finds the call of each result, whether the provider matches them by id, by name or by order. */
export function pairResults(messages: readonly MessageLike[]): readonly PairedMessage[] {
  let called: readonly PairedCall[] = []
  let round = openRound(called)
  return messages.map((source, seq) => {
    const message = readMessage(source, seq)
    if (message.role === 'assistant_note') {
      throw new InvalidMessageError(seq, 'is a note, which no provider knows: fit the conversation first')
    }
    const calls = message.calls.map((call, at) => ({ ...call, key: call.id ?? `call_${at + 1}` }))
    if (calls.length > 0) {
      called = calls
      round = openRound(calls)
    }
    const results = message.results.map(result => {
      const call = called[round.take(result)]
      return call ? { ...result, call } : result
    })
    return { seq, source, message, calls, results }
  })
}

/** All texts of the messages, which errors must not repeat. */
export function textsOf(messages: readonly MessageLike[]): readonly string[] {
  return messages.flatMap((source, seq) => {
    try {
      const { text, thinking, calls, results } = readMessage(source, seq)
      return [text, thinking, ...calls.map(call => call.arguments), ...results.map(result => result.text)]
    } catch {
      return []
    }
  })
}
