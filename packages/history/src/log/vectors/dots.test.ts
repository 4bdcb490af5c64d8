import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dots } from './dots.ts'
import { longest } from './embed-texts.ts'
import { chunkSize } from './vector-chunk.ts'

/** By the definition, one number after the other. */
const defined: typeof dots = (asked, row) =>
  Int32Array.from({ length: row.length / asked.length }, (_, at) =>
    asked.reduce((sum, number, n) => sum + number * row[at * asked.length + n]!, 0),
  )

/** Numbers of all sizes, the same for the same seed. */
function numbers(length: number, seed: number): Int8Array {
  let state = seed
  return Int8Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state >>> 24
  })
}

describe('products of vectors', () => {
  it('are those of the definition, for any numbers', () => {
    const extreme = fc.constantFrom(-128, -127, 127)
    const number = fc.oneof(fc.integer({ min: -128, max: 127 }), extreme)
    const length = fc.integer({ min: 1, max: 70 })
    const vectors = fc.tuple(length, fc.integer({ min: 0, max: 5 })).chain(([length, count]) => {
      const some = (size: number) => fc.array(number, { minLength: size, maxLength: size })
      return fc.tuple(some(length), some(length * count))
    })
    fc.assert(
      fc.property(vectors, ([one, others]) => {
        const [asked, row] = [Int8Array.from(one), Int8Array.from(others)]
        expect(dots(asked, row)).toEqual(defined(asked, row))
      }),
      { numRuns: 300 },
    )
  })

  it('are those of the definition, for all lengths, also after longer ones', () => {
    for (let length = 1100; length > 0; length--) {
      const [asked, row] = [numbers(length, length), numbers(3 * length, 7 * length)]
      const expected = defined(asked, row)
      // Each number by itself: to compare lists is slow.
      expect(dots(asked, row).every((product, at) => product === expected[at])).toBe(true)
    }
  })

  it.each([
    [127, 127],
    [-127, 127],
    [-128, -128],
  ])('do not overflow with as many as there can be: %i times %i', (a, b) => {
    const products = dots(
      new Int8Array(longest).fill(a),
      new Int8Array(chunkSize * longest).fill(b),
    )
    expect([products.length, ...new Set(products)]).toEqual([chunkSize, a * b * longest])
  })
})
