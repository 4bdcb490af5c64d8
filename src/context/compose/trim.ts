import { cutMark, markerText } from '../../log/texts.ts'
import { withResultTexts, withText } from '../../log/write-message.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import { totalTokens } from '../draft/cost.ts'
import { type Frame, type Piece, rewritten } from '../draft/frame.ts'

/** A text of a piece that may be cut: the message's own, or one of its tool results. */
interface Text {
  readonly place: number
  /** The place of the tool result, or `ownText`. */
  readonly result: number
  readonly text: string
  readonly tokens: number
}

const ownText = -1

/**
 * Cuts the longest texts in their middle until everything fits: all to one common length, so that short texts stay
 * whole. Returns undefined when that is not enough. Calls, images and tool schemas are never touched; with `trim-results`
 * only results of tools are.
 */
export function trimPieces(frame: Frame, pieces: readonly Piece[]): readonly Piece[] | undefined {
  const texts = pieces.flatMap((piece, place) => textsOf(frame, piece, place))
  const textTokens = texts.reduce((sum, text) => sum + text.tokens, 0)
  const room = frame.capacity - (totalTokens(frame, pieces) - textTokens)
  let level = commonLength(texts, room)
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

/** The length to cut the longest texts to, so that all together have at most `room`. */
function commonLength(texts: readonly Text[], room: number): number {
  const sorted = texts.map(text => text.tokens).sort((a, b) => a - b)
  let left = room
  for (const [index, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index))
    if (length > share) return Math.max(0, share)
    left -= length
  }
  return sorted.at(-1) ?? 0
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
    const own = shorter.get(ownText)
    const said = own === undefined ? piece.raw : withText(piece.raw, own)
    const raw = shorter.size > (own === undefined ? 0 : 1) ? withResultTexts(said, shorter) : said
    cut[place] = rewritten(frame, { ...piece, altered: { rule: 'trim', why } }, raw)
  }
  return cut
}

/** Keeps a marker that was joined to a text from being cut away with the text's middle. */
function cutVisibly(frame: Frame, piece: Piece, text: string, level: number): string {
  const shorter = cutMiddle(text, level, frame.count)
  const hadMarker = piece.carries?.some(({ part }) => part === 'marker')
  if (!hadMarker || shorter === '' || shorter.includes(markerText)) return shorter
  const head = `${markerText}\n\n`
  const rest = cutMiddle(text.replace(markerText, ''), level - frame.count.text(head), frame.count)
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

const maxAttempts = 30

/**
 * Cuts a text in its middle, visibly, to at most `limit` tokens; returns '' when not even the mark fits.
 * Beginning and end stay: they say what the text is and what it wants.
 */
function cutMiddle(text: string, limit: number, count: TokenCounter): string {
  const whole = count.text(text)
  if (whole <= limit) return text
  const mark = cutMark(whole)
  const free = limit - count.text(mark)
  if (free < 0) return ''
  // Tokens are spread about evenly, so the first guess is close and few corrections, each a costly count, are needed.
  let characters = Math.floor((text.length / whole) * free)
  for (let attempt = 0; attempt < maxAttempts && characters > 0; attempt++) {
    const tokens = count.text(keep(text, characters, mark))
    if (tokens <= limit) return keep(text, characters, cutMark(whole - free))
    characters = Math.floor(characters * Math.min(0.98, (limit / tokens) * 0.98))
  }
  return keep(text, 0, mark)
}

/** Keeps two thirds from the beginning and one third from the end. */
function keep(text: string, characters: number, mark: string): string {
  const head = Math.ceil((characters * 2) / 3)
  const tail = text.length - (characters - head)
  return sliceWhole(text, 0, head) + mark + sliceWhole(text, tail, text.length)
}

/** A slice that never begins or ends inside a surrogate pair. */
function sliceWhole(text: string, from: number, to: number): string {
  const splits = (at: number) => (text.codePointAt(at - 1) ?? 0) > 0xffff
  return text.slice(splits(from) ? from + 1 : from, splits(to) ? to - 1 : to)
}
