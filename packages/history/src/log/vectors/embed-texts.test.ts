import { describe, expect, it } from 'vitest'
import { embedTexts } from './embed-texts.ts'

function asking(embed: (texts: readonly string[]) => unknown, waitMs = 1000) {
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const found = (texts: readonly string[], length?: number) =>
    embedTexts({ embed: async texts => embed(texts) as never, waitMs, onError }, texts, length)
  return { found, errors }
}

const numbers = (text: string) => [text.length, -1, 0]

describe('embedTexts', () => {
  it('gives vectors of small integers, in the order of the texts', async () => {
    const { found } = asking(texts => texts.map(numbers))
    expect(await found(['a', 'abcd'])).toEqual([
      Int8Array.of(127, -127, 0),
      Int8Array.of(127, -32, 0),
    ])
  })

  it('takes typed arrays, and a vector of zeros for none', async () => {
    const { found } = asking(() => [Float32Array.of(0, 0), Float32Array.of(0.5, -1)])
    expect(await found(['a', 'b'])).toEqual(['none', Int8Array.of(64, -127)])
  })

  it.each([
    ['no list', null],
    ['too few', [[1]]],
    ['not a number', [[1], [Number.NaN]]],
    ['endless', [[1], [Number.POSITIVE_INFINITY]]],
    ['texts', [['1'], ['2']]],
    ['different lengths', [[1, 2], [1]]],
    ['empty', [[], []]],
    ['strings', ['ab', 'cd']],
    ['nothing', [undefined, null]],
    ['far too long', [new Float32Array(9000), new Float32Array(9000)]],
    [
      'another length than before',
      [
        [1, 2, 3, 4],
        [1, 2, 3, 5],
      ],
    ],
  ])('refuses an answer that is %s, and says so', async (_, answer) => {
    const { found, errors } = asking(() => answer)
    expect(await found(['a', 'b'], 3)).toEqual([undefined, undefined])
    expect(errors).toEqual([
      expect.objectContaining({ name: 'EmbedError', code: 'invalid_vector' }),
    ])
  })

  it('finds the one text that is refused, and gives all others their vectors', async () => {
    const { found } = asking(texts => {
      if (texts.includes('bad')) throw new Error('400')
      return texts.map(numbers)
    })
    const none = 'none'
    expect(await found(['a', 'bad', 'c'])).toEqual([
      Int8Array.of(127, -127, 0),
      none,
      expect.any(Int8Array),
    ])
    expect((await found(['bad', 'b']))[0]).toBe(none)
  })

  it('gives up soon where the embedder is away, and keeps nothing against the texts', async () => {
    let calls = 0
    const { found } = asking(() => {
      calls += 1
      throw new Error('away')
    })
    expect(await found(Array.from({ length: 50 }, (_, n) => `${n}`))).toEqual(
      new Array(50).fill(undefined),
    )
    expect(calls).toBe(3)
  })

  it('waits no longer than it may, also for one that never answers or blocks its signal', async () => {
    const { found, errors } = asking(() => new Promise(() => undefined), 20)
    expect(await found(['a', 'b'])).toEqual([undefined, undefined])
    expect(errors).toEqual([expect.objectContaining({ code: 'embed_timeout' })])
  })

  it('survives a report that throws', async () => {
    const onError = () => {
      throw new Error('report')
    }
    const embed = () => Promise.reject(new Error('away'))
    expect(await embedTexts({ embed, waitMs: 1000, onError }, ['a'], undefined)).toEqual([
      undefined,
    ])
  })
})
