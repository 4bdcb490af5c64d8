import fc from 'fast-check'
import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { countLongText } from './long-text.ts'
import { random } from './samples.fixture.ts'

const asText = { disallowedSpecial: new Set<string>() }
const encodings = {
  o200k: (text: string) => countO200k(text, asText),
  cl100k: (text: string) => countCl100k(text, asText),
}

for (const [name, count] of Object.entries(encodings)) {
  describe(`countLongText with ${name}`, () => {
    it('is exact on any mixture of words, signs, blanks and scripts', () => {
      const part = fc.oneof(
        fc.constantFrom(
          ' ',
          '\n',
          '\n\n',
          '  ',
          '\t',
          "'s",
          "don't",
          '…',
          '。',
          '!!',
          '/\n',
          ');\n',
          '12345',
          '𝒜',
          '👩🏽‍💻',
        ),
        fc.constantFrom(
          'word',
          'Word',
          'WORD',
          'wörter',
          'слово',
          '漢字',
          'かな',
          'e\u0301',
          'ไทย',
          'हिन्दी',
          'x1y2',
        ),
      )
      const long = fc.array(part, { minLength: 300, maxLength: 900 }).map(parts => parts.join(''))
      fc.assert(
        fc.property(long, text => {
          expect(countLongText(text, count)).toBe(count(text))
        }),
        { numRuns: 60 },
      )
    })

    const pick = random(11)
    const runs: Record<string, string> = {
      'one letter': 'a'.repeat(5000),
      blanks: ' '.repeat(5000),
      newlines: '\n'.repeat(5000),
      'a line': '='.repeat(5000),
      digits: `x${pick.text('0123456789', 5000)}`,
      'random letters': pick.text('abcdefghijklmnopqrstuvwxyz', 5000),
      'random signs': pick.text('!@#$%^&*()-=+', 5000),
      'random blanks': pick.text(' \n\t\r', 5000),
    }
    for (const [kind, text] of Object.entries(runs)) {
      it(`is off by at most 2 in 1000 on ${kind} without a safe place`, () => {
        const truth = count(text)
        expect(Math.abs(countLongText(text, count) - truth)).toBeLessThanOrEqual(truth * 0.002)
      })
    }

    it('shows the tokenizer no piece that would take long', () => {
      let longest = 0
      const watch = (text: string) => {
        longest = Math.max(longest, text.length)
        return count(text)
      }
      for (const text of Object.values(runs)) countLongText(text, watch)
      expect(longest).toBeLessThanOrEqual(512)
    })

    it('never cuts a surrogate pair', () => {
      const pieces: string[] = []
      countLongText('😀'.repeat(2000), text => pieces.push(text))
      for (const piece of pieces) expect(piece).not.toMatch(/\p{Surrogate}/u)
    })
  })
}
