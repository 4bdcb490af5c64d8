import { expect, it } from 'vitest'
import { putNewest } from './put-newest.ts'

it('keeps the values that were put last', () => {
  const map = new Map<string, number>()
  for (const [at, key] of ['a', 'b', 'a', 'c', 'd', 'd'].entries())
    expect(putNewest(map, key, at, 3)).toBe(at)
  expect([...map]).toEqual([
    ['a', 2],
    ['c', 3],
    ['d', 5],
  ])
  putNewest(map, 'e', 6, 3)
  expect([...map.keys()]).toEqual(['c', 'd', 'e'])
})
