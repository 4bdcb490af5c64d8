import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { marksOf } from './chain.ts'
import { clientMessages } from './client-message.ts'
import { itemsOf } from './item.ts'

const message = (n: number, text = `Message ${n}`) => ({
  role: n % 2 ? 'assistant' : 'user',
  content: text,
})
const talk = (length: number, change: number[] = []) =>
  Array.from({ length }, (_, n) => message(n, change.includes(n) ? 'Something else' : undefined))

/** The mark of all messages up to a user message, from the beginning. */
function markOf(scope: string, messages: readonly { role: string; content: string }[]): string {
  const texts = [scope, ...messages.map(({ role, content }) => `${role}:${content}`)]
  const hash = createHash('sha256').update(texts.map(text => `${text.length}:${text}`).join(''))
  return hash.digest('base64url').slice(0, 22)
}

it('marks a message by all that came before it, whichever lists came before', async () => {
  const lists = [
    ...[101, 103, 99, 301, 299, 303].map(length => talk(length)),
    ...[0, 50, 98, 100].flatMap(at => [talk(101, [at]), talk(303, [at, 200])]),
  ]
  for (const scope of ['ada', 'bob', 'ada'])
    for (const list of [...lists, ...lists.toReversed()])
      for (const from of [0, 63, 64, 65, list.length - 12, list.length - 1]) {
        const last = (await marksOf(itemsOf(clientMessages(list)), scope, from)).at(-1)
        expect(last?.whole).toBe(markOf(scope, list))
      }
})

it('gives the newest marks of a list that was marked before', async () => {
  const items = itemsOf(clientMessages(talk(201)))
  const all = await marksOf(items, 'ada', 100)
  expect(await marksOf(items, 'ada', 190)).toEqual(all.filter(({ item }) => item >= 190))
  expect(await marksOf(items, 'ada', 0)).toHaveLength(101)
  expect((await marksOf(items, 'bob', 190))[0]?.whole).not.toBe(all.at(-6)?.whole)
})

it('lets others have their turn while it marks a long list', async () => {
  const items = itemsOf(clientMessages(talk(4001)))
  let turns = 0
  let isOver = false
  const beat = () => {
    turns += 1
    if (!isOver) setImmediate(beat)
  }
  setImmediate(beat)
  expect(await marksOf(items, 'ada')).toHaveLength(2001)
  isOver = true
  expect(turns).toBeGreaterThan(20)
})
