import { describe, expect, it } from 'vitest'
import { growth } from '../../../test/growth.ts'
import { askingParts } from './judge.ts'

describe('askingParts', () => {
  it('gives the sentences that ask, where a message has several', () => {
    const text =
      'The harbour closes at nine tonight. "Which berth number is free?" Please reply soon, dear pilot.'
    expect(askingParts(text)).toEqual(['"Which berth number is free?"'])
  })

  it('joins what says too little to its neighbour, and knows the marks of Chinese', () => {
    expect(
      askingParts('Ok. Fine. Which berth number is free today? The rest can wait until Monday.'),
    ).toEqual(['Ok. Fine. Which berth number is free today?'])
    expect(askingParts('港口今天晚上九点关门。哪个泊位现在空着？')).toEqual(['哪个泊位现在空着？'])
  })

  it('takes the last three', () => {
    const questions = ['masts', 'sails and ropes', 'hulls', 'anchors, chains and winches'].map(
      what => `When did the yard inspect ${what}?`,
    )
    expect(askingParts(questions.join(' '))).toEqual(questions.slice(-3))
  })

  it.each([
    ['lines of a log that say the same', 'INFO ok\n'],
    ['short sentences', 'Ok. '],
    ['closing marks', '*'],
    ['marks with their closing marks', '.*'],
    ['blanks', ' '],
    ['line breaks', '\n'],
    ['questions', 'When did the yard inspect masts? '],
    ['Chinese marks', '。'],
  ])('reads %s once', (_what, part) => {
    const make = (size: number) => part.repeat(Math.ceil(size / part.length))
    expect(growth(make, askingParts, { size: 4_000 })).toBeLessThan(1.6)
  })
})
