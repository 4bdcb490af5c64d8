import { pipe, stable } from '@throughline/core/context'
import { memoryStore } from '@throughline/stores/memory'
import { expect, it } from 'vitest'
import { createHistory } from '../index.ts'

it('makes a context of policies that read a long conversation differently, and undo what the other remembered', async () => {
  const policy = pipe(
    { name: 'without two', apply: draft => draft.drop(draft.units.slice(3, 5), 'not wanted') },
    stable(),
    stable(),
  )
  const thread = createHistory({ store: memoryStore(), window: 2048, policy }).thread('long')
  const messages = Array.from({ length: 3000 }, (_, at) => ({
    role: at % 2 ? 'assistant' : 'user',
    content: `Berth ${at} is free.`,
  }))
  for (let at = 0; at < messages.length; at += 1000)
    await thread.seed(...messages.slice(at, at + 1000))
  await thread.begin({ role: 'user', content: 'Which berth is free?' })
  const { receipt } = await thread.context()
  expect(receipt.counts.omitted).toBeGreaterThan(2000)
})
