import { ModelError } from '@throughline/models/model'
import { describe, expect, it } from 'vitest'
import { createSlots, type SlotUse } from './create-slots.ts'

const slotsOf = (total_slots: unknown, build_info = 'b6000') =>
  createSlots({ ask: async () => ({ total_slots, build_info }) }, 'auto')

describe('createSlots', () => {
  it('gives a conversation its own slot, also while that is in use, and nobody else', async () => {
    const slots = slotsOf(1)
    const ahead = await slots.take('ada')
    const second = await slots.take('ada')
    expect([ahead?.id, second?.id]).toEqual([0, 0])
    ahead!.release()
    expect(await slots.take('bob')).toBeUndefined()
    second!.release()
    expect((await slots.take('bob'))?.id).toBe(0)
  })

  it('gives up an empty slot, then one of side requests, then the one that was not used for longest', async () => {
    const slots = slotsOf(3)
    const use = async (name: string, how?: SlotUse) => {
      const slot = await slots.take(name, how)
      slot!.release()
      return slot!.id
    }
    expect([await use('ada'), await use('side', 'side'), await use('bob')]).toEqual([0, 1, 2])
    expect([await use('cy'), await use('dora')]).toEqual([1, 0])
  })

  it('believes no number of slots, and asks a server that was away again', async () => {
    for (const total of [0, -1, 1e9, '4', undefined])
      expect(await slotsOf(total).take('ada')).toBeUndefined()
    let requests = 0
    const slots = createSlots(
      {
        async ask() {
          requests += 1
          if (requests === 1) throw new ModelError('model_unavailable', 'away')
          return { total_slots: 2 }
        },
      },
      'auto',
    )
    expect(await slots.isLlama()).toBe(false)
    expect(await slots.isLlama()).toBe(true)
    expect(requests).toBe(2)
  })
})
