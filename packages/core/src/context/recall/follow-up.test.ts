import { describe, expect, it } from 'vitest'
import { assistant, user } from '../../testing/builders.ts'
import { fit } from '../fit.ts'
import { isFollowUp } from './asking.ts'
import { createRecallIndex } from './recall-index.ts'

const list = new URL('../../../../../bench/lib/follow-ups.mjs', import.meta.url).href
const { followUps } = (await import(list)) as { followUps: Record<string, readonly string[]> }

/** An index in which each of some texts was said once, far back. */
function indexOf(texts: readonly string[]) {
  const index = createRecallIndex()
  for (const text of texts.flatMap(one => [one, '…']))
    index.append({ text, isUser: true, tokens: 20, beginsSession: false })
  return index
}

describe('a follow-up', () => {
  it.each(Object.entries(followUps))(
    'is told by its words, though all of them were said before: %s',
    (_, texts) => {
      const index = indexOf(Object.values(followUps).flat())
      const others = texts.filter(text => !isFollowUp({ index, text, exchange: index.size }))
      expect(others.length).toBeLessThanOrEqual(texts.length / 10)
    },
  )

  it.each([
    'What was that restaurant called again?',
    'Can you explain the tax part again?',
    'Is Marlow right about that?',
    'What is on my list?',
    'Wie heißt das Restaurant noch mal?',
    'Que restaurant era?',
    '那家餐馆叫什么？',
    'あの餐馆は何ですか？',
  ])('is no message that names something old: %s', text => {
    const index = indexOf([
      'The restaurant',
      'my tax and my list',
      'Marlow said so',
      'das Restaurant',
      '那家餐馆很好',
    ])
    expect(isFollowUp({ index, text, exchange: index.size })).toBe(false)
  })

  it('brings back nothing, and what names something old does', () => {
    const chat = [
      user('Hello!'),
      user('The right key of the boat house hangs behind the clock.'),
      ...Array.from({ length: 300 }, (_, n) => [
        user(`Right, page ${n} of the log.`),
        assistant(`Page ${n}, right.`),
      ]).flat(),
    ]
    const recalledFor = (text: string) =>
      fit([...chat, user(text)], { window: 4096 }).receipt.counts.recalled
    expect(recalledFor('Is that right?')).toBe(0)
    expect(recalledFor('Where is the key of the boat house?')).toBeGreaterThan(0)
  })
})

describe('full', () => {
  it('fills the window, where the default keeps room free', () => {
    const chat = Array.from({ length: 400 }, (_, n) => [
      user(`What of island ${n}?`),
      assistant(`Island ${n} is quiet.`),
    ]).flat()
    const shareOf = (full: boolean) => {
      const { tokens, capacity } = fit([...chat, user('Thanks.')], { window: 4096, full }).receipt
      return tokens / capacity
    }
    expect(shareOf(true)).toBeGreaterThan(0.85)
    expect(shareOf(false)).toBeLessThan(shareOf(true))
  })
})
