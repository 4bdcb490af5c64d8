import { growth, notLinear } from '@throughline/test-tools/growth'
import { expect, it } from 'vitest'
import { placesOf, words } from './words.ts'

const parts = ['a', 'a ', 'é', 'e\u0301', '\u0301', ' ', '漢', '漢a', '\u{10400}', '\u{20000}']

it.each(parts)('finds words in a long text of %j in linear time', part => {
  const make = (size: number) => part.repeat(size / part.length)
  expect(growth(make, text => words([text]), { size: 40_000 })).toBeLessThan(notLinear)
})

it('marks words in a long text in linear time', () => {
  const make = (size: number) => 'lamp 漢字 é '.repeat(size / 10)
  expect(growth(make, text => placesOf(text, ['lamp', '漢字']), { size: 20_000 })).toBeLessThan(
    notLinear,
  )
})
