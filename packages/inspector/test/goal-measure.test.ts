import { describe, expect, it } from 'vitest'
import { measureGoal } from '../src/views/experiments/goal-measure.ts'

const start = { cash: 20, loan: 0, isOpen: false, weather: 'sunny', lemons: 0 }
const shareOf = (expression: string, now: Record<string, unknown>) =>
  measureGoal(expression)?.share({ ...start, ...now }, start)

describe('measureGoal', () => {
  it('says how much of the way from the start is done', () => {
    expect(shareOf('cash - loan >= 1000.0', { cash: 510 })).toBeCloseTo(0.5)
    expect(shareOf('cash - loan >= 1000.0', { cash: 1100, loan: 100 })).toBe(1)
    expect(shareOf('cash >= 1000', { cash: 3 })).toBe(0)
    expect(shareOf('1000 <= cash', { cash: 510 })).toBeCloseTo(0.5)
    expect(shareOf('lemons == 10', { lemons: 5 })).toBeCloseTo(0.5)
    expect(shareOf('cash > 30', { cash: 30 })).toBe(0.99)
  })

  it('is as far as the farther part of "and", and as the nearer one of "or"', () => {
    expect(shareOf('cash >= 40 && lemons >= 10', { cash: 40, lemons: 1 })).toBeCloseTo(0.1)
    expect(shareOf('cash >= 40 || lemons >= 10', { cash: 20, lemons: 9 })).toBeCloseTo(0.9)
    expect(shareOf('!(isOpen) && weather == "rainy"', { weather: 'rainy' })).toBe(1)
    expect(shareOf('isOpen', { isOpen: true })).toBe(1)
    expect(shareOf("weather == 'rainy'", { weather: 'rainy' })).toBe(1)
    expect(shareOf('weather != "sunny"', {})).toBe(0)
  })

  it('gives the two sides of one comparison', () => {
    const { sides } = measureGoal('(cash - loan) * 2 >= -10 + 5')!
    expect(sides).toMatchObject({ name: '(cash - loan) * 2', sign: '>=', isFixed: true })
    expect([sides?.left({ cash: 5, loan: 1 }), sides?.right({})]).toEqual([8, -5])
    expect(measureGoal('cash >= loan')?.sides?.isFixed).toBe(false)
    expect(measureGoal('cash >= 1 && loan >= 1')?.sides).toBeUndefined()
  })

  it('does not measure what it does not understand, and reads no foreign property', () => {
    for (const odd of [
      'size(list) > 2',
      'a.b > 1',
      'list[0] > 1',
      'a >',
      '(a',
      'a b',
      '"x',
      '',
      '1 ? 2 : 3',
    ])
      expect(measureGoal(odd), odd).toBeUndefined()
    expect(measureGoal(`${'('.repeat(500)}a${')'.repeat(500)}`)).toBeUndefined()
    expect(measureGoal(`a > ${'1'.repeat(5000)}`)).toBeUndefined()
    expect(shareOf('constructor == "x"', {})).toBe(0)
    expect(shareOf('cash / weather > 1', {})).toBe(0)
  })
})
