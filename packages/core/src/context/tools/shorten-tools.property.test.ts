import fc from 'fast-check'
import { expect, it } from 'vitest'
import { estimate } from '../../tokens/estimate.ts'
import { shortenTools } from './shorten-tools.ts'

const count = estimate()
const text = fc.oneof(
  fc.lorem({ maxCount: 60, mode: 'sentences' }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.constantFrom(
    'Example: a.\n\nUse it. Well.',
    '```\ncode\n```\nText. More.',
    'a\n\n<example>b</example>\n\nc',
  ),
)
/** Names that are keywords, too: they must stay names. */
const name = fc.oneof(
  fc.constantFrom(
    'description',
    'examples',
    'properties',
    'items',
    '__proto__',
    'default',
    'enum',
    'title',
  ),
  fc.string({ maxLength: 8 }),
)
const leaf = fc.record({ type: fc.constantFrom('string', 'number'), description: text })

/** Schemas with at most this number of levels. */
function schemaOf(levels: number): fc.Arbitrary<object> {
  if (levels === 0) return leaf
  const inner = schemaOf(levels - 1)
  return fc.record(
    {
      type: fc.constantFrom('object', 'array'),
      description: text,
      enum: fc.array(text, { maxLength: 3 }),
      default: fc.jsonValue({ maxDepth: 2 }),
      const: fc.record({ description: text }),
      examples: fc.array(text, { maxLength: 2 }),
      properties: fc.dictionary(name, inner, { maxKeys: 3 }),
      items: fc.oneof(fc.boolean(), inner),
      anyOf: fc.array(inner, { maxLength: 2 }),
      required: fc.array(name, { maxLength: 3 }),
    },
    { requiredKeys: ['type'] },
  )
}

const tool = fc.record({
  name: fc.string({ minLength: 1, maxLength: 12 }),
  description: text,
  parameters: schemaOf(3),
})
/** As they come from a client: JSON knows no −0. */
const tools = fc
  .array(tool, { minLength: 1, maxLength: 4 })
  .map(list => JSON.parse(JSON.stringify(list)) as readonly object[])

const runs = { numRuns: process.env.THROUGHLINE_LONG ? 2000 : 12 }

type Fields = Record<string, unknown>

/** All that must stay: everything but the texts of descriptions and what examples hold. Written apart from the code. */
function skeleton(value: unknown, kind: 'tool' | 'schema' | 'names' | 'data'): unknown {
  if (kind === 'data' || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(one => skeleton(one, kind))
  return Object.entries(value as Fields).flatMap(([key, inner]) => {
    if (kind === 'names') return [[key, skeleton(inner, 'schema')]]
    if (key === 'description' && typeof inner === 'string')
      return [[key, inner.trim() === '' ? inner : 'text']]
    if (kind === 'tool') return [[key, skeleton(inner, key === 'parameters' ? 'schema' : 'data')]]
    if (key === 'examples') return []
    if (key === 'properties') return [[key, skeleton(inner, 'names')]]
    return [[key, skeleton(inner, key === 'items' || key === 'anyOf' ? 'schema' : 'data')]]
  })
}

const skeletons = (list: readonly unknown[]) => list.map(one => skeleton(one, 'tool'))

it('keeps names, types, enums, order and all else that a schema demands', () => {
  fc.assert(
    fc.property(tools, fc.nat(3000), (given, most) => {
      const { tools: sent } = shortenTools(given, most, count)
      expect(skeletons(sent)).toEqual(skeletons(given))
      expect(() => JSON.parse(JSON.stringify(sent))).not.toThrow()
    }),
    runs,
  )
})

it('gives the same bytes twice, never longer ones, and changes nothing that it is given', () => {
  fc.assert(
    fc.property(tools, fc.nat(3000), (given, most) => {
      const before = JSON.stringify(given)
      const first = shortenTools(given, most, count)
      const again = shortenTools(JSON.parse(before), most, count)
      expect(JSON.stringify(again.tools)).toBe(JSON.stringify(first.tools))
      expect(JSON.stringify(given)).toBe(before)
      expect(first.saved).toBeGreaterThanOrEqual(0)
      expect(first.saved).toBe(count.tools(given) - count.tools(first.tools))
    }),
    runs,
  )
})

it('saves no less with a smaller limit, and only what is needed', () => {
  fc.assert(
    fc.property(tools, fc.nat(3000), fc.nat(3000), (given, a, b) => {
      const [less, more] = [Math.min(a, b), Math.max(a, b)]
      const [small, large] = [shortenTools(given, less, count), shortenTools(given, more, count)]
      expect(count.tools(small.tools)).toBeLessThanOrEqual(count.tools(large.tools))
      if (count.tools(given) <= more) expect(large.tools).toBe(given)
      else if (count.tools(large.tools) > more)
        expect(count.tools(large.tools)).toBe(count.tools(shortenTools(given, 0, count).tools))
    }),
    runs,
  )
})

it('has a skeleton that sees a lost enum and a renamed argument', () => {
  const one = { name: 'a', parameters: { properties: { x: { enum: ['1'] } } } }
  for (const properties of [{ x: {} }, { y: { enum: ['1'] } }, { x: { enum: ['2'] } }])
    expect(skeletons([{ ...one, parameters: { properties } }])).not.toEqual(skeletons([one]))
})

it('takes texts and schemas of any size', () => {
  const long = `${'word '.repeat(200_000)}${'<example>'.repeat(50_000)}${'\n\n'.repeat(50_000)}`
  let deep: Fields = { description: 'Deep. Down.' }
  for (let depth = 0; depth < 500; depth++) deep = { properties: { a: deep } }
  const { saved } = shortenTools([{ name: 'a', description: long, parameters: deep }], 0, count)
  expect(saved).toBeGreaterThan(100_000)
})
