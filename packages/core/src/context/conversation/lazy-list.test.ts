import { expect, it } from 'vitest'
import { lazyList } from './lazy-list.ts'

/** A list of squares: the first ten are made when they are read, two more were added. */
function squares() {
  const made: number[] = []
  const list = lazyList(10, at => {
    made.push(at)
    return at * at
  })
  list.push(100, 121)
  return { list, made }
}

const plain = () => Array.from({ length: 12 }, (_, at) => at * at)

it('gives what a list gives', () => {
  const asked: ((list: number[]) => unknown)[] = [
    list => list.length,
    list => list[3],
    list => list[11],
    list => list[12],
    list => list.at(-1),
    list => list.at(-5),
    list => 4 in list,
    list => 12 in list,
    list => [...list],
    list => list.map(one => one + 1),
    list => list.filter(one => one % 2 === 0),
    list => list.flatMap(one => [one, one]),
    list => list.reduce((sum, one) => sum + one, 0),
    list => list.findLastIndex(one => one < 50),
    list => list.findLast(one => one < 50),
    list => [list.indexOf(49), list.indexOf(50), list.includes(81)],
    list =>
      [[], [3], [0, 4], [2, 11], [-3], [0, -3], [0, 99], [0, 0]].map(range => [
        ...list.slice(...range),
      ]),
    list => [...list.entries()],
    list => JSON.stringify(list),
    list => Array.isArray(list),
  ]
  for (const ask of asked) expect(ask(squares().list)).toEqual(ask(plain()))
})

it('makes only what is read, and once', () => {
  const { list, made } = squares()
  expect([list[4], list[4], list[11]]).toEqual([16, 16, 121])
  expect(made).toEqual([4])
})

it('takes what is set', () => {
  const { list, made } = squares()
  list[4] = -1
  list[12] = 144
  expect([list[4], list.at(-1), list.length]).toEqual([-1, 144, 13])
  expect(made).toEqual([])
})

it('is copied from its beginning without being made, and each goes on by itself', () => {
  const { list, made } = squares()
  const copy = list.slice(0, 11)
  expect(made).toEqual([])
  copy.push(-1)
  list[10] = -2
  expect([...copy]).toEqual([...plain().slice(0, 11), -1])
  expect([...copy.slice(0, 3)]).toEqual([0, 1, 4])
  expect([...list]).toEqual(plain().with(10, -2))
})
