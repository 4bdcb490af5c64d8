import { growth } from '@throughline/test-tools/growth'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cut, few, plural } from './line.ts'

/** Any UTF-16, lone surrogates included, with many characters that are easily split or folded. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.integer({ min: 0, max: 0xffff }).map(unit => String.fromCharCode(unit)),
      fc.constantFrom(
        ' ',
        '\n',
        '\r\n',
        '\u2028',
        '\u0085',
        '\0',
        '\u0301',
        '\u200d',
        '👩‍👩‍👧',
        '👍🏽',
        'é',
        '"',
        '…',
      ),
    ),
    { maxLength: 40 },
  )
  .map(parts => parts.join(''))

const isWellFormed = (text: string) => !/\p{Cs}/u.test(text)

describe('cut', () => {
  it('keeps a text that fits as it is', () => {
    expect(cut('warm white', 10)).toBe('warm white')
  })

  it('counts the ellipsis', () => {
    expect(cut('warm white', 9)).toBe('warm whi…')
    expect(cut('x'.repeat(81), 80)).toBe(`${'x'.repeat(79)}…`)
  })

  it('leaves no blank before the ellipsis', () => {
    expect(cut('warm white', 6)).toBe('warm…')
  })

  it('folds white space, line breaks of every kind and control characters to one blank', () => {
    expect(cut('  a\r\n\tb\u2028c\u0085d\u00a0\0e\u001b[1m  ', 80)).toBe('a b c d e [1m')
  })

  it('does not take white space at the end for something left out', () => {
    expect(cut(`abc${' '.repeat(500)}`, 3)).toBe('abc')
  })

  it('sees no blank inside a word longer than its steps', () => {
    expect(cut('y'.repeat(450), 450)).toBe('y'.repeat(450))
  })

  it.each([
    ['a surrogate pair', 'ab🙂cd', 4, 'ab…'],
    ['an accent', 'abe\u0301cd', 4, 'ab…'],
    ['a skin tone', 'a👍🏽bc', 4, 'a…'],
    ['a family', 'a👩‍👩‍👧bcd', 7, 'a…'],
  ])('does not split %s', (_what, text, max, expected) => {
    expect(cut(text, max)).toBe(expected)
  })

  it('is one line of at most max, and never splits a pair', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 60 }), (text, max) => {
        const line = cut(text, max)
        expect(line.length).toBeLessThanOrEqual(max)
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]|^\s|\s$|\s\s/u)
        if (isWellFormed(text)) expect(isWellFormed(line)).toBe(true)
        expect(cut(line, max)).toBe(line)
      }),
      { numRuns: 1000 },
    )
  })

  it('reads no more than it needs', () => {
    const exponent = growth(
      size => 'word '.repeat(size),
      text => {
        for (let n = 0; n < 2_000; n++) cut(text, 80)
      },
      { size: 10_000 },
    )
    expect(exponent).toBeLessThan(0.6)
  })
})

it('plural knows one', () => {
  expect([0, 1, 2].map(count => plural(count, 'step'))).toEqual(['0 steps', '1 step', '2 steps'])
})

it('few shows the first ones without repeats', () => {
  expect(few(['a', 'b', 'a'], 2)).toBe('a, b')
  expect(few(['a', 'b', 'c'], 2)).toBe('a, b, …')
})
