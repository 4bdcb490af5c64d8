import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stem, termsOf, withoutLabel } from './terms.ts'

describe('termsOf', () => {
  it('leaves out stop words and finds the common form of a word', () => {
    expect(termsOf('What did the grid reference say about fences?')).toEqual([
      'grid',
      'referen',
      'say',
      'fenc',
    ])
  })

  it.each([
    ['plan', 'planned', 'planning', 'plans'],
    ['city', 'cities'],
    ['deploy', 'deployed', 'deploying'],
    ['decide', 'decided', 'deciding'],
    ['deployment', 'deployments'],
    ['quick', 'quickly'],
    ['box', 'boxes'],
  ])('brings together: %s', (...words) => {
    expect(new Set(words.map(stem)).size).toBe(1)
  })

  it.each([
    ['bus', 'but'],
    ['boss', 'bos'],
    ['sing', 's'],
    ['1234567890', '1234567'],
  ])('keeps apart: %s and %s', (one, other) => {
    expect(stem(one)).not.toBe(stem(other))
  })

  it('takes characters and pairs of them where words are not separated by spaces', () => {
    expect(termsOf('我喜欢猫')).toEqual(['我', '喜', '我喜', '欢', '喜欢', '猫', '欢猫'])
    expect(termsOf('猫')).toEqual(['猫'])
    expect(termsOf('iPhone15を買う')).toEqual(['iphone15', 'を', '買', 'を買', 'う', '買う'])
    expect(termsOf('สวัสดี').length).toBeGreaterThan(1)
  })

  it('reads other alphabets, code, URLs and emoji', () => {
    expect(termsOf('Привет, мир')).toEqual(['привет', 'мир'])
    expect(termsOf('readFile(path_to.ts)')).toEqual(['readfil', 'path', 'ts'])
    expect(termsOf('https://example.org/a?q=42')).toEqual(['https', 'exampl', 'org', 'q', '42'])
    expect(termsOf('👍🏽 done')).toEqual(['don'])
  })

  it('takes a label off that only says when', () => {
    expect(withoutLabel('[Session 3, 8 May]\n[10:30] What was it?')).toBe('What was it?')
    expect(withoutLabel('see [1] and [2]')).toBe('see [1] and [2]')
  })

  it('reads the words of a plain text as a search for letters and digits would', () => {
    const words = (text: string) => text.toLowerCase().match(/[a-z\d]+/g) ?? []
    const parts = fc.constantFrom(
      'Harbour',
      'x',
      '42',
      'Q1w2E3',
      'a'.repeat(30),
      ' ',
      '_',
      '-',
      '…',
      '\n',
      '{',
      '`',
    )
    fc.assert(
      fc.property(fc.array(parts), list => {
        const text = list.join('')
        expect(termsOf(text)).toEqual(words(text).flatMap(word => termsOf(word)))
        expect(termsOf(`${text}é`.normalize('NFC'))).toEqual(termsOf(`${text}e`))
      }),
    )
  })

  it('tells more words apart than it keeps', () => {
    const wordAt = (at: number) => `zz${at.toString(36)}`
    for (let at = 0; at < 60_000; at++) termsOf(wordAt(at))
    for (let at = 0; at < 60_000; at += 7) expect(termsOf(wordAt(at))).toEqual([stem(wordAt(at))])
  })

  it('gives lower-case terms without blanks for any text, the same twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        const terms = termsOf(text)
        expect(terms.every(term => term !== '' && !/\s/.test(term))).toBe(true)
        expect(termsOf(text)).toEqual(terms)
      }),
    )
  })
})
