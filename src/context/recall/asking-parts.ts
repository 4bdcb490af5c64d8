import { isQuestion } from './effort.ts'
import { isCommon, termsOf } from './terms.ts'

/** A part with fewer different terms is joined to its neighbour, as it would match anything. */
const fewestTerms = 3

/** The most parts: each is ranked by itself, and more would cost more than they bring. */
const mostParts = 3

/** The sentences and clauses of a message that ask for something, where it has several parts. */
export function askingParts(text: string): readonly string[] {
  const parts: string[] = []
  let held = ''
  let terms = new Set<string>()
  for (const piece of text.replace(ends, '$1$2\n').split('\n')) {
    if (piece.trim() === '') continue
    held = held ? `${held} ${piece}` : piece
    for (const term of termsOf(piece)) terms.add(term)
    if (terms.size < fewestTerms) continue
    parts.push(held)
    held = ''
    terms = new Set()
  }
  if (held && parts.length > 0) parts[parts.length - 1] += ` ${held}`
  if (parts.length < 2) return []
  const asking = parts.filter(isQuestion)
  if (asking.length <= mostParts) return asking
  const telling = asking.map(part => new Set(termsOf(part).filter(term => !isCommon(term))).size)
  const order = [...asking.keys()].sort((a, b) => telling[b]! - telling[a]! || a - b)
  return order.slice(0, mostParts).map(at => asking[at]!)
}

/** The end of a sentence or a clause: a mark with its closing quotes before a blank, or a Chinese mark. Never backtracks. */
const ends = /([.?!;:…]["'”’)\]*_]*)\s+|([。！？；：])/gu
