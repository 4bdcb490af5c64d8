import { describe, expect, it } from 'vitest'
import { createReadAhead } from './create-read-ahead.ts'

/** Reads ahead at one upstream, and remembers for which conversations. */
function start(slots: number, openTurnMs?: number) {
  const read: string[] = []
  const ahead = createReadAhead({ onRead() {}, quietMs: 0, openTurnMs })
  return {
    read,
    answer(conversation: string, isOver = true) {
      ahead.serve('one', conversation, slots)
      if (!isOver) return ahead.leaveOpen('one', conversation)
      ahead.offer({
        ...{ upstream: 'one', conversation },
        async read() {
          read.push(conversation)
          return 100
        },
      })
    },
    lose: () => ahead.lose('one'),
    async untilIdle() {
      ahead.start()
      await expect.poll(() => ahead.isReading).toBe(false)
    },
  }
}

describe('createReadAhead', () => {
  it('reads for as many of the last conversations as the upstream has slots', async () => {
    for (const [slots, read] of [
      [1, ['cy']],
      [2, ['cy', 'bob']],
    ] as const) {
      const upstream = start(slots)
      for (const name of ['ada', 'bob', 'cy']) upstream.answer(name)
      await upstream.untilIdle()
      expect(upstream.read).toEqual(read)
    }
  })

  it('leaves the slot of an open turn alone, and reads in the others', async () => {
    for (const [slots, read] of [
      [1, []],
      [2, ['bob']],
      [3, ['bob', 'ada']],
    ] as const) {
      const upstream = start(slots)
      upstream.answer('ada')
      upstream.answer('agent', false)
      upstream.answer('bob')
      await upstream.untilIdle()
      expect(upstream.read).toEqual(read)
    }
  })

  it('reads once a client that runs its tools counts as gone, or comes back', async () => {
    const gone = start(1, 0)
    gone.answer('agent', false)
    gone.answer('bob')
    await expect.poll(() => gone.read).toEqual(['bob'])
    const back = start(1)
    back.answer('agent', false)
    back.answer('agent')
    await back.untilIdle()
    expect(back.read).toEqual(['agent'])
  })

  it('reads again what a side request took', async () => {
    const upstream = start(1)
    upstream.answer('ada')
    await upstream.untilIdle()
    upstream.lose()
    await upstream.untilIdle()
    expect(upstream.read).toEqual(['ada', 'ada'])
  })
})
