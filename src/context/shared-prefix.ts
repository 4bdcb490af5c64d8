import type { MessageLike } from '../log/message.ts'
import type { Finished } from './compose/finish.ts'
import type { SharedPrefix } from './receipt.ts'

/** How much of a context begins as the one before did: what a model server that keeps its cache need not read again. */
export function sharedPrefix<M extends MessageLike>(
  { pieces, tokens, draft }: Finished<M>,
  previous: readonly object[],
): SharedPrefix {
  const { count, toolTokens } = draft.frame
  let shared = (count.prompt ?? 0) + toolTokens
  for (const [place, piece] of pieces.entries()) {
    if (!isSame(piece.raw, previous[place])) break
    shared += piece.tokens
  }
  return { tokens: Math.min(shared, tokens), share: tokens > 0 ? Math.min(1, shared / tokens) : 1 }
}

function isSame(a: object, b: object | undefined): boolean {
  return a === b || (b !== undefined && JSON.stringify(a) === JSON.stringify(b))
}
