import { expect, it } from 'vitest'
import { createTape } from './tape.ts'

async function all<Item>(batches: AsyncIterable<readonly Item[]>): Promise<readonly Item[]> {
  const items: Item[] = []
  for await (const batch of batches) for (const item of batch) items.push(item)
  return items
}

it('gives every reader all items from where it begins, whenever it comes', async () => {
  const tape = createTape<number>()
  const early = all(tape.read())
  for (let n = 0; n < 1000; n++) tape.push(n)
  const late = all(tape.read({ from: 997 }))
  tape.push(1000)
  tape.end()
  expect(await early).toEqual(Array.from({ length: 1001 }, (_, n) => n))
  expect(await late).toEqual([997, 998, 999, 1000])
  expect(await all(tape.read({ from: -5 }))).toHaveLength(1001)
})

it('keeps only the newest, and sends a reader away that falls behind them', async () => {
  const tape = createTape<number>(3)
  const slow = tape.read()
  tape.push(0)
  expect((await slow.next()).value).toEqual([0])
  for (let n = 1; n < 4; n++) tape.push(n)
  expect((await slow.next()).value).toEqual([1, 2, 3])
  for (let n = 4; n < 8; n++) tape.push(n)
  await expect(slow.next()).rejects.toMatchObject({ code: 'too_slow' })
  tape.end()
  expect(await all(tape.read())).toEqual([5, 6, 7])
  expect(tape.length).toBe(8)
})

it('gives what comes next to a reader that names a number which has not come', async () => {
  const tape = createTape<string>()
  tape.push('old')
  const reader = all(tape.read({ from: 500 }))
  tape.push('new')
  tape.end()
  expect(await reader).toEqual(['new'])
})

it('ends for a reader whose signal is aborted, while it waits', async () => {
  const tape = createTape<string>()
  const left = new AbortController()
  const reader = all(tape.read({ signal: left.signal }))
  tape.push('one')
  await new Promise(setImmediate)
  left.abort()
  expect(await reader).toEqual(['one'])
})
