import { cutMark } from '../../log/texts.ts'
import { withResultTexts, withText } from '../../log/write-message.ts'
import { commonLength, cutMiddle } from '../../tokens/cut-middle.ts'
import type { Frame } from '../draft/frame.ts'
import { type Piece, rewritten } from '../draft/piece.ts'

/** A text of a piece that may be cut: what a user wrote, or one of its tool results. */
interface Text {
  readonly place: number
  /** The place of the tool result, or `ownText`. */
  readonly result: number
  readonly text: string
  readonly tokens: number
}

/** A text with the tokens that are left of it. */
interface CutText extends Text {
  readonly level: number
}

const ownText = -1

/** What is left of a text has at least this many tokens: the mark of the cut, and a few words on both sides. */
const leastLeft = 16

/** A cut text can cost a token or two more inside its message than alone, so a cut is corrected a few times. */
const mostAttempts = 16

/**
 * Cuts texts in their middle until `cost` fits: first tool results, all to one length; then, unless only results may be cut,
 * what users wrote before their newest message, the oldest first. Nothing else is ever cut: no system prompt, pin or note, no
 * newest request, nothing that a policy or a person protects. Undefined if that is not enough.
 */
export function trimPieces(
  frame: Frame,
  pieces: readonly Piece[],
  cost: (pieces: readonly Piece[]) => number,
): readonly Piece[] | undefined {
  const results = pieces.flatMap((piece, place) => resultsOf(frame, piece, place))
  const pastes = frame.overflow === 'trim' ? pastesIn(frame, pieces) : []
  let excess = cost(pieces) - frame.capacity
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const cuts = shareCuts(results, pastes, excess)
    const cut = cuts && cutTo(frame, pieces, cuts)
    if (!cut) return undefined
    const rest = cost(cut) - frame.capacity
    if (rest <= 0) return cut
    excess += rest
  }
  return undefined
}

/** Which texts are cut to what length, so that `excess` tokens go; undefined if that many cannot go. */
function shareCuts(results: readonly Text[], pastes: readonly Text[], excess: number) {
  const whole = results.reduce((sum, { tokens }) => sum + tokens, 0)
  const lengths = results.map(({ tokens }) => tokens)
  const level = Math.max(leastLeft, commonLength(lengths, Math.max(0, whole - excess)))
  const cuts: CutText[] = []
  let left = excess
  const cut = (text: Text, to: number) => {
    if (text.tokens <= to) return
    cuts.push({ ...text, level: to })
    left -= text.tokens - to
  }
  for (const text of results) cut(text, level)
  for (const text of pastes) if (left > 0) cut(text, Math.max(leastLeft, text.tokens - left))
  return left > 0 ? undefined : cuts
}

function cutTo(frame: Frame, pieces: readonly Piece[], cuts: readonly CutText[]) {
  const cut = [...pieces]
  const byPlace = new Map<number, CutText[]>()
  for (const one of cuts) byPlace.set(one.place, [])
  for (const one of cuts) byPlace.get(one.place)!.push(one)
  for (const [place, texts] of byPlace) {
    const shorter = new Map(
      texts.map(({ result, text, level }) => [
        result,
        cutMiddle(text, level, frame.count, cutMark),
      ]),
    )
    // Not even the mark of the cut fits, and a text must not vanish in silence.
    if ([...shorter.values()].includes('')) return undefined
    const piece = pieces[place]!
    const text = shorter.get(ownText)
    const raw = text === undefined ? withResultTexts(piece.raw, shorter) : withText(piece.raw, text)
    const { tokens, level } = texts[0]!
    const why = `cut in its middle from ${tokens} to ${level} tokens: the window is too small`
    cut[place] = rewritten(frame, { ...piece, altered: { rule: 'trim', why } }, raw)
  }
  return cut
}

function resultsOf(frame: Frame, { message, held }: Piece, place: number): readonly Text[] {
  if (held) return []
  return message.results.map(({ text }, result) => ({
    place,
    result,
    text,
    tokens: frame.count.text(text),
  }))
}

/** What users wrote before their newest message, oldest first. */
function pastesIn(frame: Frame, pieces: readonly Piece[]): readonly Text[] {
  const { transcript, origin, count } = frame
  const { units, latestUser } = transcript
  const newest = origin + (units[latestUser]?.from ?? -1)
  return pieces.flatMap(({ message, seqs, held, added }, place) => {
    const isPaste = message.role === 'user' && !added && !held && !seqs.includes(newest)
    return isPaste
      ? [{ place, result: ownText, text: message.text, tokens: count.text(message.text) }]
      : []
  })
}
