import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addToPassage, indexPassages, readPassage } from './passage.ts'
import { rank } from './rank.ts'
import { createRecallIndex } from './recall-index.ts'
import { termsOf } from './terms.ts'

const runs = process.env.THROUGHLINE_LONG ? 2000 : 40

const word = fc.constantFrom(
  ...'heron jetty hull sail green paint mast rope the of 喜欢 黑猫'.split(' '),
)
const text = fc.oneof(
  fc.constant('always green paint'),
  fc.array(word, { maxLength: 12 }).map(words => words.join(' ')),
  fc.integer({ min: 8, max: 40 }).map(size => `${'sail '.repeat(size)}mast`),
)
const said = fc.array(
  fc.record({
    text,
    role: fc.constantFrom('user' as const, 'assistant' as const),
    tokens: fc.nat(5000),
    minutes: fc.nat(90),
  }),
  { minLength: 1, maxLength: 20 },
)

/** The messages of a passage, with times and places. */
const placed = (
  list: readonly {
    readonly minutes: number
    readonly text: string
    readonly role: 'user' | 'assistant'
    readonly tokens: number
  }[],
) => {
  let time = Date.UTC(2026, 4, 3)
  return list.map(({ minutes, ...one }, at) => {
    time += minutes * 60_000
    return { ...one, time, seq: 2 * at + 1, id: `id\n${at}` }
  })
}

it('is the same whether its messages come at once or one after the other', () => {
  fc.assert(
    fc.property(said, fc.nat(20), (list, cut) => {
      const all = placed(list)
      const first = addToPassage(undefined, all.slice(0, cut))
      const grown = addToPassage(readPassage(first.bytes), all.slice(cut))
      expect(grown.bytes).toEqual(addToPassage(undefined, all).bytes)
      expect(JSON.parse(grown.ids)).toEqual(all.map(({ id }) => id))
    }),
    { numRuns: runs },
  )
})

it('ranks as an index of the texts does', () => {
  fc.assert(
    fc.property(fc.array(said, { minLength: 1, maxLength: 5 }), text, (lists, question) => {
      const passages = lists.map(list => addToPassage(undefined, placed(list)))
      const index = indexPassages(passages)
      const plain = createRecallIndex()
      for (const list of lists) {
        for (const [at, { role, text, tokens, minutes }] of list.entries()) {
          plain.append({
            text,
            isUser: role === 'user',
            tokens,
            beginsSession: at === 0 || minutes > 30,
          })
          const terms = new Set(termsOf(text))
          const entry = plain.size - 1
          expect(new Set(index.termsAt(entry))).toEqual(
            new Set([...terms].map(index.vocabulary.get)),
          )
          for (const term of terms) expect(index.has(entry, index.vocabulary.get(term)!)).toBe(true)
        }
      }
      for (const name of [
        'lengthSums',
        'tokenSums',
        'sessions',
        'flags',
        'starts',
        'priors',
      ] as const)
        expect(index[name]).toEqual(plain[name])
      for (const n of [plain.size, plain.size >> 1]) {
        for (const term of new Set(termsOf(question))) {
          const [ours, theirs] = [index.vocabulary.get(term)!, plain.vocabulary.get(term) ?? -1]
          expect(index.frequency(ours, n)).toBe(plain.frequency(theirs, n))
          for (const most of [0, 1, n])
            expect(index.postings(ours, { n, most }).flatMap(part => [...part])).toEqual(
              plain.postings(theirs, { n, most }).flatMap(part => [...part]),
            )
        }
        expect(rank(index, question, { n }).scores).toEqual(rank(plain, question, { n }).scores)
      }
    }),
    { numRuns: runs },
  )
})

it('is refused when its bytes were changed', () => {
  const { bytes } = addToPassage(
    undefined,
    placed([{ text: 'a heron', role: 'user', tokens: 3, minutes: 0 }]),
  )
  for (let at = 0; at < bytes.length; at++) {
    const changed = bytes.slice()
    changed[at]! ^= 1
    expect(() => readPassage(changed)).toThrow('It is made anew from the log')
  }
  expect(() => readPassage(bytes.subarray(0, -1))).toThrow('It is made anew from the log')
})
