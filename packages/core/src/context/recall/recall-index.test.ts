import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Scores } from '../conversation/transcript.ts'
import { packIndex, unpackIndex } from './packed/packed-words.ts'
import { entryOf } from './posting.ts'
import { rank } from './rank.ts'
import { createRecallIndex, type RecallDocument, type RecallIndex } from './recall-index.ts'

const said = (text: string, rest: Partial<RecallDocument> = {}): RecallDocument => ({
  text,
  isUser: true,
  tokens: 5 + text.split(' ').length,
  beginsSession: false,
  ...rest,
})

const build = (documents: readonly RecallDocument[]) => {
  const index = createRecallIndex()
  for (const document of documents) index.append(document)
  return index
}

const best = ({ units, values }: Scores) => units[values.indexOf(Math.max(...values))]

const talk = [
  said('The boat is called Heron and lies at the north jetty'),
  said('Nice name', { isUser: false }),
  said('We paint the hull in spring, two coats of green'),
  said('Noted: green, two coats', { isUser: false }),
  said('My sister comes on Friday', { beginsSession: true }),
  said('Shall I book a table?', { isUser: false }),
  said('Always answer with the command first'),
]

describe('createRecallIndex', () => {
  it('gives the newest postings of a term, whatever the number of its entries', () => {
    const size = 1100
    const every = (step: number) =>
      Array.from({ length: size }, (_, at) => at).filter(at => at % step === 0)
    const index = build(
      Array.from({ length: size }, (_, at) => said(at % 3 === 0 ? 'heron and mast' : 'mast')),
    )
    for (const [term, step] of [
      ['mast', 1],
      ['heron', 3],
    ] as const)
      for (const n of [0, 1, 255, 256, 257, 512, 900, size])
        for (const most of [0, 1, 100, 256, 300, size]) {
          const having = every(step).filter(at => at < n)
          const id = index.vocabulary.get(term)!
          const found = index.postings(id, { n, most }).flatMap(part => Array.from(part, entryOf))
          expect(index.frequency(id, n)).toBe(having.length)
          expect(found).toEqual(most === 0 ? [] : having.slice(-most))
        }
  })
})

describe('rank', () => {
  it('finds what a message asks for', () => {
    expect(best(rank(build(talk), 'What is the name of the boat at the jetty?').scores)).toBe(0)
    expect(best(rank(build(talk), 'how many coats of paint does the hull need').scores)).toBe(2)
  })

  it('gives an answer a share of its question', () => {
    const { values } = rank(build(talk), 'jetty heron').scores
    expect(values[1]).toBeGreaterThan(values[3]!)
  })

  it('gives integers, and nothing for words that were never said', () => {
    const { values } = rank(build(talk), 'boat green sister').scores
    expect(values.every(Number.isInteger)).toBe(true)
    expect(Math.max(...rank(build(talk), 'quantum chromodynamics').scores.values)).toBe(0)
  })

  it('answers as if only the first n entries existed', () => {
    const words = fc.constantFrom(
      'boat',
      'heron',
      'green',
      'hull',
      'friday',
      'table',
      'paint',
      'the',
      '喜欢',
    )
    const document = fc
      .tuple(
        fc.array(words, { maxLength: 8 }),
        fc.boolean(),
        fc.boolean(),
        fc.integer({ min: 1, max: 300 }),
      )
      .map(([list, isUser, beginsSession, tokens]) => ({
        text: list.join(' '),
        isUser,
        beginsSession,
        tokens,
      }))
    fc.assert(
      fc.property(
        fc.array(document, { minLength: 1, maxLength: 60 }),
        fc.nat(),
        (documents, seed) => {
          const n = seed % (documents.length + 1)
          const whole = rank(build(documents), 'the green boat of friday 喜欢', { n })
          const short = rank(build(documents.slice(0, n)), 'the green boat of friday 喜欢')
          expect(whole.scores).toEqual(short.scores)
          expect(whole.whole).toBe(short.whole)
        },
      ),
    )
  })
})

