import type { Scores, Transcript, UnitKind } from '@throughline/core/conversation'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { meaningOf } from './meaning.ts'
import { chunkSize, toChunk, type VectorChunk } from './vector-chunk.ts'

interface Entry {
  readonly since: number
  readonly vector: readonly number[] | undefined
}

interface Case {
  readonly lead: number
  readonly entries: readonly Entry[]
  /** By unit: its kind, how many entries it has, and its tokens. */
  readonly shapes: readonly (readonly [kind: UnitKind, size: number, tokens: number])[]
  readonly words: Scores
}

const length = 5
const weight = 0.7
const whole = 5000

/** About one in eight has no vector, and one in eight a vector that counts only later. */
const entry: fc.Arbitrary<Entry> = fc.record({
  since: fc.oneof({ weight: 7, arbitrary: fc.constant(1) }, fc.integer({ min: 0, max: 600 })),
  vector: fc.oneof(
    {
      weight: 7,
      arbitrary: fc
        .array(fc.integer({ min: -127, max: 127 }), { minLength: length, maxLength: length })
        .filter(numbers => numbers.some(number => number !== 0)),
    },
    fc.constant(undefined),
  ),
})

const cases: fc.Arbitrary<Case> = fc.integer({ min: 1, max: 200 }).chain(count =>
  fc.record({
    lead: fc.integer({ min: 0, max: 3 }),
    // Enough for all units, whatever their sizes.
    entries: fc.array(entry, { minLength: 3 * count + 4, maxLength: 3 * count + 4 }),
    shapes: fc.array(
      fc.tuple(
        fc.constantFrom<UnitKind>('user', 'assistant', 'tools', 'system', 'note'),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 0, max: 90 }),
      ),
      { minLength: count, maxLength: count },
    ),
    words: fc.uniqueArray(fc.integer({ min: 0, max: count - 1 }), { maxLength: 9 }).map(units => ({
      units: units.filter(unit => unit < count - 1),
      values: Float64Array.from(
        units.filter(unit => unit < count - 1),
        unit => (unit * 97) % 700,
      ),
    })),
  }),
)

function transcriptOf({ shapes }: Case): Transcript {
  let next = 0
  const units = shapes.map(([kind, size, tokens]) => {
    next += size
    return { kind, tokens, from: next - size, to: next }
  })
  const costBefore = [0]
  for (const { tokens } of units) costBefore.push(costBefore.at(-1)! + tokens)
  return { units, costBefore } as unknown as Transcript
}

function chunksOf(entries: readonly Entry[]): readonly VectorChunk[] {
  return Array.from({ length: Math.ceil(entries.length / chunkSize) }, (_, number) => {
    const some = entries.slice(number * chunkSize, (number + 1) * chunkSize)
    const since = new Uint32Array(chunkSize)
    since.set(some.map(({ since }) => since))
    return toChunk(
      since,
      some.map(({ vector }) => vector && Int8Array.from(vector)),
    )
  })
}

/** What is added, by the definition: unit by unit, number by number. */
function defined({ units, costBefore }: Transcript, { lead, entries, words }: Case, user: number) {
  const asOf = lead + units[user]!.from + 1
  const known = (place: number) => {
    const { since, vector } = entries[place - 1]!
    return since <= asOf ? vector : undefined
  }
  const times = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, one, at) => sum + one * b[at]!, 0)
  const asked = known(asOf)
  const sums = new Map(words.units.map((unit, at) => [unit, words.values[at]!]))
  const close: number[] = []
  const cosines = units.slice(0, user).map(({ from, to }) => {
    let best = Number.NEGATIVE_INFINITY
    for (let place = lead + from + 1; place <= lead + to; place++) {
      const other = known(place)
      if (!asked || !other) continue
      const length = Math.sqrt(times(asked, asked) * times(other, other))
      best = Math.max(best, Math.round((10_000 * times(asked, other)) / length))
    }
    return best
  })
  const all = cosines.filter(cosine => cosine > Number.NEGATIVE_INFINITY)
  if (all.length >= 8) {
    const mean = all.reduce((sum, one) => sum + one, 0) / all.length
    const spread = all.reduce((sum, one) => sum + one * one, 0) / all.length - mean * mean
    const deviation = Math.max(200, Math.sqrt(Math.max(0, spread)))
    const shares = cosines.map(one =>
      Math.max(0, Math.min(1, ((one - mean) / deviation - 0.5) / 2.5)),
    )
    const usual = Math.max(1, costBefore[user]! / user)
    for (const [unit, { kind, tokens }] of units.slice(0, user).entries()) {
      const share = shares[unit]! + 0.4 * Math.max(shares[unit - 1] ?? 0, shares[unit + 1] ?? 0)
      if (share === 0 || kind === 'system' || kind === 'note') continue
      const size = Math.min(1, usual / Math.max(1, tokens)) ** 0.35
      const value = Math.round(weight * share * size * whole)
      if (value > (sums.get(unit) ?? 0)) close.push(unit)
      sums.set(unit, (sums.get(unit) ?? 0) + value)
    }
  }
  return { units: [...sums.keys()], values: [...sums.values()], close }
}

describe('meaning', () => {
  it('adds what its definition says, to the last bit', () => {
    let found = 0
    fc.assert(
      fc.property(cases, given => {
        const transcript = transcriptOf(given)
        const user = transcript.units.length - 1
        const meaning = meaningOf(transcript, given.lead, weight, chunksOf(given.entries))
        const { units, values } = meaning.add(user, { scores: given.words, whole })
        const close = transcript.units.flatMap((_, unit) => (meaning.why(user, unit) ? [unit] : []))
        expect({ units, values: [...values], close }).toEqual(defined(transcript, given, user))
        found += close.length
      }),
    )
    // It is about vectors that do find something.
    expect(found).toBeGreaterThan(100)
  })

  it('compares no vectors of different lengths', () => {
    const vectors = Array.from({ length: chunkSize }, (_, at) => Int8Array.of(at - 60, 127))
    const since = new Uint32Array(chunkSize).fill(1)
    const other = toChunk(since, [Int8Array.of(1, 127, 5)])
    const transcript = transcriptOf({
      lead: 0,
      entries: [],
      words: { units: [], values: new Float64Array() },
      shapes: Array.from({ length: chunkSize + 1 }, () => ['user', 1, 9] as const),
    })
    const added = (last: VectorChunk) =>
      meaningOf(transcript, 0, weight, [toChunk(since, vectors), last]).add(chunkSize, {
        scores: { units: [], values: new Float64Array() },
        whole,
      }).units.length
    expect(added(other)).toBe(0)
    expect(added(toChunk(since, [Int8Array.of(1, 127)]))).toBeGreaterThan(0)
  })
})
