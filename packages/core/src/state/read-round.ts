import { errorsIn } from '../log/errors-in.ts'
import { madeOnce } from '../log/looks.ts'
import type { Message, MessageLike } from '../log/message.ts'
import { readMessage } from '../log/parse-message.ts'
import { openRound } from '../log/round.ts'

/** A tool result with the name of its tool, which is taken from the call, not from the result. */
export interface RoundResult {
  readonly seq: number
  readonly tool: string
  readonly callId?: string
  readonly text: string
  /** Whether the tool failed. */
  readonly isError: boolean
  /** Whether it answers no call, whatever tool it names: its origin is unknown. */
  readonly isStray: boolean
  /** The message object with the result, and the result's place in it. */
  readonly source: object
  readonly index: number
}

export interface ToolRound {
  readonly seq: number
  /** In the order of the calls, as parallel tools end in any order; then those that answer no call. */
  readonly results: readonly RoundResult[]
}

/** The rounds of a conversation, newest first, read as they are needed. */
export function* roundsFromEnd(
  messages: readonly MessageLike[],
): Generator<ToolRound, void, undefined> {
  let group: Placed[] = []
  for (const placed of placedFromEnd(messages)) {
    const part = partOf(placed)
    if (part === 'apart') continue
    if (part !== 'boundary') group.push(placed)
    if (part === 'result') continue
    if (group.length > 0) yield readRound(group.reverse())
    group = []
  }
  if (group.length > 0) yield readRound(group.reverse())
}

/** The messages of a conversation, newest first, read as they are needed. */
export function* placedFromEnd(
  messages: readonly MessageLike[],
): Generator<Placed, void, undefined> {
  for (let seq = messages.length - 1; seq >= 0; seq--) yield placeMessage(messages[seq]!, seq)
}

/** The part that a message plays in a round: a note may stand inside, a user or system message ends it. */
export const partOf = ({ message }: Placed) => parts[message.role]

const parts = {
  assistant: 'head',
  tool: 'result',
  assistant_note: 'apart',
  user: 'boundary',
  system: 'boundary',
} as const

/** Reads an assistant message and the tool messages after it; tool messages without a calling message are all stray. */
export function readRound(group: readonly Placed[]): ToolRound {
  const head = group[0]?.message
  const calls = head?.role === 'assistant' ? head.calls : []
  const round = openRound(calls)
  const answered: RoundResult[] = []
  const strays: RoundResult[] = []
  for (const { seq, source, message } of group) {
    const isError = errorsIn(source)
    for (const [index, result] of message.results.entries()) {
      const { text } = result
      const at = round.take(result)
      const { id: callId = result.callId, name: tool = result.name ?? '' } = calls[at] ?? {}
      const read = {
        seq,
        tool,
        callId,
        text,
        source,
        index,
        isError: isError(text, index),
        isStray: at < 0,
      }
      if (at < 0) strays.push(read)
      else answered[at] = read
    }
  }
  // Calls without a result leave holes.
  const results = [...answered.filter(result => result !== undefined), ...strays]
  return { seq: group[0]?.seq ?? 0, results }
}

export interface Placed {
  readonly seq: number
  readonly source: object
  readonly message: Message
}

/** Callers come again with a longer list, and old messages are not read twice. */
const readOnce = madeOnce((source: object, seq: number) => readMessage(source, seq))

/** Reads a message once, and again if it was changed in place (by a stream, say). Throws InvalidMessageError. */
export const placeMessage = (source: object, seq: number): Placed => ({
  seq,
  source,
  message: readOnce(source, seq),
})