describe('a packed index', () => {
  it('ranks as the one that it was made from, and goes on growing like it', () => {
    const index = build(talk)
    const { index: copy, time } = unpackIndex(packIndex(index, 1234.5))
    expect(time).toBe(1234.5)
    for (const one of [index, copy]) one.append(said('the heron has a new sail'))
    const question = 'what about the sail of the heron?'
    expect(rank(copy, question)).toEqual(rank(index, question))
    expect(packIndex(copy)).toEqual(packIndex(index))
  })

  it('of several stretches says of every entry and every term what the lists say, and goes on from any place', () => {
    const words = [
      'boat',
      'heron',
      'green',
      'hull',
      'friday',
      'table',
      'paint',
      'spring',
      'always',
      '喜欢',
    ]
    const documents = Array.from({ length: 1300 }, (_, n) =>
      said(
        // Words that all have, some repeated often, and a word for each entry and for every hundredth.
        `${words.filter((_, at) => n % (at + 2) === 0).join(' ')} ${'sail '.repeat(n % 7 === 0 ? (n % 300) + 1 : 0)} n${n} c${n % 100}`,
        { beginsSession: n % 40 === 0, isUser: n % 2 === 0 },
      ),
    )
    const index = build(documents)
    for (const start of [0, 1, 511, 512, 513, 1024, 1300]) {
      const { index: copy } = unpackIndex(packIndex(build(documents.slice(0, start))))
      for (const document of documents.slice(start)) copy.append(document)
      expect([...copy.vocabulary.keys()]).toEqual([...index.vocabulary.keys()])
      const idsIn = ({ vocabulary }: RecallIndex) =>
        [...index.vocabulary.keys()].map(term => vocabulary.get(term))
      expect(idsIn(copy)).toEqual(idsIn(index))
      expect(copy.vocabulary.get('quasar')).toBeUndefined()
      for (const column of [
        'lengthSums',
        'tokenSums',
        'sessions',
        'flags',
        'priors',
        'starts',
      ] as const)
        expect(copy[column]).toEqual(index[column])
      const termsIn = (one: RecallIndex) =>
        documents.map((_, entry) => [...one.termsAt(entry)].sort((a, b) => a - b).join())
      expect(termsIn(copy)).toEqual(termsIn(index))
      for (const entry of [0, 1, 300, 511, 512, 700, 1024, 1299]) {
        const terms = [...index.vocabulary.keys()].flatMap((_, id) =>
          copy.has(entry, id) ? [id] : [],
        )
        expect(terms).toEqual([...index.termsAt(entry)].sort((a, b) => a - b))
      }
      for (const n of [0, 1, 300, 512, 700, 1024, 1300])
        for (const question of ['boat heron n700', 'always sail c7 喜欢', 'n3 n512 n1299 green'])
          expect(rank(copy, question, { n })).toEqual(rank(index, question, { n }))
      expect(packIndex(copy)).toEqual(packIndex(index))
    }
  })

  it('is smaller than the text', () => {
    const documents = Array.from({ length: 300 }, (_, n) =>
      said(`the boat number ${n % 40} needs green paint and a new sail in spring ${n % 7}`),
    )
    const text = documents.reduce((sum, { text }) => sum + text.length, 0)
    expect(packIndex(build(documents)).length).toBeLessThan(text)
  })

  it('says when it cannot be used', () => {
    const packed = packIndex(build(talk))
    expect(() => unpackIndex(packed.slice(0, packed.length - 3))).toThrow(/bytes were changed/)
    expect(() => unpackIndex(packed.map((byte, at) => (at === 3 ? byte + 1 : byte)))).toThrow(
      /another version/,
    )
    expect(() => unpackIndex(Uint8Array.of(99, 1, 2))).toThrow(/ends too early/)
    for (let at = 4; at < packed.length; at++)
      expect(() =>
        unpackIndex(packed.map((byte, place) => (place === at ? byte ^ 8 : byte))),
      ).toThrow(/changed/)
    expect(() => unpackIndex(new Uint8Array())).toThrow(/ends too early/)
  })
})
