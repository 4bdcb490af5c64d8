import { describe, expect, it } from 'vitest'
import { type Transformers, transformersEmbed } from './transformers-embed.ts'

const { signal } = new AbortController()

/** A package with the same functions: a text's vector is its length and its first letter. */
function fakePackage() {
  const asked: unknown[] = []
  const transformers: Transformers = {
    async pipeline(...given) {
      asked.push(given)
      return async (texts, options) => {
        asked.push(options)
        return { tolist: () => texts.map(text => [text.length, text.charCodeAt(0)]) }
      }
    },
  }
  return { asked, transformers }
}

describe('transformersEmbed', () => {
  it('loads the model once, and gives a vector for each text', async () => {
    const { asked, transformers } = fakePackage()
    const embedder = transformersEmbed({ model: 'm', dtype: 'q8', load: async () => transformers })
    expect(asked).toEqual([])
    const [first, second] = await Promise.all([
      embedder.embed(['ab', 'c'], { signal }),
      embedder.embed(['d'], { signal }),
    ])
    expect([embedder.model, first, second]).toEqual([
      'm',
      [
        [2, 97],
        [1, 99],
      ],
      [[1, 100]],
    ])
    const options = { pooling: 'mean', normalize: true }
    expect(asked).toEqual([['feature-extraction', 'm', { dtype: 'q8' }], options, options])
  })

  it('says what to install where the package is missing', async () => {
    await expect(transformersEmbed().embed(['a'], { signal })).rejects.toMatchObject({
      code: 'model_unavailable',
      message: expect.stringContaining('npm install @huggingface/transformers'),
    })
  })

  it('tries again after the model could not be loaded', async () => {
    const { transformers } = fakePackage()
    let tries = 0
    const load = async () => {
      tries += 1
      if (tries === 1) return { pipeline: () => Promise.reject(new Error('no network')) }
      return transformers
    }
    const embedder = transformersEmbed({ load })
    await expect(embedder.embed(['a'], { signal })).rejects.toThrow('no network')
    expect(await embedder.embed(['a'], { signal })).toEqual([[1, 97]])
  })
})
