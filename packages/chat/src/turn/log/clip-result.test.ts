import { estimate } from '@throughline/core/counters'
import fc from 'fast-check'
import { o200k } from 'throughline/tokens/o200k'
import { describe, expect, it } from 'vitest'
import { clippedView } from './clip-result.ts'

const samples = {
  words: 'some words of a large file, and a number 4471\n',
  digits: '3141592653589793',
  pairs: '😀😇',
  chinese: '海港的代码',
}

describe.each([estimate(), o200k()])('a clipped view, counted by $id,', count => {
  it.each(Object.entries(samples))(
    'of %s has at most as many tokens as it may, with the words that say how to read on',
    (_, sample) => {
      const text = sample.repeat(4000)
      for (const mostTokens of [64, 100, 512, 1024]) {
        const view = clippedView(text, { place: 1_234_567, mostTokens, count })
        expect(view).toMatch(
          /\n\[\d+ more characters\. read_result\(\{"place": 1234567, "from": \d+\}\) reads on\.\]$/,
        )
        expect(count.text(view!)).toBeLessThanOrEqual(mostTokens)
      }
    },
  )

  it('read on to its end gives the whole text, no character twice or torn', () => {
    const text = Object.values(samples).join('').repeat(60)
    let read = ''
    for (let from = 0; ; ) {
      const view = clippedView(text, { place: 1, from, mostTokens: 128, count })
      if (view === undefined) {
        read += text.slice(from)
        break
      }
      const [, shown = '', next] =
        /^(.*)\n\[\d+ more characters\. .*"from": (\d+)\}\) reads on\.\]$/s.exec(view)!
      expect(shown).not.toBe('')
      expect(shown).not.toMatch(/\p{Surrogate}/u)
      read += shown
      from = Number(next)
    }
    expect(read).toBe(text)
  })

  it('is none when the text fits', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), text => {
        const isLong = count.text(text) > 256
        expect(clippedView(text, { place: 1, mostTokens: 256, count }) !== undefined).toBe(isLong)
      }),
    )
  })
})
