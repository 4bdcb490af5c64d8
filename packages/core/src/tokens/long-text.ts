import { isAsciiWord } from '../log/word-characters.ts'

/**
 * Counts a text of any length in pieces, for a tokenizer whose work grows with the square of a run of letters.
 *
 * Pieces end where no tokenizer of the tiktoken family joins two characters: between a letter or digit and a character
 * that is neither. There the counts of the pieces add up exactly. Where 512 characters have no such place (one letter
 * repeated, random letters, lines of signs), the cut is made where both sides seem independent: a few of a thousand such
 * cuts are off by a token.
 */
export function countLongText(text: string, count: (text: string) => number): number {
  let tokens = 0
  let start = 0
  while (text.length - start > pieceLength) {
    const end = safeCut(text, start) ?? likelyCut(text, start, count)
    tokens += count(text.slice(start, end))
    start = end
  }
  return tokens + count(start === 0 ? text : text.slice(start))
}

/** Characters per piece: long enough that the cuts cost nothing. */
const pieceLength = 512

/** Characters per piece in a run without a safe cut: the square of it is small, and tokens of repeated signs are powers of two. */
const runLength = 256

/** Characters looked at on either side of a cut: tokens are nearly always shorter. */
const neighbourhood = 32

function safeCut(text: string, start: number): number | undefined {
  for (let at = start + pieceLength; at > start; at--) {
    if (isWordEnd(text.charCodeAt(at - 1), text.charCodeAt(at))) return at
  }
  return undefined
}

function isWordEnd(before: number, after: number): boolean {
  const ends =
    isAsciiWord(before) || (before > 127 && /[\p{L}\p{N}]/u.test(String.fromCharCode(before)))
  if (!ends || isAsciiWord(after)) return false
  // An apostrophe may begin a contraction (`don't`), and a mark changes the letter before it.
  return after < 128
    ? after !== 39
    : !/[\p{L}\p{N}\p{M}\p{Surrogate}]/u.test(String.fromCharCode(after))
}

/** The last place where the text around it has the same count whole and in two halves. */
function likelyCut(text: string, start: number, count: (text: string) => number): number {
  const end = start + runLength
  // One sign repeated: every place is as good, and the run's length decides (see `runLength`).
  if (text.slice(end - neighbourhood, end) === text[end]?.repeat(neighbourhood)) return end
  for (let at = end; at > end - neighbourhood; at--) {
    if (splitsPair(text, at) || splitsNumber(text, start, at)) continue
    const left = text.slice(at - neighbourhood, at)
    const right = text.slice(at, at + neighbourhood)
    if (count(left + right) === count(left) + count(right)) return at
  }
  return splitsPair(text, end) ? end - 1 : end
}

/** Whether a cut would split a group of digits: tokenizers take them by three from the first digit on. */
function splitsNumber(text: string, start: number, at: number): boolean {
  let first = at
  while (first > start && /\p{N}/u.test(text[first - 1]!)) first--
  return (at - first) % 3 !== 0
}

function splitsPair(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code < 0xe000
}
