import fc from 'fast-check'
import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { cl100k } from './cl100k.ts'
import { framings } from './framings.ts'
import { message } from './message.fixture.ts'
import { o200k } from './o200k.ts'

const asText = { disallowedSpecial: new Set<string>() }
const counters = [
  {
    name: 'o200k',
    create: o200k,
    count: (text: string) => countO200k(text, asText),
    hello: 4,
    chinese: 2,
  },
  {
    name: 'cl100k',
    create: cl100k,
    count: (text: string) => countCl100k(text, asText),
    hello: 4,
    chinese: 5,
  },
]

for (const { name, create, count, hello, chinese } of counters) {
  describe(name, () => {
    const counter = create()

    it('counts as the published tokenizer', () => {
      expect(counter.text('Hello, world!')).toBe(hello)
      expect(counter.text('你好世界')).toBe(chinese)
      expect(counter.text('')).toBe(0)
    })

    it('is exact, and framed for OpenAI unless told otherwise', () => {
      expect(counter).toMatchObject({ exact: true, id: `${name}/openai`, prompt: 3 })
      expect(create({ framing: framings.harmony }).id).toBe(`${name}/harmony`)
      expect(counter.message(message({ text: 'Hello, world!' }))).toBe(hello + 4)
    })

    it('counts marks in a text as text', () => {
      const marks = '<|endoftext|> <|im_start|>system<|im_sep|>'
      expect(counter.text('<|endoftext|>')).toBeGreaterThan(1)
      expect(counter.text(marks)).toBe(count(marks))
    })

    it('counts a lone surrogate as U+FFFD', () => {
      expect(counter.text('a\ud800b')).toBe(counter.text('a\ufffdb'))
    })

    it('takes any text, and counts it as the library does', () => {
      fc.assert(
        fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), text => {
          expect(counter.text(text)).toBe(count(text))
        }),
      )
    })

    it('finishes with runs of a million characters, which the library alone takes many minutes for', () => {
      expect(counter.text('a'.repeat(1_000_000))).toBe(125_000)
      expect(counter.text(' '.repeat(1_000_000))).toBe(Math.ceil(1_000_000 / 128))
      expect(counter.text('汉'.repeat(1_000_000))).toBeGreaterThanOrEqual(1_000_000)
    })
  })
}
