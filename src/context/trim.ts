import type { MessageLike } from '../log/message.ts'
import { withResultText, withText } from '../log/write-message.ts'
import { cutMiddle } from './cut-middle.ts'
import type { Frame } from './frame.ts'
import { rewritten } from './make-piece.ts'
import type { Piece } from './piece.ts'
import { totalTokens } from './total.ts'

/** A text of a piece that may be cut: the message's own, or one of its tool results. */
interface Text {
  readonly place: number
  readonly result: number
  readonly text: string
  readonly tokens: number
}

/**
 * Cuts the longest texts in their middle until everything fits: all down to one common length, so that short texts
 * stay whole. Gives undefined when even that is not enough. Calls, images and tool schemas are never touched.
 */
export function trimPieces<M extends MessageLike>(
  frame: Frame<M>,
  pieces: readonly Piece<M>[],
): readonly Piece<M>[] | undefined {
  const texts = pieces.flatMap((piece, place) => textsOf(frame, piece, place))
  const longest = Math.max(0, ...texts.map(text => text.tokens))
  let best: readonly Piece<M>[] | undefined
  let low = 0
  let high = longest
  // The highest common length that fits, by halving: cutting to less never costs more.
  while (low <= high) {
    const level = (low + high) >> 1
    const cut = cutTo(frame, pieces, texts, level)
    if (totalTokens(frame, cut) <= frame.capacity) {
      best = cut
      low = level + 1
    } else high = level - 1
  }
  return best
}

function cutTo<M extends MessageLike>(
  frame: Frame<M>,
  pieces: readonly Piece<M>[],
  texts: readonly Text[],
  level: number,
): readonly Piece<M>[] {
  const cut = [...pieces]
  for (const { place, result, text, tokens } of texts) {
    if (tokens <= level) continue
    const piece = cut[place]!
    const shorter = cutMiddle(text, level, frame.count)
    const altered = {
      rule: 'trim',
      why: `cut in its middle from ${tokens} to ${level} tokens: the window is too small`,
    }
    const raw = result < 0 ? withText(piece.raw, shorter) : withResultText(piece.raw, result, shorter)
    cut[place] = rewritten(frame, { ...piece, altered }, raw)
  }
  return cut
}

function textsOf(frame: Frame, { message, part }: Piece, place: number): readonly Text[] {
  if (part === 'marker') return []
  const texts =
    message.role === 'tool'
      ? message.results.map(({ text }, result) => ({ text, result }))
      : [{ text: message.text, result: -1 }]
  return texts.map(({ text, result }) => ({ place, result, text, tokens: frame.count.text(text) }))
}
