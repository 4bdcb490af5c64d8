import { words } from '@throughline/core/counters'
import { memoryStore } from '@throughline/stores/memory'
import type { Store } from '@throughline/stores/store'
import { expect, it } from 'vitest'
import { createHistory } from '../create-history.ts'
import { createPassages } from './find-quotes.ts'

const count = words()

/** Exchanges with ids that tell whose they are. */
async function say(
  store: Store,
  person: string,
  conversation: string,
  actor: string,
  exchanges: number,
) {
  let ids = 0
  const history = createHistory({ store, count, person, newId: () => `${person} ${++ids}` })
  const thread = history.thread(conversation, { actor })
  const messages = Array.from({ length: exchanges }, (_, n) => [
    { role: 'user' as const, content: `The heron sleeps ${n}.` },
    { role: 'assistant' as const, content: 'Good night.' },
  ])
  await thread.seedTurns(messages.flat())
  return thread.key
}

it('are those of their thread, whatever is in the names of others', async () => {
  const store = memoryStore()
  const bob = await say(store, 'bob', 'a', 'b/c', 2)
  const ann = await say(store, 'ann', 'a/b', 'c', 40)
  const passages = createPassages({ store, count })
  const idsOf = async (thread: typeof ann): Promise<readonly string[]> =>
    JSON.parse((await passages.read(thread, 1)).ids)
  expect((await idsOf(bob)).filter(id => !id.startsWith('bob'))).toEqual([])
  expect((await idsOf(ann)).filter(id => !id.startsWith('ann'))).toEqual([])
  expect(await idsOf(ann)).toHaveLength(80)
  const later = createPassages({ store, count })
  expect(JSON.parse((await later.read(ann, 1)).ids)).toEqual(await idsOf(ann))
})

it('are prepared when enough is new, and not for every entry', async () => {
  const bare = memoryStore()
  let reads = 0
  const store: Store = {
    ...bare,
    entries(...given) {
      reads += 1
      return bare.entries(...given)
    },
  }
  const thread = await say(store, 'ann', 'herons', 'assistant', 20)
  const passages = createPassages({ store, count })
  await passages.prepare(thread, 1, 31)
  expect(reads).toBe(0)
  await passages.prepare(thread, 32, 32)
  expect(reads).toBe(1)
  await passages.prepare(thread, 33, 40)
  expect(reads).toBe(1)
  expect((await passages.read(thread, 1)).seqs).toHaveLength(40)
})
