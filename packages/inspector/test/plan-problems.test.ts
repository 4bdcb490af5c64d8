import { expect, it } from 'vitest'
import { ApiError } from '../src/api/api-error.ts'
import { problemsOf, readPlanText } from '../src/views/experiments/plan-problems.ts'

const text = `{
  "name": "a { \\" [",
  "roles": [
    { "name": "one", "tools": ["x", "y"] },
    { "name": "two", "tools": [] }
  ],
  "environment": { "cash": { "type": "int", "value": [1, {"a": 2}] } }
}`
const refused = (problem: string) => new ApiError(422, { problems: [problem] })

/** What stands at the place of a problem that the server found. */
const foundIn = (text: string, place: string) => {
  const [problem] = problemsOf(refused(`${place}: it is wrong`), text)
  expect(problem).toMatchObject({ place, problem: 'it is wrong' })
  return text.slice(problem!.from, problem!.to)
}
const found = (place: string) => foundIn(text, place)

it('finds values in the text of JSON by their places', () => {
  expect(found('roles[0].tools[1]')).toBe('"y"')
  expect(found('roles[1].name')).toBe('"two"')
  expect(found('name')).toBe('"a { \\" ["')
  expect(found('environment.cash.value[1].a')).toBe('2')
  expect(found('')).toBe(text)
})

it('finds what is missing at the value that it should stand in', () => {
  expect(found('roles[1].model')).toBe('{ "name": "two", "tools": [] }')
  expect(found('roles[7]')).toMatch(/^\[[\s\S]*\]$/)
  expect(found('goals[0].holds')).toBe(text)
  expect(found('name[0].x')).toBe('"a { \\" ["')
})

it('finds every value of random JSON', () => {
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed % below
  }
  const make = (depth: number): unknown => {
    if (depth === 0 || random(3) === 0) return [1, 'a"]}', true, null, -2.5e3, ''][random(6)]
    if (random(2) === 0) return Array.from({ length: random(4) }, () => make(depth - 1))
    return Object.fromEntries(
      Array.from({ length: random(4) }, (_, at) => [`k${at}`, make(depth - 1)]),
    )
  }
  const check = (text: string, value: unknown, place: string) => {
    expect(JSON.parse(foundIn(text, place))).toEqual(value)
    if (Array.isArray(value))
      for (const [at, one] of value.entries()) check(text, one, `${place}[${at}]`)
    else if (typeof value === 'object' && value !== null)
      for (const [name, one] of Object.entries(value)) check(text, one, `${place}.${name}`)
  }
  for (let round = 0; round < 200; round++) {
    const value = make(4)
    check(JSON.stringify({ value }, null, random(3)), value, 'value')
  }
})

it('says where a text is no JSON', () => {
  const read = readPlanText('{\n  "name": oops\n}')
  expect(read).toMatchObject({ problem: { line: 2, problem: expect.stringContaining('no JSON') } })
  expect(readPlanText('[]')).toMatchObject({ problem: { line: 1 } })
  expect(readPlanText('{"name":"x"}')).toEqual({ plan: { name: 'x' } })
})

/** Where a text is said to stop being JSON. */
const breakIn = (text: string) => {
  const read = readPlanText(text)
  return 'problem' in read ? read.problem.from : text.length
}

it('finds where a text stops being JSON, wherever it was damaged', () => {
  const text = JSON.stringify(
    { name: 'a', roles: [{ x: 1, y: [true, null, -2.5e3] }], t: 'q"' },
    null,
    1,
  )
  let broken = 0
  for (let at = 0; at < text.length; at++)
    for (const put of ['', '}', 'x', ',', '"', ':']) {
      const damaged = text.slice(0, at) + put + text.slice(at + 1)
      try {
        JSON.parse(damaged)
      } catch {
        broken += 1
        // A prefix up to the place may still become JSON; with what follows it cannot.
        expect(breakIn(damaged), JSON.stringify(damaged)).toBeLessThanOrEqual(damaged.length)
        expect(breakIn(damaged), JSON.stringify(damaged)).toBeGreaterThanOrEqual(
          Math.max(0, at - 9),
        )
      }
    }
  expect(broken).toBeGreaterThan(100)
  expect(breakIn(text)).toBe(text.length)
  expect(breakIn('{"a": 1,}')).toBe(8)
  expect(breakIn('[1 2]')).toBe(3)
})

it('shows a problem at the start of JSON that is too deep for it', () => {
  const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
  expect(problemsOf(refused('a[0]: it is wrong'), deep)).toMatchObject([{ from: 0, line: 1 }])
  expect(readPlanText('['.repeat(50_000))).toMatchObject({
    problem: { problem: expect.stringContaining('no JSON') },
  })
})
