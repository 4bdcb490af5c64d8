import { isQuestion } from './effort.ts'
import { isCommon, termsOf } from './terms.ts'

/** A part of fewer different terms is joined to its neighbour: it would match anything. */
const fewestTerms = 3

/** Each part is ranked by itself: more would cost more than they bring. */
const mostParts = 3

/** The sentences and clauses of a message that ask for something, where it has several parts. */
export function askingParts(text: string): readonly string[] {
  const parts: string[] = []
  let held = ''
  for (const piece of text.split(ends)) {
    if (piece.trim() === '') continue
    held = held ? `${held} ${piece}` : piece
    if (new Set(termsOf(held)).size < fewestTerms) continue
    parts.push(held)
    held = ''
  }
  if (held && parts.length > 0) parts[parts.length - 1] += ` ${held}`
  if (parts.length < 2) return []
  const asking = parts.filter(isQuestion)
  if (asking.length <= mostParts) return asking
  const telling = asking.map(part => new Set(termsOf(part).filter(term => !isCommon(term))).size)
  const order = [...asking.keys()].sort((a, b) => telling[b]! - telling[a]! || a - b)
  return order.slice(0, mostParts).map(at => asking[at]!)
}

/** After a mark that ends a sentence or a clause, and its closing quotes; at a line end; after a mark of Chinese. */
const ends = /(?<=[.?!;:…]["'”’)\]*_]*)\s+|\n+|(?<=[。！？；：])/u
