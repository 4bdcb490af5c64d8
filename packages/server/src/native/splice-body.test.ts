import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spliceBody } from './splice-body.ts'

type Fields = Readonly<Record<string, unknown>>

const splice = (text: string, change: (fields: Fields) => Fields) => {
  const before = JSON.parse(text) as Fields
  return Buffer.from(spliceBody(Buffer.from(text), before, change(before))).toString()
}

describe('a body with a changed field', () => {
  it('has all others as they were written', () => {
    const text =
      '{ "a" : 1.0,\n "é\\u00e9" : "\\u00e9\\"}\\\\", "seed":18446744073709551615 , "b":[ 1e3 ] }'
    expect(splice(text, fields => ({ ...fields, b: [2], c: 'é' }))).toBe(
      '{ "a" : 1.0,\n "é\\u00e9" : "\\u00e9\\"}\\\\", "seed":18446744073709551615, "b":[2],"c":"é" }',
    )
    expect(splice(text, ({ a: _, ...rest }) => ({ ...rest, b: undefined }))).toBe(
      '{\n "é\\u00e9" : "\\u00e9\\"}\\\\", "seed":18446744073709551615 }',
    )
  })

  it('has the other fields of an object in it, and the entries of a list, as they were written', () => {
    const text =
      '{"options":{"seed": 18446744073709551615,"n":1.0},"list":[ {"x":1.0}, {"y":[ ]}, {"z":"]"}]}'
    const sent = splice(text, ({ options, list, ...rest }) => ({
      ...{ ...rest, options: { ...(options as Fields), n: 2 } },
      list: [(list as readonly object[])[0], { new: 1 }, (list as readonly object[])[2]],
    }))
    expect(sent).toBe(
      '{"options":{"seed": 18446744073709551615,"n":2},"list":[{"x":1.0},{"new":1},{"z":"]"}]}',
    )
  })

  it('has the last value of a name that stands twice', () => {
    expect(splice('{"a":1,"b":2,"a":3}', fields => ({ ...fields, a: 4 }))).toBe('{"b":2,"a":4}')
    expect(splice('{"a":1,"b":2,"a":3}', fields => ({ ...fields, b: 4 }))).toBe(
      '{"a":1,"b":4,"a":3}',
    )
  })
})

it('means what was wanted, of any body', () => {
  const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 })
  fc.assert(
    fc.property(json, json, fc.integer({ min: 0, max: 2 }), (given, added, spaces) => {
      // What JSON cannot tell from another value is not compared.
      const body = JSON.parse(JSON.stringify({ list: [given, added], ...given })) as Fields
      const text = JSON.stringify(body, undefined, spaces)
      const same = JSON.parse(JSON.stringify(added)) as Fields
      const change = (fields: Fields) => ({
        ...fields,
        ...same,
        list: [(fields.list as object[])?.[1], same],
      })
      const wanted = JSON.parse(JSON.stringify(change(JSON.parse(text) as Fields))) as Fields
      expect(JSON.parse(splice(text, change))).toEqual(wanted)
    }),
  )
})
