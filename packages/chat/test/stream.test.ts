import { setTimeout as sleep } from 'node:timers/promises'
import type { Model } from '@throughline/models'
import { inChat, newHistory } from '@throughline/test-tools/chat-help'
import { describe, expect, it } from 'vitest'
import { createChat } from '../src/index.ts'

/** A model that counts the words that were read from it. */
function counting(words = 100) {
  const taken = { count: 0, isOver: false }
  const model: Model = {
    name: 'counting',
    window: async () => 4096,
    async *stream() {
      try {
        for (let word = 0; word < words; word++) {
          taken.count += 1
          yield { type: 'text-delta', text: `${word} ` }
        }
        yield { type: 'end', reason: 'stop', usage: {} }
      } finally {
        taken.isOver = true
      }
    },
  }
  return { model, taken }
}

describe('a reply', () => {
  it('that nobody reads does nothing', async () => {
    const history = newHistory()
    const { model, taken } = counting()
    createChat({ history, model }).send('Count.', inChat)
    await sleep(20)
    expect(taken.count).toBe(0)
    expect(await history.thread('chat').messages()).toEqual([])
  })

  it('is pulled: a reader that does not read on stops nothing but itself', async () => {
    const history = newHistory()
    const { model, taken } = counting()
    const chat = createChat({ history, model })
    const slow = chat.send('Count.', { conversation: 'slow' })[Symbol.asyncIterator]()
    for (let parts = 0; parts < 4; parts++) await slow.next()
    const before = taken.count
    expect(before).toBeLessThan(6)
    const other = await chat.send('Count.', { conversation: 'other' }).result()
    expect(other.text).toContain('99')
    await sleep(20)
    expect(taken.count).toBe(before + 100)
    let last: unknown
    for (let next = await slow.next(); !next.done; next = await slow.next()) last = next.value
    expect(last).toMatchObject({ type: 'end', status: 'completed' })
  })

  it('runs to its end for its result alone, however often it is asked for', async () => {
    const history = newHistory()
    const { model, taken } = counting()
    const reply = createChat({ history, model }).send('Count.', inChat)
    const [one, two] = await Promise.all([reply.result(), reply.result()])
    expect(one).toBe(two)
    expect(taken).toEqual({ count: 100, isOver: true })
  })

  it('is whole when the model has said so, whatever it does afterwards', async () => {
    let isOver = false
    const lingering: Model = {
      name: 'lingering',
      window: async () => 4096,
      async *stream({ signal }) {
        yield { type: 'text-delta', text: 'Done.' }
        yield { type: 'end', reason: 'stop', usage: {} }
        await new Promise(resolve => signal?.addEventListener('abort', resolve))
        isOver = true
      },
    }
    const reply = createChat({ history: newHistory(), model: lingering, stallMs: 50 }).send(
      'Hello.',
      inChat,
    )
    expect(await reply.result()).toMatchObject({ status: 'completed', text: 'Done.' })
    await expect.poll(() => isOver).toBe(true)
  })

  it('lets the model go when its reader has left', async () => {
    const { model, taken } = counting()
    for await (const part of createChat({ history: newHistory(), model }).send('Count.', inChat))
      if (part.type === 'text-delta') break
    await expect.poll(() => taken.isOver).toBe(true)
    expect(taken.count).toBeLessThan(4)
  })
})
