import { describe, expect, it } from 'vitest'
import { storeCases } from '../testing/store-cases.ts'
import { entry, open } from '../testing/store-cases-help.ts'
import { memoryStore } from './memory-store.ts'

describe('memoryStore', () => {
  for (const { name, run } of storeCases)
    it(name, async () => {
      const store = memoryStore()
      expect(await run(async () => ({ ...store }))).toBeUndefined()
    })

  it('goes by the clock that it is given', async () => {
    let now = 1_000
    const store = memoryStore({ now: () => now })
    const thread = { tenant: '', conversation: 'c', actor: 'a', branch: 'main' }
    await open(store, thread, { leaseMs: 50 })
    now = 1_049
    await expect(open(store, thread)).rejects.toMatchObject({ code: 'turn_open' })
    now = 1_050
    expect((await open(store, thread)).turn.startedAt).toBe(1_050)
  })

  it('takes a limit', async () => {
    const store = memoryStore({ maxEntryBytes: 10 })
    const seed = { expectedHead: 0, entries: [entry('too long')] }
    const thread = { tenant: '', conversation: 'c', actor: 'a', branch: 'main' }
    await expect(store.seed(thread, seed)).rejects.toMatchObject({ code: 'too_large', limit: 10 })
  })
})
