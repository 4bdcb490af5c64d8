import { isLong } from '@throughline/test-tools/is-long'
import { expect, it } from 'vitest'
import { payloadTexts, placesOf, toWanted, words } from './words.ts'

it('are in lower case, without accents, and pairs where a script has no spaces', () => {
  const text = 'Café, naïve ÉCOLE x2 漢字仮名 a漢b ｶﾞ กิน ﬁsh 😀'
  expect([...words([text])]).toEqual([
    'cafe',
    'naive',
    'ecole',
    'x2',
    '漢字',
    '字仮',
    '仮名',
    'a',
    '漢',
    'b',
    'カ',
    'กน',
    'fish',
  ])
  expect([...words(['a'.repeat(64), 'b'.repeat(65), ''])]).toEqual(['a'.repeat(64)])
})

it('are in every script what they are for recall', () => {
  expect([...words(['바다에서'])]).toEqual(['바다', '다에', '에서'])
  expect([...words(['မြန်မာ'])].every(word => [...word].length === 2)).toBe(true)
  // The vowel signs of Hindi are marks that take a place of their own: they do not end a word.
  expect([...words(['नाम राम'])]).toEqual(['नाम', 'राम'])
})

const parts = ['a', 'a ', 'é', 'e\u0301', '\u0301', ' ', '漢', '漢a', '\u{10400}', '\u{20000}']

it.each(parts)('are found in megabytes of %j', part => {
  expect(words([part.repeat((isLong ? 3_000_000 : 600_000) / part.length)]).size).toBeLessThan(4)
})

it('leave files out, however large', () => {
  const file = 'iVBORw0KGgo'.repeat(1_000_000)
  const payload = JSON.stringify({
    content: 'a photo',
    images: [file, `data:image/png;base64,${file}`],
  })
  expect(payloadTexts(payload)).toEqual(['a photo'])
  expect(payloadTexts(`${file}.`)).toHaveLength(1)
})

it('are those of a text', () => {
  expect(toWanted('Two words, two')).toEqual(['two', 'words'])
  for (const odd of [undefined as never, 5 as never])
    expect(() => toWanted(odd)).toThrow(expect.objectContaining({ code: 'invalid_option' }))
})

it('are marked in a text as it is written', () => {
  const marked = (text: string, query: string) =>
    placesOf(text, toWanted(query)).map(([from, to]) => text.slice(from, to))
  expect(marked('The Café: a cafe\u0301, CAFÉ; cafes', 'cafe')).toEqual([
    'Café',
    'cafe\u0301',
    'CAFÉ',
  ])
  expect(marked('格子番号は忘れないで。番号', '番号')).toEqual(['番号', '番号'])
  expect(marked('格子番号', '格子番号')).toEqual(['格子番号'])
  expect(marked('😀 lamp 😀 lamps lamp-post', 'lamp 😀')).toEqual(['lamp', 'lamp'])
  expect(marked('', 'lamp')).toEqual([])
})
