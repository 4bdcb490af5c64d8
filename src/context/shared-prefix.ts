import type { MessageLike } from '../log/message.ts'
import type { Finished } from './compose/finish.ts'
import type { PreviousContext } from './context.ts'
import { totalTokens } from './draft/cost.ts'
import type { SharedPrefix } from './receipt.ts'

/** The common beginning of a context and the previous one, which a model server with a prompt cache need not read again. */
export function sharedPrefix<M extends MessageLike>(
  { pieces, tokens, draft: { frame } }: Finished<M>,
  { messages, receipt }: PreviousContext,
): SharedPrefix {
  // Tools stand at the beginning of a prompt: if they differ, nothing is shared.
  const isSameStart = (receipt?.parts.tools ?? 0) === frame.toolTokens && isSame(pieces[0]?.raw, messages[0])
  const differs = pieces.findIndex((piece, place) => !isSame(piece.raw, messages[place]))
  const same = differs < 0 ? pieces : pieces.slice(0, differs)
  const shared = isSameStart ? totalTokens(frame, same) : 0
  return { tokens: Math.min(shared, tokens), share: tokens > 0 ? Math.min(1, shared / tokens) : 1 }
}

function isSame(a: object | undefined, b: object | undefined): boolean {
  if (a === b) return true
  try {
    return JSON.stringify(a) === JSON.stringify(b)
  } catch {
    // Messages that cannot be written as JSON count as different.
    return false
  }
}
