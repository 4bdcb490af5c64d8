import { InvalidMessageError } from '../log/error.ts'
import { matchResult } from '../log/match-result.ts'
import type { Message, MessageLike, ToolCall, ToolResult } from '../log/message.ts'
import { parseMessage } from '../log/parse-message.ts'

/** A message as it was read, and which call each of its results answers. */
export interface PairedMessage {
  readonly seq: number
  readonly source: MessageLike
  readonly message: Message
  readonly calls: readonly PairedCall[]
  readonly results: readonly PairedResult[]
}

export interface PairedCall extends ToolCall {
  /** Its own id, or one made from its place among the calls of its message, so that the same call always has the same. */
  readonly key: string
}

export interface PairedResult extends ToolResult {
  readonly call?: PairedCall
}

/** Providers name calls differently: by id, by name, by order. Here they are brought together once, for all of them. */
export function pairResults(messages: readonly MessageLike[]): readonly PairedMessage[] {
  let waiting: PairedCall[] = []
  return messages.map((source, seq) => {
    const message = parseMessage(source, seq)
    if (message.role === 'assistant_note') {
      throw new InvalidMessageError(seq, 'is a note, which no provider knows: fit the conversation first')
    }
    const calls = message.calls.map((call, at) => ({ ...call, key: call.id ?? `call_${at + 1}` }))
    if (calls.length > 0) waiting = [...calls]
    const results = message.results.map(result => {
      const at = matchResult(result, waiting)
      const [call] = at < 0 ? [] : waiting.splice(at, 1)
      return call ? { ...result, call } : result
    })
    return { seq, source, message, calls, results }
  })
}

/** Every text of the messages, so that none of them gets into an error. */
export function textsOf(messages: readonly MessageLike[]): readonly string[] {
  return messages.flatMap((source, seq) => {
    try {
      const { text, thinking, calls, results } = parseMessage(source, seq)
      return [text, thinking, ...calls.map(call => call.arguments), ...results.map(result => result.text)]
    } catch {
      return []
    }
  })
}
