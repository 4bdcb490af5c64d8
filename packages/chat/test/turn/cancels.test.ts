import { createHistory } from '@throughline/history/threads'
import { memoryStore } from '@throughline/stores/memory'
import type { Store } from '@throughline/stores/store'
import { expect, it, onTestFinished } from 'vitest'
import { createCancels } from '../../src/turn/cancels.ts'

it('a wish to cancel is for one try of a turn: the next try goes on', async () => {
  const store = memoryStore()
  let looks = 0
  const counted: Store = {
    ...store,
    findMarks(...given) {
      looks += 1
      return store.findMarks(...given)
    },
  }
  const giving = createCancels(counted, 1)
  const asking = createCancels(store, 1)
  onTestFinished(() => {
    giving.close()
    asking.close()
  })
  const thread = createHistory({ store }).thread('talk')
  const begun = await thread.begin({ role: 'user', content: 'Count.' })
  if (begun.kind !== 'begun') throw new Error('expected a new turn')
  expect(await asking.cancel(thread.key, { conversation: 'talk' })).toBe('asked')
  await begun.turn.leave()
  await thread.resume()
  let cancelled = 0
  const over = giving.watch(thread.key, () => {
    cancelled += 1
  })
  await expect.poll(() => looks).toBeGreaterThan(4)
  expect(cancelled).toBe(0)
  expect(await asking.cancel(thread.key, { conversation: 'talk' })).toBe('asked')
  await expect.poll(() => cancelled).toBeGreaterThan(0)
  over()
})
