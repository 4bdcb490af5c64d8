import { expect, it } from 'vitest'
import { sentencesOf, sourcesOf } from '../src/views/context/sources-of.ts'
import { seenWords, verdictOf } from '../src/views/context/verdict-words.ts'

const texts = [
  { seqs: [1], text: 'Hello, I am Ada, and I plan a trip by boat.' },
  { seqs: [2], text: 'The grid reference of the fence is SO 417 283, says Priya.' },
  { seqs: [3, 4], text: 'We painted the boat green and it rained all day.' },
  { seqs: [5], text: '我的船叫海鸥。' },
]

it('finds the messages that hold the words of a sentence, rare ones counting more', () => {
  const seqsOf = (sentence: string) => sourcesOf(sentence, texts).map(({ seqs }) => seqs[0])
  expect(seqsOf('The grid reference is SO 417 283.')[0]).toBe(2)
  expect(seqsOf('You painted it green on a rainy day.')).toEqual([3])
  expect(seqsOf('你的船叫海鸥。')).toEqual([5])
  expect(seqsOf('Quantum chromodynamics explains hadrons.')).toEqual([])
  expect(seqsOf('The boat was chartered from an agency in Rotterdam by telephone.')).toEqual([])
  expect(sourcesOf('…', texts)).toEqual([])
  expect(sourcesOf('', [])).toEqual([])
})

it('takes an answer apart into sentences that make it up again', () => {
  for (const text of [
    'It costs 3.50. Really?\n\n- one\n- two',
    '你好。再见！',
    '',
    '...',
    'a'.repeat(5000),
  ])
    expect(sentencesOf(text).join('')).toBe(text)
  expect(sentencesOf('It is SO 417. She needs it by 30 April.')).toHaveLength(2)
})

const answer = {
  unsaid: [],
  omitted: 10,
  free: 840,
  would: [
    { policy: 'thorough', window: 4096 },
    { policy: 'balanced', window: 8192 },
  ],
  match: {
    ...{ entry: 12, words: ['gateway'], fate: 'omitted', rule: 'stable', why: 'before the cut' },
    isSent: false,
  },
} as const
const call = { window: 4096, policy: 'balanced' }
const counts = { digested: 0, cleared: 0 } as never

it('says in a sentence what a call lacked, and what would have sent it', () => {
  const verdict = (more: object, of = counts) =>
    verdictOf({ ...answer, ...more } as never, { ...call, counts: of })
  expect(verdict({})).toBe(
    'There was room for 840 tokens more, but message #12, which has “gateway”, was not sent (before the cut). It would have been sent with thorough, or with 8k.',
  )
  expect(verdict({ free: 0, would: [] })).toBe(
    'Message #12, which has “gateway”, was not sent (before the cut). No window up to 32k would have sent it.',
  )
  expect(verdict({ match: { ...answer.match, rule: 'hidden' } })).toBe(
    'You have hidden message #12, which has “gateway”.',
  )
  expect(verdict({ match: undefined })).toBe('No earlier message matches the question.')
  expect(verdict({ match: { ...answer.match, isSent: true } })).toBe(
    'Message #12 matches the question best, and was sent.',
  )
  expect(verdict({ omitted: 0 })).toBe('Everything that was said before was sent.')
  expect(verdict({ omitted: 0 }, { digested: 2, cleared: 1 } as never)).toBe(
    'Everything that was said before was sent, 3 messages only in short.',
  )
})

it('says whether a call had what is looked for', () => {
  const seen = (more: object, left?: number) =>
    seenWords({ ...answer, ...more } as never, 'gateway', { ...call, left })
  expect(seen({}, 50)).toBe(
    'No: #12 has “gateway”, and was not sent (before the cut). It was last sent in turn 50. It would have been sent with thorough, or with 8k.',
  )
  expect(seen({ match: { ...answer.match, isSent: true }, unsaid: ['router'] })).toBe(
    'Yes: #12 has “gateway”, and was sent. No message has “router”.',
  )
  expect(seen({ match: { ...answer.match, fate: 'cleared' }, would: [] })).toBe(
    'No: #12 has “gateway”, and was sent only as a short line.',
  )
  expect(seen({ match: undefined })).toBe('No message up to here has “gateway”.')
})
