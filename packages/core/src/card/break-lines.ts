import type { TextPlace } from '../context/why/why-recall.ts'

/** A part of a line, and whether it is marked. */
export interface LinePart {
  readonly text: string
  readonly isMarked: boolean
}

export interface Line {
  readonly parts: readonly LinePart[]
  /** Whether the text is read from right to left. */
  readonly isReversed: boolean
}

interface LineOptions {
  /** In pixels, as the size of the type. */
  readonly width: number
  readonly size: number
  readonly isBold?: boolean
  readonly most: number
  readonly marks?: readonly TextPlace[]
}

/**
 * Breaks a text into lines by widths of our own, as a picture cannot ask its type: these are a little wide for every system.
 * A word that is too long is broken between characters as people see them. What has no room ends with an ellipsis.
 */
export function breakLines(text: string, options: LineOptions): readonly Line[] {
  const { width, size, isBold = false, most, marks = [] } = options
  const em = width / size / (isBold ? 1.07 : 1)
  const isReversed = isRightToLeft(text)
  const lines: Piece[][] = [[]]
  let room = em
  for (const word of wordsOf(text.slice(0, longest))) {
    const isSpace = word[0]!.text === ' '
    const needs = widthOf(word)
    if (isSpace && lines.at(-1)!.length === 0) continue
    const isTooLong = needs > em
    if (needs > room && !isTooLong) {
      lines.push([])
      room = em
      if (isSpace) continue
    }
    for (const piece of word) {
      if (piece.width > room && lines.at(-1)!.length > 0) {
        lines.push([])
        room = em
      }
      lines.at(-1)!.push(piece)
      room -= piece.width
    }
    if (lines.length > most) break
  }
  const isCut = lines.length > most || text.length > longest
  const shown = lines.slice(0, most).filter(line => line.length > 0)
  const last = shown.at(-1)
  if (isCut && last) {
    while (last.length > 1 && widthOf(last) + 0.9 > em) last.pop()
    while (last.length > 1 && last.at(-1)!.text === ' ') last.pop()
    last.push({ text: '…', from: text.length, width: 0.9 })
  }
  return shown.map(line => ({ parts: partsOf(line, marks), isReversed }))
}

/** More of a text has no place in any picture. */
const longest = 2000

interface Piece {
  readonly text: string
  readonly from: number
  readonly width: number
}

const widthOf = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, piece) => sum + piece.width, 0)

/** Words and the white space between them, each as characters. */
function* wordsOf(text: string): Generator<readonly Piece[]> {
  let word: Piece[] = []
  for (const { segment, index } of segmenter.segment(text)) {
    const isSpace = /^\s/u.test(segment)
    const shown = isSpace ? ' ' : segment.replace(unseen, '')
    if (shown === '') continue
    const piece = { text: shown, from: index, width: characterWidth(shown) }
    if (isSpace || breaksAnywhere.test(shown)) {
      if (word.length > 0) yield word
      yield [piece]
      word = []
    } else word.push(piece)
  }
  if (word.length > 0) yield word
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** What XML cannot hold, and what would turn the direction of the words beside it. */
export const unseen = /[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu

/** Scripts that are written without spaces. */
const breaksAnywhere = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

const wide =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uff60]/u

/** The widest that common system types draw a character, in em. */
function characterWidth(character: string): number {
  if (/^\p{Extended_Pictographic}|^\p{Regional_Indicator}/u.test(character)) return 1.36
  if (wide.test(character)) return 1.02
  if (character === ' ') return 0.3
  if (/^[ijl.,:;|!'’`]/.test(character)) return 0.3
  if (/^[ftrIJ()[\]{}"“”\-/\\*]/.test(character)) return 0.44
  if (/^[mwMW@%—…]/.test(character)) return 0.96
  if (/^\p{Lu}/u.test(character)) return 0.73
  return 0.6
}

/** Neighbours with the same look as one part. */
function partsOf(line: readonly Piece[], marks: readonly TextPlace[]): readonly LinePart[] {
  const parts: LinePart[] = []
  for (const { text, from } of line) {
    const isMarked = marks.some(([start, end]) => start <= from && from < end)
    const last = parts.at(-1)
    if (last?.isMarked === isMarked) parts[parts.length - 1] = { text: last.text + text, isMarked }
    else parts.push({ text, isMarked })
  }
  return parts
}

/** Whether the first letter of a text is of a script that is read from right to left. */
export const isRightToLeft = (text: string): boolean =>
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(
    /\p{L}/u.exec(text)?.[0] ?? '',
  )
