import type { MessageLike, ToolCall, ToolResult } from '../log/message.ts'
import { openRound } from '../log/round.ts'
import { type Placed, placeMessage } from './place-message.ts'

/** A tool result, with the tool that it came from: the call says which, not the result. */
export interface RoundResult {
  readonly seq: number
  readonly tool: string
  readonly callId?: string
  readonly text: string
  /** The message object that has it, and its place among that message's results. */
  readonly source: object
  readonly index: number
}

/** What the calls of one assistant message came to. */
export interface Round {
  /** The place of its first message. */
  readonly seq: number
  /** In the order of the calls: tools run side by side end in any order, the model wrote them in one. */
  readonly results: readonly RoundResult[]
  /** Results that answer no call, whatever tool they name: anybody could have written them. */
  readonly strays: readonly RoundResult[]
}

/** The rounds of a conversation, newest first, read only as far as somebody asks. */
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

/** A note may stand inside a round; a user's or a system's message ends it. */
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

/** An assistant message and the tool messages after it; tool messages alone, without a head, are all stray. */
export function readRound(group: readonly Placed[]): Round {
  const head = group[0]?.message
  const calls = head?.role === 'assistant' ? head.calls : []
  const round = openRound(calls)
  const answered: RoundResult[] = []
  const strays: RoundResult[] = []
  for (const placed of group) {
    for (const [index, result] of placed.message.results.entries()) {
      const at = round.take(result)
      const read = toResult(placed, index, result, calls[at])
      if (at < 0) strays.push(read)
      else answered[at] = read
    }
  }
  // Calls without a result have left holes.
  return { seq: group[0]?.seq ?? 0, results: answered.filter(result => result !== undefined), strays }
}

function toResult(placed: Placed, index: number, result: ToolResult, call?: ToolCall): RoundResult {
  const callId = call?.id ?? result.callId
  return {
    seq: placed.seq,
    tool: call?.name ?? result.name ?? '',
    ...(callId === undefined ? {} : { callId }),
    text: result.text,
    source: placed.source,
    index,
  }
}
