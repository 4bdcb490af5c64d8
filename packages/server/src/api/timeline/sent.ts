import type { TokenCounter } from '@throughline/core/counters'
import { type MessageLike, readMessage } from '@throughline/core/messages'
import type { Run } from '@throughline/history/calls'

/** What a model was sent: entries in a row by their first and last place, and other messages with their JSON and tokens. */
export type SentItem = Run | CountedMessage

export interface CountedMessage {
  readonly json: string
  readonly tokens: number
}

export interface Sent {
  readonly items: readonly SentItem[]
  /** The tokens of the tools, which stand at the beginning of a prompt: if they differ, nothing is shared. */
  readonly tools: number
}

/** Counts messages that are no entries. The counts of the previous prompt are kept, because most messages come again. */
export function createSentMessages(count: TokenCounter) {
  let previous = new Map<string, CountedMessage>()
  let next = new Map<string, CountedMessage>()
  return {
    of(message: MessageLike): CountedMessage {
      const json = JSON.stringify(message)
      const counted = next.get(json) ??
        previous.get(json) ?? { json, tokens: count.message(readMessage(message, 0)) }
      next.set(json, counted)
      return counted
    },
    /** Forgets what the last prompt did not have. */
    settle(): void {
      previous = next
      next = new Map()
    },
  }
}

/** `tokensUpTo`: running sums, [seq] is that of all entries up to one. */
export function sharedTokens(
  sent: Sent,
  before: Sent | undefined,
  tokensUpTo: readonly number[],
  framing: number,
): number {
  if (!before || before.tools !== sent.tools) return 0
  let tokens = 0
  let place = 0
  /** How many entries of the present stretch are shared so far. */
  let inside = 0
  for (const item of sent.items) {
    const other = before.items[place]
    if (other === undefined) break
    if (isMessage(item) || isMessage(other)) {
      if (!isMessage(item) || !isMessage(other) || item.json !== other.json) break
      tokens += item.tokens
      place += 1
      continue
    }
    if (item[0] !== other[0] + inside) break
    const last = Math.min(item[1], other[1])
    tokens += tokensUpTo[last]! - tokensUpTo[item[0] - 1]!
    if (last < item[1]) break
    inside = last === other[1] ? 0 : last - other[0] + 1
    if (inside === 0) place += 1
  }
  return tokens === 0 ? 0 : tokens + sent.tools + framing
}

const isMessage = (item: SentItem): item is CountedMessage => 'json' in item
