import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { fit } from '../context/fit.ts'
import { estimateTokens } from './estimate.ts'
import { random } from './samples.fixture.ts'

const truth = (text: string) => Math.max(countO200k(text), countCl100k(text))
const { number, of } = random(7)

/** Words of random characters, then a run of them. */
function mix(characters: readonly string[]): string {
  const some = (length: number) => Array.from({ length }, () => of(characters)).join('')
  return `${Array.from({ length: 12 }, () => some(3 + number(6))).join(' ')} ${some(60)}`
}

/**
 * Characters whose prices were fitted to real texts, as tokenizers have words of them: random ones cost more. All others
 * are held to what they cost in any order.
 */
const fitted = [
  [0x00, 0x24f], // Latin
  [0x380, 0x3df], // Greek
  [0x430, 0x44f], // Russian
  [0x5d0, 0x5ff], // Hebrew
  [0x600, 0x6ff], // Arabic
  [0x900, 0x97f], // Devanagari
  [0xe00, 0xe7f], // Thai
  [0xe80, 0x104f], // Lao, Tibetan, Burmese
  [0x2000, 0x20ff], // dashes, quotation marks, currencies
  [0x2190, 0x226f], // arrows, mathematics
  [0x2500, 0x25ff], // boxes, shapes
  [0x3000, 0x30ff], // kana
  [0x4e00, 0x9fff], // Han
  [0xac00, 0xd7af], // Hangul
] as const

/** The characters of every 256 code points, without those that were fitted. */
function blocks(): Map<number, string[]> {
  const found = new Map<number, string[]>()
  for (let code = 0; code < 0x110000; code++) {
    if (fitted.some(([from, to]) => code >= from && code <= to)) continue
    const character = String.fromCodePoint(code)
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(character)) continue
    found.set(code >> 8, [...(found.get(code >> 8) ?? []), character])
  }
  return found
}

const accents = Array.from({ length: 0x70 }, (_, n) => String.fromCodePoint(0x300 + n))
const letters = [...'abcdefghijklmnopqrstuvwxyz']
const zalgo = () => of(letters) + Array.from({ length: 6 }, () => of(accents)).join('')
const texts = {
  'stacked accents': Array.from({ length: 60 }, zalgo).join(''),
  'Han, extension B': Array.from({ length: 200 }, () =>
    String.fromCodePoint(0x20000 + number(42_000)),
  ).join(''),
  Sakha:
    'Сарсыарда эрдэ туран оҕолор оскуолаҕа бардылар. Күн тымныы этэ, ол гынан баран халлаан ып-ыраас, ыраахтан өрүс көстөрө. Эһэм остуоруйа кэпсээтэ, биһиги сүрдээх болҕомтолоохтук истибиппит.',
  Kyrgyz:
    'Эртең менен биз шаарга барабыз, анткени балдар жаңы китептерди көргүсү келет. Көлдүн суусу муздак, бирок күн ысык болсо, баары сүзүшөт.',
  Mongolian:
    'Өглөө эрт босоод бид уул руу явлаа. Салхи хүйтэн байсан ч тэнгэр цэлмэг, хүүхдүүд дуулж, өвөө үлгэр ярьж өгсөн.',
}

describe('estimateTokens of rare scripts', () => {
  it('is not under by more than 5 % for any character of Unicode outside of the common scripts', () => {
    const low = [...blocks()].flatMap(([block, characters]) => {
      const text = mix(characters)
      const ratio = estimateTokens(text) / truth(text)
      return ratio < 0.95 ? [`U+${block.toString(16)}00: ${ratio.toFixed(2)}`] : []
    })
    expect(low).toEqual([])
  })

  for (const [kind, text] of Object.entries(texts))
    it(`keeps ${kind} in the window by the real tokenizers too`, () => {
      expect(estimateTokens(text)).toBeGreaterThanOrEqual(0.95 * truth(text))
      const chat = Array.from({ length: 200 }, (_, n) => ({
        role: n % 2 ? 'assistant' : 'user',
        content: `${n} ${text}`,
      }))
      const { messages } = fit(chat, { window: 4096 })
      const sent = messages.reduce((sum, { content }) => sum + truth(content as string), 0)
      expect(sent).toBeLessThanOrEqual(4096)
    })
})
