import fc from 'fast-check'
import { expect, it } from 'vitest'
import { describePlace, splitLines } from './split-lines.ts'

const under = (text: string) =>
  splitLines(text)!.map(line => [line.text.trim(), describePlace(line)])

it('gives lines that are the text when they are joined', () => {
  const text = fc.array(
    fc.constantFrom('a', '- b', '  c: 1', '\tx', '', ' ', '{', '}', '# h', 'k:'),
    {
      maxLength: 40,
    },
  )
  fc.assert(
    fc.property(text, lines => {
      const given = lines.join('\n')
      const split = splitLines(given)!
      expect(split.map(({ text }) => text).join('\n')).toBe(given)
      // Empty lines belong to the line before.
      if (split.length > 1) expect(split.every(({ text }) => text.trim() !== '')).toBe(true)
    }),
  )
})

it('names what a line stands under', () => {
  expect(
    under("Devices:\n- names: Lamp\n  state: 'on'\n- names: Fan\n  state: 'on'\n\nBe brief."),
  ).toEqual([
    ['Devices:', ''],
    ['- names: Lamp', 'Devices:'],
    ["state: 'on'", 'names: Lamp'],
    ['- names: Fan', 'Devices:'],
    ["state: 'on'", 'names: Fan'],
    ['Be brief.', 'Devices:'],
  ])
  expect(under('kitchen:\n  lights:\n    state: on\nhall:\n  lights:\n    state: off')).toEqual([
    ['kitchen:', ''],
    ['lights:', 'kitchen:'],
    ['state: on', 'kitchen: › lights:'],
    ['hall:', ''],
    ['lights:', 'hall:'],
    ['state: off', 'hall: › lights:'],
  ])
})

it('names an object of JSON by its first line', () => {
  const json = JSON.stringify({ list: [{ name: 'lamp', state: 'on' }] }, null, 2)
  expect(under(json).find(([line]) => line?.startsWith('"state"'))).toEqual([
    '"state": "on"',
    '"list": [ › "name": "lamp",',
  ])
})

it('tells equal lines of different items apart', () => {
  const lines = splitLines("- names: Lamp\n  state: 'on'\n- names: Fan\n  state: 'on'")!
  expect(new Set(lines.map(({ id }) => id)).size).toBe(4)
})

it('gives nothing for a prompt of too many lines', () => {
  expect(splitLines('x\n'.repeat(5000))).toBeUndefined()
  expect(splitLines('x'.repeat(1_000_001))).toBeUndefined()
})
