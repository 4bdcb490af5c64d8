import { expect, it } from 'vitest'
import { recalledTitle } from '../src/parts/sent-rows.ts'
import { broughtOf } from '../src/views/chat/chat-rows.ts'
import { toContextItems } from '../src/views/context/scene.ts'

const row = (part: string, role: string, more: object = {}) =>
  ({ part, role, tokens: 1, seqs: [], standsFor: [], ...more }) as never

const source = (conversation: string, seq: number) =>
  ({ conversation, actor: 'assistant', branch: 'main', seq, why: 'asked for: hotel' }) as const

it('finds what was brought back for a message, of its own conversation and of others', () => {
  const lisbon = source('lisbon', 3)
  const found = broughtOf([
    row('recall', 'system', { standsFor: [7, 2] }),
    row('recall', 'system', { sources: [lisbon] }),
    row('history', 'user', { seqs: [9] }),
    row('latest', 'user', { seqs: [11], joined: [], sources: [source('rome', 1)] }),
    row('latest', 'user', { seqs: [12] }),
  ])
  expect([...found]).toEqual([
    [9, { entries: [2, 7], sources: [lisbon] }],
    [11, { entries: [], sources: [source('rome', 1)] }],
  ])
})

it('counts both, and says from where', () => {
  expect(recalledTitle([1])).toBe('1 message')
  expect(recalledTitle([], [source('a', 1), source('a', 2)])).toBe(
    '2 messages of another conversation',
  )
  expect(recalledTitle([1, 2], [source('a', 1), source('b', 2)])).toBe(
    '2 messages and 2 messages of other conversations',
  )
})

it('lists the sources of quotes that were joined to a message behind it, in the context too', () => {
  const { items } = toContextItems(
    [
      row('first', 'user', { seqs: [1], sources: [source('lisbon', 3)] }),
      row('history', 'assistant', { seqs: [2] }),
    ],
    { tokens: 2, reused: 0 },
    { flipped: new Set() },
  )
  expect(items.map(({ kind }) => kind)).toEqual(['row', 'source', 'row'])
})

it('pins no message with sources, so that they stay behind it', () => {
  const { items, pinned } = toContextItems(
    [
      row('history', 'assistant', { seqs: [1] }),
      row('latest', 'user', { seqs: [2], sources: [source('lisbon', 3)] }),
      row('latest', 'assistant', { seqs: [3] }),
    ],
    { tokens: 3, reused: 0 },
    { flipped: new Set() },
  )
  expect(items.map(({ kind }) => kind)).toEqual(['row', 'row', 'source'])
  expect(pinned.map(({ index }) => index)).toEqual([2])
})
