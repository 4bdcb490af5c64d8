import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fit } from '../context/fit.ts'
import { createCounter } from './create-counter.ts'
import { framings } from './framings.ts'
import { message } from './message.fixture.ts'

const letters = (text: string) => text.length
const bare = createCounter({ id: 'letters', exact: true, text: letters, framing: framings.none })

describe('createCounter', () => {
  it('adds the framing once per message', () => {
    const counter = createCounter({
      id: 'letters',
      exact: true,
      text: letters,
      framing: framings.openai,
    })
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
    const counter = createCounter({
      id: 'letters',
      exact: true,
      text: letters,
      framing: framings.chatml,
    })
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
    const counter = createCounter({
      id: 'letters',
      exact: true,
      text: letters,
      framing: framings.deepseek,
    })
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
    const counter = createCounter({
      id: 'letters',
      exact: true,
      text: letters,
      framing: framings.llama3,
    })
    expect(counter.tools([])).toBe(0)
    expect(counter.tools([{ a: 1 }, { b: 2 }])).toBe(58 + 2 * (7 + 1))
  })

  it('does not throw on tools that JSON cannot hold', () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    expect(bare.tools([cycle, 1n, undefined])).toBeGreaterThan(0)
  })

  it('has another id when it counts differently', () => {
    const id = (options: object) =>
      createCounter({ id: 'x', exact: true, text: letters, ...options }).id
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

  it('gives whole tokens, or says which counter gave something else', () => {
    const property = fc.property(
      fc.double(),
      fc.string({ unit: 'binary', minLength: 1 }),
      (answer, text) => {
        const counter = createCounter({
          id: 'x',
          exact: false,
          text: () => answer,
          framing: framings.none,
        })
        const calls = [{ name: text, arguments: text }]
        for (const count of [
          () => counter.text(text),
          () => counter.message(message({ text, calls })),
          () => counter.tools([text]),
        ]) {
          if (answer >= 0 && answer < 2 ** 50) expect(Number.isSafeInteger(count())).toBe(true)
          else if (!(answer >= 0 && answer < 2 ** 54)) expect(count).toThrow('the counter "x" gave')
        }
      },
    )
    fc.assert(property, { numRuns: 50 })
  })
})

describe('a counter of your own', () => {
  const list = Array.from({ length: 40 }, (_, n) => ({
    role: n % 2 ? 'assistant' : 'user',
    content: `${'word '.repeat(30)}${n}`,
  }))
  const given = [
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -5,
    1e308,
    '12',
    undefined,
    Promise.resolve(3),
  ]

  it.each(given)('that gives %s is a typed error that names it, never a loop', value => {
    const odd = { ...bare, id: 'mine', text: () => value as number, message: () => value as number }
    const refusal = {
      code: 'invalid_option',
      option: 'count',
      message: expect.stringContaining('"mine" gave'),
    }
    expect(() => fit(list, { window: 500, count: odd })).toThrow(expect.objectContaining(refusal))
    const prompt = { ...bare, id: 'mine', prompt: value as number }
    if (value !== undefined)
      expect(() => fit(list, { window: 500, count: prompt })).toThrow(
        expect.objectContaining(refusal),
      )
  })

  it('may give fractions, which are rounded up', () => {
    const quarter = { ...bare, id: 'quarter', message: () => 1.5, text: () => 1.5 }
    expect(fit(list, { window: 500, count: quarter }).tokens).toBe(80)
  })

  it('may give the largest number there is', () => {
    const most = {
      ...bare,
      id: 'most',
      message: () => Number.MAX_SAFE_INTEGER,
      text: () => 2 ** 53 - 1,
    }
    for (const overflow of ['error', 'keep', 'trim'] as const)
      try {
        expect(fit(list, { window: 500, count: most, overflow }).messages.length).toBeGreaterThan(0)
      } catch (error) {
        expect(error).toMatchObject({ code: 'context_overflow' })
      }
  })
})
