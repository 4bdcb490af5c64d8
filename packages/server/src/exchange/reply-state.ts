import { type ModelReply, type TurnPart, trimmedTokens } from '@throughline/chat/turn'
import { toModelTokens } from '@throughline/core/tokens'
import type { ReplyEnd, ReplyPiece, ReplyStart } from '@throughline/models/dialects'

export interface ReplyState {
  readonly start: ReplyStart
  /** The tokens of what had to be sent that were cut, because it did not fit. */
  readonly trimmed: number
  /** The prompt tokens that were the same as in the call before. */
  readonly reusable: number
  /** How texts and thoughts take turns. */
  readonly pieces?: Chain<ReplyPiece>
  readonly logprobs?: Chain<readonly unknown[]>
  /** The characters of all log probabilities as JSON. */
  readonly logprobsSize: number
}

/** A list that grows by one without being copied: its last item, and those before. */
interface Chain<Item> {
  readonly item: Item
  readonly before?: Chain<Item>
}

/** A model may be asked more than once for one reply, which keeps its id: each context begins it anew. */
export function reduce(state: ReplyState, part: TurnPart): ReplyState {
  switch (part.type) {
    case 'context': {
      const { receipt, factor } = part
      return {
        start: { ...state.start, promptTokens: receipt.tokens },
        trimmed: toModelTokens(trimmedTokens(receipt), factor),
        reusable: toModelTokens(receipt.prefix?.tokens ?? 0, factor),
        logprobsSize: 0,
      }
    }
    case 'text-delta':
      return withLogprobs(withPiece(state, 'text', part.text), part.logprobs)
    case 'thinking-delta':
      return withPiece(state, 'thinking', part.text)
    default:
      return state
  }
}

function withPiece(state: ReplyState, kind: ReplyPiece[0], { length }: string): ReplyState {
  const { pieces } = state
  if (length === 0) return state
  if (pieces?.item[0] !== kind)
    return { ...state, pieces: { item: [kind, length], before: pieces } }
  return { ...state, pieces: { ...pieces, item: [kind, pieces.item[1] + length] } }
}

function withLogprobs(state: ReplyState, item: readonly unknown[] | undefined): ReplyState {
  if (!item) return state
  const logprobsSize = state.logprobsSize + JSON.stringify(item).length
  const logprobs = logprobsSize > mostLogprobs ? undefined : { item, before: state.logprobs }
  return { ...state, logprobsSize, logprobs }
}

/** In characters of JSON. A reply with more of them is told without: a stream has brought them already. */
const mostLogprobs = 64 * 1024 * 1024

export function endOf({ pieces, logprobs, start }: ReplyState, reply: ModelReply): ReplyEnd {
  const { text, thinking, calls, usage, reason, details } = reply
  const inOrder = start.request.stream ? listOf(pieces) : []
  // Thoughts and then a text need no order.
  const isMixed = inOrder.length > 2 || inOrder[1]?.[0] === 'thinking'
  return {
    text,
    thinking,
    calls,
    usage,
    reason,
    details,
    logprobs: logprobs && listOf(logprobs).flat(),
    pieces: isMixed ? inOrder : undefined,
  }
}

function listOf<Item>(chain: Chain<Item> | undefined): Item[] {
  const items: Item[] = []
  for (let at = chain; at; at = at.before) items.push(at.item)
  return items.reverse()
}
