import { isOrdinary, type Meaning, type Transcript } from '@throughline/core/conversation'
import { ranking } from '@throughline/core/recall'
import { type Chunks, cosinesAt, fine } from './cosines.ts'

/** A unit counts from `outstanding` deviations above the mean, fully after `span` more: what is usual depends on the model. */
const outstanding = 0.5
const span = 2.5

/** The least deviation: where all are nearly equal, none stands out. */
const leastDeviation = 0.02 * fine

/** Fewer units say nothing about what is usual. */
const fewest = 8

/**
 * A unit that means the same as the message counts as if it had all of its words, times `weight`; its neighbours in part.
 * `lead`: how many entries of the log come before the transcript.
 */
export function meaningOf(
  transcript: Transcript,
  lead: number,
  weight: number,
  chunks: Chunks,
): Meaning {
  /** By unit: whether the last message found it by its meaning more than by its words. */
  let meant: { readonly user: number; readonly isMeant: Uint8Array } | undefined

  return {
    add(user, { scores, whole }) {
      const isMeant = new Uint8Array(user)
      meant = { user, isMeant }
      const shares = sharesOf(transcript, lead, user, chunks)
      const sizeOf = sizesFor(transcript.costBefore[user]! / Math.max(1, user))
      const units = [...scores.units]
      const values = new Float64Array(units.length + shares.length)
      values.set(scores.values)
      /** By unit: its place in these lists, from 1 on. */
      const listed = new Uint32Array(user)
      for (const [at, unit] of units.entries()) listed[unit] = at + 1
      for (let unit = 0; unit < shares.length; unit++) {
        const beside = Math.max(shares[unit - 1] ?? 0, shares[unit + 1] ?? 0)
        const share = shares[unit]! + ranking.beside * beside
        if (share === 0 || !isOrdinary(transcript.units[unit]!)) continue
        const value = Math.round(weight * share * sizeOf(transcript.units[unit]!.tokens) * whole)
        const at = (listed[unit] || units.push(unit)) - 1
        if (value > values[at]!) isMeant[unit] = 1
        values[at]! += value
      }
      return { units, values: values.slice(0, units.length) }
    },
    why: (user, unit) =>
      meant?.user === user && meant.isMeant[unit] ? 'close in meaning to the message' : undefined,
  }
}

/** The factor for a number of tokens: a long unit must earn its place; a short one gets no more for that. */
function sizesFor(mean: number): (tokens: number) => number {
  // Powers are slow, and most units share their number of tokens with others.
  const cache = new Map<number, number>()
  return tokens => {
    const cached = cache.get(tokens)
    if (cached !== undefined) return cached
    const size = Math.min(1, Math.max(1, mean) / Math.max(1, tokens)) ** ranking.length
    cache.set(tokens, size)
    return size
  }
}

const nothing = new Float64Array(0)

/** How far each unit before a message stands out, from 0 to 1; empty where nothing can be compared. */
function sharesOf({ units }: Transcript, lead: number, user: number, chunks: Chunks): Float64Array {
  const cosines = cosinesAt(chunks, lead + units[user]!.from + 1)
  if (!cosines) return nothing
  const shares = new Float64Array(user)
  let [count, sum, squares] = [0, 0, 0]
  for (let unit = 0; unit < user; unit++) {
    const { from, to } = units[unit]!
    let best = Number.NEGATIVE_INFINITY
    for (let entry = from; entry < to; entry++) best = Math.max(best, cosines[lead + entry]!)
    shares[unit] = best
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
