import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCounter } from './create-counter.ts'
import { framings } from './framings.ts'
import { message } from './message.fixture.ts'

const letters = (text: string) => text.length
const bare = createCounter({ id: 'letters', exact: true, text: letters, framing: framings.none })

describe('createCounter', () => {
  it('adds the framing once per message', () => {
    const counter = createCounter({ id: 'letters', exact: true, text: letters, framing: framings.openai })
    expect(counter.message(message({ text: 'hello' }))).toBe(5 + 4)
    expect(counter.prompt).toBe(3)
  })

  it('counts text, thinking, unknown parts, names and arguments', () => {
    const calls = [{ name: 'find', arguments: '{"a":1}' }]
    expect(bare.message(message({ text: 'ab', thinking: 'cde', unknown: '{}', calls }))).toBe(
      2 + 3 + 2 + 4 + 7,
    )
  })

  it('adds the framing of every call', () => {
    const counter = createCounter({ id: 'letters', exact: true, text: letters, framing: framings.chatml })
    const calls = [
      { name: 'a', arguments: '{}' },
      { name: 'b', arguments: '{}' },
    ]
    expect(counter.message(message({ role: 'assistant', calls }))).toBe(5 + 2 * (15 + 3))
  })

  it('counts the text of tool results once', () => {
    const results = [{ text: 'sunny' }]
    expect(bare.message(message({ role: 'tool', text: 'sunny', results }))).toBe(5)
  })

  it('adds the framing of every result of a tool message', () => {
    const counter = createCounter({ id: 'letters', exact: true, text: letters, framing: framings.deepseek })
    const results = [{ text: 'a' }, { text: 'b' }]
    expect(counter.message(message({ role: 'tool', text: 'ab', results }))).toBe(2 * 2 + 2 + 2 * 4)
    expect(counter.message(message({ role: 'tool', text: 'ab' }))).toBe(2 + 2 + 4)
  })

  it('gives an image a fixed price', () => {
    expect(bare.message(message({ media: 2 }))).toBe(2 * 768)
    const cheap = createCounter({
      id: 'letters',
      exact: true,
      text: letters,
      framing: framings.none,
      imageTokens: 85,
    })
    expect(cheap.message(message({ media: 2 }))).toBe(170)
  })

  it('counts a note like an assistant', () => {
    const text = 'remember the red bear'
    const counter = createCounter({ id: 'letters', exact: true, text: letters })
    expect(counter.message(message({ role: 'assistant_note', text }))).toBe(
      counter.message(message({ role: 'assistant', text })),
    )
  })

  it('counts tools as JSON, and no tools as nothing', () => {
    const counter = createCounter({ id: 'letters', exact: true, text: letters, framing: framings.llama3 })
    expect(counter.tools([])).toBe(0)
    expect(counter.tools([{ a: 1 }, { b: 2 }])).toBe(58 + 2 * (7 + 1))
  })

  it('does not throw on tools that JSON cannot hold', () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    expect(bare.tools([cycle, 1n, undefined])).toBeGreaterThan(0)
  })

  it('has another id when it counts differently', () => {
    const id = (options: object) => createCounter({ id: 'x', exact: true, text: letters, ...options }).id
    expect(id({})).toBe('x/generic')
    expect(id({ framing: framings.none })).toBe('x')
    expect(id({ framing: framings.openai })).toBe('x/openai')
    expect(id({ imageTokens: 1000 })).toBe('x/generic/image=1000')
  })

  it('shows lone surrogates to the text counter as U+FFFD', () => {
    const seen: string[] = []
    const counter = createCounter({ id: 'x', exact: true, text: text => seen.push(text) })
    counter.text('a\ud800b\udc00\ud83d\ude00')
    expect(seen).toEqual(['a\ufffdb\ufffd\ud83d\ude00'])
  })

  it('is never negative and never NaN, whatever a text counter answers', () => {
    fc.assert(
      fc.property(fc.double(), fc.string({ unit: 'binary' }), (answer, text) => {
        const counter = createCounter({ id: 'x', exact: false, text: () => answer, framing: framings.none })
        const calls = [{ name: text, arguments: text }]
        for (const tokens of [
          counter.text(text),
          counter.message(message({ text, calls })),
          counter.tools([text]),
        ]) {
          expect(tokens).toBeGreaterThanOrEqual(0)
        }
      }),
    )
  })
})
