import { describe, expect, expectTypeOf, it } from 'vitest'
import { InvalidOptionError } from '../log/error.ts'
import { defineState, type State } from './define-state.ts'
import { hypothesis, preferences, variants } from './experiment.fixture.ts'
import { createStateReader, readState } from './read-state.ts'
import { list, number, object, text } from './schema.fixture.ts'

const schema = object({ items: list(object({ id: text(), size: number() })) })

describe('the text for a missing state', () => {
  it.each([
    [
      hypothesis.missing,
      'No hypothesis available. Please generate hypotheses first using the generate_hypotheses tool.',
    ],
    [
      variants.missing,
      'No variants available. Please generate variants first using the generate_variants tool.',
    ],
    [
      defineState({ name: 'experiment', tool: ['create_experiment', 'clone_experiment'], schema })
        .missing,
      'No experiment available. Please create experiment first using the create_experiment tool.',
    ],
    [
      defineState({ name: 'variants', tool: 'generateVariants', schema }).missing,
      'No variants available. Please generate variants first using the generateVariants tool.',
    ],
    [
      defineState({ name: 'page', tool: 'web__read_page', schema }).missing,
      'No page available. Please read page first using the web__read_page tool.',
    ],
    [
      defineState({ name: 'weather', tool: 'forecast', schema }).missing,
      'No weather available. Please use the forecast tool first.',
    ],
    [
      defineState({ name: 'cart', tool: 'x', schema, missing: 'Fill the cart.' }).missing,
      'Fill the cart.',
    ],
  ])('is made of its name and its tool: %s', (given, expected) => {
    expect(given).toBe(expected)
  })
})

describe('types', () => {
  interface Item {
    id: string
    size: number
  }

  it('come from the schema, and from pick', () => {
    const whole = defineState({ name: 'items', tool: 'list_items', schema })
    expectTypeOf(readState([], whole).value).toEqualTypeOf<{ items: Item[] } | undefined>()
    const first = defineState({
      name: 'item',
      tool: 'list_items',
      schema,
      pick: result => result.items[0],
    })
    expectTypeOf(first).toEqualTypeOf<State<Item, undefined>>()
    expectTypeOf(createStateReader(first).value()).toEqualTypeOf<Item | undefined>()
    expect(createStateReader(first).value()).toBeUndefined()
  })

  it('come from fold, which gets what pick gives', () => {
    const sizes = defineState({
      name: 'sizes',
      tool: 'list_items',
      schema,
      pick: result => result.items.length,
      fold: (previous: number[] | undefined, length) => {
        expectTypeOf(length).toEqualTypeOf<number>()
        return [...(previous ?? []), length]
      },
      belongsTo: length => {
        expectTypeOf(length).toEqualTypeOf<number>()
        return undefined
      },
    })
    expectTypeOf(readState([], sizes).value).toEqualTypeOf<number[] | undefined>()
    expect(readState([], sizes).value).toBeUndefined()
  })

  it('leave out undefined when there is an initial value', () => {
    expectTypeOf(readState([], preferences).value).toEqualTypeOf<Readonly<Record<string, string>>>()
    const newest = defineState({
      name: 'items',
      tool: 'list_items',
      schema,
      initial: { items: [] },
    })
    expectTypeOf(readState([], newest).value).toEqualTypeOf<{ items: Item[] }>()
    expect(readState([], newest).value).toEqual({ items: [] })
  })

  it('refuse an initial value of another type', () => {
    // @ts-expect-error a number is no list of items
    const state = defineState({ name: 'items', tool: 'list_items', schema, initial: 5 })
    // Only the types refuse it.
    expect(readState([], state).value).toBe(5)
  })
})

describe('a wrong description', () => {
  const define = defineState as unknown as (options: unknown) => unknown

  it.each([
    [{ name: '', tool: 'x', schema }, 'name'],
    [{ name: 'a', schema }, 'tool'],
    [{ name: 'a', tool: [], schema }, 'tool'],
    [{ name: 'a', tool: ['x', ''], schema }, 'tool'],
    [{ name: 'a', tool: 'x' }, 'schema'],
    [{ name: 'a', tool: 'x', schema: { parse: () => 1 } }, 'schema'],
    [{ name: 'a', tool: 'x', schema, initial: new Map() }, 'initial'],
    [{ name: 'a', tool: 'x', schema, initial: { deep: [new Date(0)] } }, 'initial'],
    [{ name: 'a', tool: 'x', schema, initial: { run: () => 1 } }, 'initial'],
  ])('names the option: %#', (options, option) => {
    expect(() => define(options)).toThrow(InvalidOptionError)
    expect(() => define(options)).toThrow(`Option "${option}"`)
  })

  it('takes a schema that is a function, as those of arktype are', () => {
    const callable = Object.assign(() => 1, { '~standard': schema['~standard'] })
    expect(define({ name: 'a', tool: 'x', schema: callable })).toMatchObject({ tools: ['x'] })
  })
})

it('keeps its initial value from whoever wants to change it', () => {
  const initial = { seen: ['a'] }
  const state = defineState({
    name: 'seen',
    tool: 'see',
    schema: object({ seen: list(text()) }),
    initial,
  })
  initial.seen.push('b')
  const { value } = readState([], state)
  expect(value).toEqual({ seen: ['a'] })
  expect(() => value.seen.push('c')).toThrow(TypeError)
  expect(Object.isFrozen(initial)).toBe(false)
})
