import type { MessageLike } from '../log/message.ts'
import type { Finished } from './compose/finish.ts'
import type { PreviousContext } from './context.ts'
import type { SharedPrefix } from './receipt.ts'

/** The common beginning of a context and the previous one, which a model server with a prompt cache need not read again. */
export function sharedPrefix<M extends MessageLike>(
  { pieces, tokens, draft }: Finished<M>,
  { messages, receipt }: PreviousContext,
): SharedPrefix {
  const { count, toolTokens } = draft.frame
  // Tools stand at the beginning of a prompt: if they differ, nothing is shared.
  const isSameStart = (receipt?.parts.tools ?? 0) === toolTokens && isSame(pieces[0]?.raw, messages[0])
  let shared = isSameStart ? count.prompt + toolTokens : 0
  for (const [place, piece] of isSameStart ? pieces.entries() : []) {
    if (!isSame(piece.raw, messages[place])) break
    shared += piece.tokens
  }
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
