import type { Meaning, Transcript } from '../../../context/conversation/transcript.ts'
import { isOrdinary } from '../../../context/conversation/unit.ts'
import * as ranking from '../../../context/recall/ranking.ts'

/** Finds the vector of an entry by its place, as it was known when the entry at another place was the newest. */
export type VectorAt = (seq: number, asOf: number) => Int8Array | undefined

/** Cosines are compared as integers of this fraction. */
const fine = 10_000

/**
 * Models differ in how alike they find two texts that have nothing to do with each other, so what counts is how far a unit
 * stands out among all: from `outstanding` standard deviations above the mean on, and in full after `span` more.
 */
const outstanding = 0.5
const span = 2.5

/** The least deviation: where all are nearly equal, none stands out. */
const leastDeviation = 0.02 * fine

/** Fewer units say nothing about what is usual. */
const fewest = 8

/**
 * The meaning of a transcript's units. A unit that means the same as the message counts as if it had all of its words,
 * times `weight`; one beside it gets a part, as with words. `lead`: how many entries stand before the transcript.
 */
export function meaningOf(transcript: Transcript, lead: number, weight: number, vectorAt: VectorAt): Meaning {
  const place = (entry: number) => lead + entry + 1
  /** The units of the last message that were found by their meaning more than by their words. */
  let meant: { readonly user: number; readonly units: ReadonlySet<number> } | undefined

  return {
    add(user, { scores, whole }) {
      const close = new Set<number>()
      meant = { user, units: close }
      const shares = sharesOf(transcript, user, place, vectorAt)
      const mean = transcript.costBefore[user]! / Math.max(1, user)
      const sums = new Map(scores.units.map((unit, at) => [unit, scores.values[at]!]))
      for (let unit = 0; unit < shares.length; unit++) {
        const beside = Math.max(shares[unit - 1] ?? 0, shares[unit + 1] ?? 0)
        const share = shares[unit]! + ranking.beside * beside
        const { kind, tokens } = transcript.units[unit]!
        if (share === 0 || !isOrdinary({ kind })) continue
        // A long unit must earn its place; a short one gets no more for that.
        const size = Math.min(1, Math.max(1, mean) / Math.max(1, tokens)) ** ranking.length
        const value = Math.round(weight * share * size * whole)
        const found = sums.get(unit) ?? 0
        if (value > found) close.add(unit)
        sums.set(unit, found + value)
      }
      return { units: [...sums.keys()], values: Float64Array.from(sums.values()) }
    },
    why: (user, unit) =>
      meant?.user === user && meant.units.has(unit) ? 'close in meaning to the message' : undefined,
  }
}

const nothing = new Float64Array(0)

/** How far each unit before a message stands out, from 0 to 1; empty where nothing can be compared. */
function sharesOf(
  { units }: Transcript,
  user: number,
  place: (entry: number) => number,
  vectorAt: VectorAt,
): Float64Array {
  const asOf = place(units[user]!.from)
  const asked = vectorAt(asOf, asOf)
  if (!asked) return nothing
  const own = squareOf(asked)
  const shares = new Float64Array(user).fill(Number.NEGATIVE_INFINITY)
  let [count, sum, squares] = [0, 0, 0]
  for (let unit = 0; unit < user; unit++) {
    const { from, to } = units[unit]!
    for (let entry = from; entry < to; entry++) {
      const vector = vectorAt(place(entry), asOf)
      if (vector?.length !== asked.length) continue
      const cosine = Math.round((fine * dot(asked, vector)) / Math.sqrt(own * squareOf(vector)))
      shares[unit] = Math.max(shares[unit]!, cosine)
    }
    const best = shares[unit]!
    if (best === Number.NEGATIVE_INFINITY) continue
    count += 1
    sum += best
    squares += best * best
  }
  if (count < fewest) return nothing
  const mean = sum / count
  const deviation = Math.max(leastDeviation, Math.sqrt(Math.max(0, squares / count - mean * mean)))
  for (let unit = 0; unit < user; unit++) {
    const above = (shares[unit]! - mean) / deviation - outstanding
    shares[unit] = Math.max(0, Math.min(1, above / span))
  }
  return shares
}

/** The sums of squares of vectors: each is asked for in every turn. */
const known = new WeakMap<Int8Array, number>()

function squareOf(vector: Int8Array): number {
  const found = known.get(vector)
  if (found !== undefined) return found
  const sum = dot(vector, vector)
  known.set(vector, sum)
  return sum
}

/** Four sums side by side take half of the time of one. All are integers, at most 127² · 8192, exact on every engine. */
function dot(a: Int8Array, b: Int8Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0]
  const whole = a.length & ~3
  for (let at = 0; at < whole; at += 4) {
    first = (first + Math.imul(a[at]!, b[at]!)) | 0
    second = (second + Math.imul(a[at + 1]!, b[at + 1]!)) | 0
    third = (third + Math.imul(a[at + 2]!, b[at + 2]!)) | 0
    fourth = (fourth + Math.imul(a[at + 3]!, b[at + 3]!)) | 0
  }
  for (let at = whole; at < a.length; at++) first += a[at]! * b[at]!
  return first + second + third + fourth
}
