import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  applyChange,
  changeEnvironment,
  checkJson,
  checkValue,
  copyEnvironment,
  type EnvironmentOf,
  isVariableType,
  type VariableType,
  visibleTo,
} from './environment.ts'

const types = new Map<string, VariableType>([
  ['cash', 'float'],
  ['weather', 'enum:[sunny,rainy]'],
  ['stock', 'object'],
  ['sales', 'array'],
])
const start = copyEnvironment({ cash: 20, weather: 'sunny', stock: { lemons: [1, 2] }, sales: [] })

interface Draft {
  cash: unknown
  weather: unknown
  stock: { lemons: unknown[] } & Record<string, unknown>
  sales: unknown[]
  [other: string]: unknown
}

function change(work: (draft: Draft) => unknown) {
  const changing = changeEnvironment(start, types)
  work(changing.draft as Draft)
  const patches = changing.finish()
  return { patches, after: applyChange(start, patches) }
}

describe('an environment', () => {
  it('is changed by patches that survive JSON', () => {
    const { patches, after } = change(draft => {
      draft.cash = 12.5
      draft.stock.lemons.push(3)
      draft.stock.lemons.shift()
      draft.stock.ice = { bags: 1 }
      draft.sales.push({ cups: 2 })
    })
    expect(after).toEqual({
      cash: 12.5,
      weather: 'sunny',
      stock: { lemons: [2, 3], ice: { bags: 1 } },
      sales: [{ cups: 2 }],
    })
    expect(applyChange(start, JSON.parse(JSON.stringify(patches)))).toEqual(after)
    expect(start).toEqual({ cash: 20, weather: 'sunny', stock: { lemons: [1, 2] }, sales: [] })
    expect(change(() => {}).patches).toEqual([])
  })

  it.each([
    [
      'another type',
      (draft: Draft) => Object.assign(draft, { cash: 'much' }),
      'Variable "cash": expected a float',
    ],
    [
      'no number',
      (draft: Draft) => Object.assign(draft, { cash: 0 / 0 }),
      'Variable "cash": expected a float (a number), got NaN',
    ],
    [
      'an unknown word',
      (draft: Draft) => Object.assign(draft, { weather: 'snow' }),
      'Variable "weather": expected one of',
    ],
    [
      'a variable that is not declared',
      (draft: Draft) => Object.assign(draft, { wealth: 1 }),
      'Variable "wealth": there is no such',
    ],
    [
      'a variable that is gone',
      (draft: Draft) => delete draft.cash,
      'Variable "cash": a variable cannot be removed',
    ],
    [
      'a Date in a list',
      (draft: Draft) => draft.sales.push(new Date(0)),
      'Variable "sales": cannot hold',
    ],
    [
      'nothing in an object',
      (draft: Draft) => Object.assign(draft.stock, { ice: undefined }),
      'Variable "stock": cannot hold undefined',
    ],
    [
      'a list that becomes a text',
      (draft: Draft) => Object.assign(draft, { sales: 'x' }),
      'Variable "sales": expected an array, got "x"',
    ],
  ])('refuses %s', (_, work, message) => {
    expect(() => change(work)).toThrow(message)
  })

  it('holds what will be read back: no -0, no half characters', () => {
    const { after } = change(draft => {
      draft.cash = -0
      draft.sales.push('a\0b\ud83d')
    })
    expect(Object.is(after.cash, 0)).toBe(true)
    expect(after.sales).toEqual(['a\uFFFDb\uFFFD'])
  })

  it('is nobody else’s: copies are deep, and frozen', () => {
    const given = { cash: 1, stock: { lemons: [1] } }
    const copy = copyEnvironment(given)
    given.stock.lemons.push(2)
    expect(copy).toEqual({ cash: 1, stock: { lemons: [1] } })
    expect(Object.isFrozen((copy.stock as { lemons: unknown }).lemons)).toBe(true)
  })

  it('is seen through a whitelist, as a deep copy; an empty one means all', () => {
    const seen = visibleTo(start, ['stock'])
    expect(seen).toEqual({ stock: { lemons: [1, 2] } })
    ;(seen.stock as { lemons: number[] }).lemons.push(9)
    expect(start.stock).toEqual({ lemons: [1, 2] })
    expect(visibleTo(start, [])).toEqual(start)
  })
})

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
    expect(isVariableType('enum:[sunny, rainy,foggy]')).toBe(true)
    expectTypeOf<'enum:[a]'>().toExtend<VariableType>()
    expectTypeOf<'integer'>().not.toExtend<VariableType>()
  })
})
