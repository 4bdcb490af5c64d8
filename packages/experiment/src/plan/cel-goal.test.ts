import { growth, notLinear } from '@throughline/test-tools/growth'
import { describe, expect, it } from 'vitest'
import type { Declarations } from '../environment.ts'
import { compileGoals } from './cel-goal.ts'

/** A goal over these variables; their declared values do not matter. */
function goalOf(holds: string, declarations: Declarations) {
  const { goals, problems } = compileGoals([{ description: 'goal', holds }], declarations)
  expect(problems).toEqual([])
  return goals[0]!
}

const problemsOf = (holds: string, declarations: Declarations = {}) =>
  compileGoals([{ description: 'goal', holds }], declarations).problems

const text: Declarations = { text: { type: 'string', value: '' } }
const list: Declarations = { items: { type: 'array', value: [] } }

describe('a goal in CEL is tested in bounded time', () => {
  it.each(['(a+)+$', '(a|a)*$', '(.*a){12}$', 'a*a*a*a*a*$'])('matches(%s) is linear', pattern => {
    const { holds } = goalOf(`text.matches(${JSON.stringify(pattern)})`, text)
    const exponent = growth(
      size => ({ text: `${'a'.repeat(size)}!` }),
      environment => holds(environment),
      { size: 500, factor: 8 },
    )
    expect(exponent).toBeLessThan(notLinear)
  })

  it('matches as RE2 does, anywhere in the text', () => {
    const matches = (pattern: string, value: string) =>
      goalOf(`text.matches(${JSON.stringify(pattern)})`, text).holds({ text: value })
    expect(matches('l+a', 'hello llama')).toBe(true)
    expect(matches('^l+a', 'hello llama')).toBe(false)
    expect(matches('(?i)HELLO\\b', 'hello llama')).toBe(true)
    expect(goalOf('text.matches(text) || text == ""', text).holds({ text: 'same' })).toBe(true)
  })

  it('refuses a pattern that cannot be matched in linear time, before anything runs', () => {
    expect(problemsOf('text.matches("(?=a)b")', text)).toEqual([
      expect.stringMatching(
        /^goals\[0\]\.holds \("goal"\): the pattern "\(\?=a\)b" cannot be used: /,
      ),
    ])
    const { holds } = goalOf('text.matches(text)', text)
    expect(() => holds({ text: '(?=a)b' })).toThrow(/the pattern "\(\?=a\)b" cannot be used/)
  })

  it.each(['"', "'", '"\\"', '"\\', '"""', '//"'])(
    'an unclosed text that begins with %s is read once',
    start => {
      const exponent = growth(
        size => start + '\\"\\\''.repeat(size / 4),
        expression => compileGoals([{ description: 'goal', holds: expression }], {}),
        { size: 1000 },
      )
      expect(exponent).toBeLessThan(notLinear)
    },
  )

  it('refuses an expression that is too long', () => {
    const long = `true${' && true'.repeat(2000)}`
    expect(problemsOf(long)).toEqual([
      'goals[0].holds ("goal"): it has 16004 characters, 10000 are allowed',
    ])
    expect(problemsOf(`true${' && true'.repeat(200)}`)).toEqual([])
  })

  it('counts the steps of loops in loops and stops them', () => {
    const items = Array.from({ length: 1000 }, (_, n) => n)
    const { holds } = goalOf(
      'items.exists(a, items.exists(b, items.exists(c, a + b + c < 0)))',
      list,
    )
    expect(() => holds({ items })).toThrow('it takes more than 1,000,000 steps')
    expect(
      goalOf('items.all(a, items.exists(b, a == b))', list).holds({ items: items.slice(0, 300) }),
    ).toBe(true)
    expect(goalOf('items.all(a, a in items)', list).holds({ items })).toBe(true)
  })

  it.each([
    'items.exists(a, items.exists(b, items.exists(c, a + b + c < 0))) || true',
    'true && items.all(a, items.all(b, items.all(c, true)))',
  ])('does not take the limit for an answer in %s', expression => {
    const items = Array.from({ length: 1000 }, (_, n) => n)
    expect(() => goalOf(expression, list).holds({ items })).toThrow(
      'it takes more than 1,000,000 steps',
    )
  })

  it('counts what grows: a text that is doubled again and again', () => {
    const doubled = Array.from({ length: 40 }).reduce<string>(
      (inner, _, n) => `cel.bind(v${40 - n}, v${39 - n} + v${39 - n}, ${inner})`,
      'v40.size() > 3',
    )
    const { holds } = goalOf(`cel.bind(v0, text, ${doubled})`, text)
    expect(() => holds({ text: 'aaaa' })).toThrow('it takes more than 1,000,000 steps')
  })

  it('reads a duration of any length at once', () => {
    const { holds } = goalOf('duration(text) > duration("1h")', text)
    expect(holds({ text: '1h1m' })).toBe(true)
    expect(() => holds({ text: '1'.repeat(20_000) })).toThrow(
      'a duration has at most 100 characters, got 20000',
    )
  })
})
