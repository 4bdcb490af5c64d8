import { errorsIn } from '../log/errors-in.ts'
import { madeOnce } from '../log/looks.ts'
import type { Message, MessageLike, ToolCall, ToolResult } from '../log/message.ts'
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
  /** The message object with the result, and the result's place in it. */
  readonly source: object
  readonly index: number
}

/** The results of one assistant message's calls. */
export interface Round {
  readonly seq: number
  /** In the order of the calls: parallel tools end in any order. */
  readonly results: readonly RoundResult[]
  /** Results that answer no call, whatever tool they name: anybody could have written them. */
  readonly strays: readonly RoundResult[]
}

/** The rounds of a conversation, newest first, read as they are needed. */
export function* roundsFromEnd(messages: readonly MessageLike[]): Generator<Round, void, undefined> {
  let group: Placed[] = []
  for (let seq = messages.length - 1; seq >= 0; seq--) {
    const placed = placeMessage(messages[seq]!, seq)
    const part = partOf(placed)
    if (part === 'apart') continue
    if (part !== 'boundary') group.push(placed)
    if (part === 'result') continue
    if (group.length > 0) yield readRound(group.reverse())
    group = []
  }
  if (group.length > 0) yield readRound(group.reverse())
}

/** The part that a message plays in a round: a note may stand inside, a user or system message ends it. */
export function partOf({ message }: Placed): 'head' | 'result' | 'apart' | 'boundary' {
  switch (message.role) {
    case 'assistant':
      return 'head'
    case 'tool':
      return 'result'
    case 'assistant_note':
      return 'apart'
    case 'user':
    case 'system':
      return 'boundary'
  }
}

/** Reads an assistant message and the tool messages after it; tool messages without a calling message are all stray. */
export function readRound(group: readonly Placed[]): Round {
  const head = group[0]?.message
  const calls = head?.role === 'assistant' ? head.calls : []
  const round = openRound(calls)
  const answered: RoundResult[] = []
  const strays: RoundResult[] = []
  for (const placed of group) {
    const isError = errorsIn(placed.source)
    for (const [index, result] of placed.message.results.entries()) {
      const at = round.take(result)
      const read = toResult(placed, index, result, isError(result.text, index), calls[at])
      if (at < 0) strays.push(read)
      else answered[at] = read
    }
  }
  // Calls without a result leave holes.
  return { seq: group[0]?.seq ?? 0, results: answered.filter(result => result !== undefined), strays }
}

function toResult(
  placed: Placed,
  index: number,
  result: ToolResult,
  isError: boolean,
  call?: ToolCall,
): RoundResult {
  const callId = call?.id ?? result.callId
  return {
    seq: placed.seq,
    tool: call?.name ?? result.name ?? '',
    ...(callId === undefined ? {} : { callId }),
    text: result.text,
    isError,
    source: placed.source,
    index,
  }
}

export interface Placed {
  readonly seq: number
  readonly source: object
  readonly message: Message
}

/** Callers come again with a longer list, and old messages are not read twice. */
const readOnce = madeOnce((source: object, seq: number) => readMessage(source, seq))

/** Reads a message once, and again if it was changed in place (by a stream, say). Throws InvalidMessageError. */
export function placeMessage(source: object, seq: number): Placed {
  return { seq, source, message: readOnce(source, seq) }
}
