import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { estimate, estimateTokens } from './estimate.ts'
import { message } from './message.fixture.ts'
import { samples } from './samples.fixture.ts'

const asText = { disallowedSpecial: new Set<string>() }
const truth = (text: string) => Math.max(countO200k(text, asText), countCl100k(text, asText))

/** How far the estimate may be above the larger of both counts, by kind of text. */
const over: Record<string, number> = {
  english: 1.12,
  csv: 1.05,
  hex: 1.1,
  uuids: 1.1,
  blanks: 2,
  emoji: 1.6,
  'one letter': 4.5,
  lines: 1.6,
}

describe('estimateTokens', () => {
  for (const [kind, text] of Object.entries(samples())) {
    it(`is never under by more than 5 %, and not far over, on ${kind}`, () => {
      const tokens = truth(text)
      expect(text.length).toBeGreaterThanOrEqual(200)
      expect(estimateTokens(text)).toBeGreaterThanOrEqual(tokens * 0.95)
      expect(estimateTokens(text)).toBeLessThanOrEqual(tokens * (over[kind] ?? 1.4) + 1)
    })
  }

  it('counts nothing for nothing, and something for anything', () => {
    expect(estimateTokens('')).toBe(0)
    expect(estimateTokens('a')).toBeGreaterThan(0)
    expect(estimateTokens('\ud800')).toBeGreaterThan(0)
  })

  it('is exact on digits, which the tokenizers take by three', () => {
    expect(estimateTokens('1234567890'.repeat(30))).toBe(100)
  })

  it('takes nothing off for English words without rare ones before them', () => {
    expect(estimateTokens('the '.repeat(100))).toBeGreaterThanOrEqual(100)
  })

  it('answers any text with a whole number', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        const tokens = estimateTokens(text)
        expect(Number.isInteger(tokens) && tokens >= 0).toBe(true)
        expect(tokens).toBeLessThanOrEqual(4 * text.length + 2)
      }),
    )
  })

  it('never costs less with another word, and two texts cost about what they cost together', () => {
    const text = fc.oneof(
      fc.lorem({ mode: 'sentences' }),
      fc.json(),
      fc.string({ unit: 'grapheme' }),
    )
    fc.assert(
      fc.property(text, text, (one, two) => {
        const together = estimateTokens(`${one}\n${two}`)
        expect(together).toBeGreaterThanOrEqual(estimateTokens(one))
        expect(together).toBeLessThanOrEqual(estimateTokens(one) + estimateTokens(two) + 3)
        expect(together).toBeGreaterThanOrEqual(
          0.75 * (estimateTokens(one) + estimateTokens(two)) - 6,
        )
      }),
    )
  })
})

describe('estimate', () => {
  it('is a counter that is not exact, with a version in its id', () => {
    expect(estimate()).toMatchObject({ id: 'estimate-2/generic', exact: false })
    expect(estimate().message(message({ text: 'hello' }))).toBe(estimateTokens('hello') + 6)
  })
})

const folder = process.env.THROUGHLINE_DATA

describe('estimateTokens on public conversations', () => {
  it.skipIf(folder === undefined)(
    'is under by more than 5 % in at most 3 of 1000 messages, and over by 5 to 15 %',
    () => {
      const ratios = readdirSync(folder!)
        .filter(name => name.endsWith('.jsonl.gz'))
        .flatMap(name => messagesIn(join(folder!, name)))
        .map(text => ({ text, tokens: truth(text), estimated: estimateTokens(text) }))
      const under = ratios.filter(({ tokens, estimated }) => estimated < 0.95 * tokens)
      const sum = (key: 'tokens' | 'estimated') =>
        ratios.reduce((total, ratio) => total + ratio[key], 0)
      expect(ratios.length).toBeGreaterThan(1000)
      expect(under.length).toBeLessThanOrEqual(0.003 * ratios.length)
      expect(sum('estimated') / sum('tokens')).toBeGreaterThan(1.05)
      expect(sum('estimated') / sum('tokens')).toBeLessThan(1.15)
    },
  )

  if (folder === undefined)
    console.info('Skipped: set THROUGHLINE_DATA to the folder with the conversations.')
})

/** Every tenth message of 200 characters and more. */
function messagesIn(path: string): string[] {
  const conversations = gunzipSync(readFileSync(path)).toString().trim().split('\n')
  const texts = conversations.flatMap(line => {
    const { messages } = JSON.parse(line) as { messages: { text?: unknown; content?: unknown }[] }
    return messages.map(({ text, content }) => text ?? content)
  })
  return texts
    .filter((text): text is string => typeof text === 'string' && text.length >= 200)
    .filter((_, i) => i % 10 === 0)
}
