import { cutMark } from '../../log/texts.ts'
import { withResultTexts, withText } from '../../log/write-message.ts'
import { commonLength, cutMiddle } from '../../tokens/cut-middle.ts'
import { totalTokens } from '../draft/cost.ts'
import type { Frame } from '../draft/frame.ts'
import { type Piece, rewritten } from '../draft/piece.ts'

/** A text of a piece that may be cut: the message's own, or one of its tool results. */
interface Text {
  readonly place: number
  /** The place of the tool result, or `ownText`. */
  readonly result: number
  readonly text: string
  readonly tokens: number
}

const ownText = -1

/** Cuts the longest texts and results (`trim-results`: only results) in the middle to one length; undefined if it is not enough. */
export function trimPieces(frame: Frame, pieces: readonly Piece[]): readonly Piece[] | undefined {
  const texts = pieces.flatMap((piece, place) => textsOf(frame, piece, place))
  const textTokens = texts.reduce((sum, text) => sum + text.tokens, 0)
  const room = frame.capacity - (totalTokens(frame, pieces) - textTokens)
  let level = commonLength(
    texts.map(text => text.tokens),
    room,
  )
  while (level >= 0) {
    const longer = texts.filter(text => text.tokens > level)
    const cut = cutTo(frame, pieces, longer, level)
    // Not even the mark of the cut fits, and a text must not vanish in silence.
    if (!cut) return undefined
    const excess = totalTokens(frame, cut) - frame.capacity
    if (excess <= 0) return cut
    // A cut text can cost a token or two more inside its message than alone.
    level = level === 0 ? -1 : Math.max(0, level - Math.ceil(excess / Math.max(1, longer.length)))
  }
  return undefined
}

function cutTo(frame: Frame, pieces: readonly Piece[], longer: readonly Text[], level: number) {
  const cut = [...pieces]
  for (let at = 0; at < longer.length; ) {
    const { place } = longer[at]!
    const piece = pieces[place]!
    const shorter = new Map<number, string>()
    let cutFrom = 0
    for (; longer[at]?.place === place; at++) {
      const { result, text, tokens } = longer[at]!
      const rest = cutVisibly(frame, piece, text, level)
      if (rest === '') return undefined
      shorter.set(result, rest)
      cutFrom = tokens
    }
    const why = `cut in its middle from ${cutFrom} to ${level} tokens: the window is too small`
    const text = shorter.get(ownText)
    const message = text === undefined ? piece.raw : withText(piece.raw, text)
    const raw = shorter.size > (text === undefined ? 0 : 1) ? withResultTexts(message, shorter) : message
    cut[place] = rewritten(frame, { ...piece, altered: { rule: 'trim', why } }, raw)
  }
  return cut
}

/** Keeps a marker that was joined to a text from being cut away with the text's middle. */
function cutVisibly(frame: Frame, piece: Piece, text: string, level: number): string {
  const shorter = cutMiddle(text, level, frame.count, cutMark)
  const hadMarker = piece.carries?.some(({ part }) => part === 'marker')
  if (!hadMarker || shorter === '' || shorter.includes(frame.marker)) return shorter
  const head = `${frame.marker}\n\n`
  const rest = cutMiddle(
    text.replace(frame.marker, () => ''),
    level - frame.count.text(head),
    frame.count,
    cutMark,
  )
  return rest === '' ? '' : head + rest
}

function textsOf(frame: Frame, { message, part }: Piece, place: number): readonly Text[] {
  if (part === 'marker') return []
  const toText = ({ text }: { text: string }, result: number) => {
    return { place, result, text, tokens: frame.count.text(text) }
  }
  const results = message.results.map(toText)
  const isOnlyResults = message.role === 'tool' || frame.overflow === 'trim-results'
  return isOnlyResults ? results : [toText(message, ownText), ...results]
}
