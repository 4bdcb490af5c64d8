import { describe, expect, it } from 'vitest'
import { message } from './message.fixture.ts'
import { words } from './words.ts'

describe('words', () => {
  it('counts a word as a token', () => {
    expect(words().text('A test. And a thumping good one at that, I’d wager.')).toBe(11)
    expect(words().text('  \n\t ')).toBe(0)
    expect(words().text('')).toBe(0)
  })

  it('writes nothing around a message or a prompt', () => {
    expect(words().message(message({ text: 'I-I’m a what?' }))).toBe(3)
    expect(words().prompt).toBe(0)
  })

  it('is exact and has a plain id', () => {
    expect(words()).toMatchObject({ exact: true, id: 'words' })
  })
})
