import { describe, expect, expectTypeOf, it } from 'vitest'
import { checkJson, checkValue, type EnvironmentOf, isVariableType, type VariableType } from './variable.ts'

describe('a variable', () => {
  it.each([
    ['string', 'a', ['', 'x'], [1, null, undefined, ['a']]],
    ['int', 'an int', [0, -3, 2 ** 53 - 1], [1.5, '1', Number.NaN, 2 ** 53, 1n]],
    ['float', 'a float', [0, -1.5, 1e300], ['1.5', Number.NaN, Number.POSITIVE_INFINITY, null]],
    ['bool', 'a bool', [true, false], [0, 'true', null]],
    ['array', 'an array', [[], [1, 'a']], [{}, 'a', null]],
    ['object', 'an object', [{}, { a: 1 }], [[], null, new Date(), new Map()]],
    ['enum:[sunny, rainy]', 'one of sunny, rainy', ['sunny', 'rainy'], ['snow', '', ' sunny', 0]],
  ] as const)('of the type %s takes only what it is', (type, expected, right, wrong) => {
    for (const value of right) expect(() => checkValue('x', type, value)).not.toThrow()
    for (const value of wrong)
      expect(() => checkValue('x', type, value)).toThrow(`Variable "x": expected ${expected}`)
  })

  it('is named in the error, with the value', () => {
    expect(() => checkValue('cash', 'float', 'a lot')).toThrow(
      'Variable "cash": expected a float (a number), got "a lot"',
    )
    expect(() => checkValue('cash', 'float', Number.NaN)).toThrow('got NaN')
    expect(() => checkValue('cash', 'float', undefined)).toThrow('got undefined')
    expect(() => checkValue('weather', 'enum:[sunny,rainy]', 'snow')).toThrow(
      'Variable "weather": expected one of sunny, rainy, got "snow"',
    )
  })

  it('holds nothing that could not be stored as it is', () => {
    expect(() => checkJson('x', [{ a: [1, 'b', null, true] }])).not.toThrow()
    const cycle: unknown[] = []
    cycle.push(cycle)
    for (const value of [new Date(), Number.NaN, undefined, () => 1, 1n, new Map(), cycle])
      expect(() => checkJson('x', { deep: [value] })).toThrow('Variable "x": cannot hold')
  })

  it('has a type that is known', () => {
    for (const type of ['int', 'enum:[a]', 'enum:[a,b c]']) expect(isVariableType(type)).toBe(true)
    for (const type of ['integer', 'enum:[]', 'enum:[a,,b]', 'enum:[a,a]', 'enum', 3, undefined])
      expect(isVariableType(type)).toBe(false)
  })

  it('has the type that was declared', () => {
    type Made = EnvironmentOf<{
      readonly name: { type: 'string'; value: string }
      lemons: { type: 'int'; value: number }
      cash: { type: 'float'; value: number }
      open: { type: 'bool'; value: boolean }
      weather: { type: 'enum:[sunny, rainy,foggy]'; value: string }
      sales: { type: 'array'; value: number[] }
      things: { type: 'array'; value: never[] }
      shop: { type: 'object'; value: { street: string } }
      rest: { type: 'object'; value: object }
    }>
    expectTypeOf<Made>().toEqualTypeOf<{
      name: string
      lemons: number
      cash: number
      open: boolean
      weather: 'sunny' | 'rainy' | 'foggy'
      sales: number[]
      things: unknown[]
      shop: { street: string }
      rest: Record<string, unknown>
    }>()
    expectTypeOf<'enum:[a]'>().toExtend<VariableType>()
    expectTypeOf<'integer'>().not.toExtend<VariableType>()
  })
})
