import { expect, it } from 'vitest'
import { clipMark, cutMark, erasedText, findStandIn, leftOutMark, markerText } from './texts.ts'

const marks = [
  leftOutMark(184, 42, false),
  leftOutMark(184, 42, true),
  cutMark(12).trim(),
  clipMark(9, 3).trim(),
]

it.each([...marks, markerText, erasedText])('finds %s in a text, and says which it is', mark => {
  expect(findStandIn(`<p>Opening hours</p>\n${mark}<p>\n`)).toBe(mark)
})

it.each([
  '[…]',
  '[... 12 tokens cut here ...]',
  '[Not the result: nothing]',
  '[… 12 Wörter …]',
  '',
  `${'[… 1'.repeat(100_000)}`,
])('finds nothing in %#', text => expect(findStandIn(text)).toBeUndefined())
