import { expect, it } from 'vitest'
import { fateInText, fates, readFates, toFateText } from './fate-text.ts'

it('writes runs of fates as a text, and reads them', () => {
  const text = fates.map((fate, at) => `${at + 9}${fate[0]}`).join('')
  const runs = readFates(text)
  expect(runs.map(({ fate }) => fate)).toEqual(fates)
  expect(runs.slice(0, 2)).toEqual([
    { first: 1, last: 9, fate: 'kept' },
    { first: 10, last: 19, fate: 'altered' },
  ])
  expect(toFateText(runs)).toBe(text)
})

it('reads the fate of one entry', () => {
  const text = '2k14o1r'
  for (const { first, last, fate } of readFates(text))
    for (const seq of [first, last]) expect(fateInText(text, seq)).toBe(fate)
  for (const seq of [-1, 0, 18]) expect(fateInText(text, seq)).toBeUndefined()
})
