import { setTimeout as wait } from 'node:timers/promises'
import { createHistory } from '@throughline/history'
import { memoryStore } from '@throughline/stores/memory'
import type { Store } from '@throughline/stores/store'
import { describe, expect, it } from 'vitest'
import { patientStore, withPatience } from './patient-store.ts'

/** A store that takes its time for one thread, and is otherwise quick. */
function start() {
  const quick = memoryStore()
  const head: Store['head'] = async key => {
    if (key.conversation === thread.conversation) await wait(1000)
    return quick.head(key)
  }
  const store = patientStore({ ...quick, head })
  return { store, history: createHistory({ store: quick }), ask: () => store.head(thread) }
}

const thread = { tenant: '', conversation: 'kitchen', actor: 'assistant', branch: 'main' }

describe('patientStore', () => {
  it('gives a store up that does nothing, however often it may be waited for', async () => {
    const { ask } = start()
    await expect(withPatience(50, ask, 100)).rejects.toMatchObject({ code: 'store_unavailable' })
  })

  it('waits for a store that writes for others, only where it may', async () => {
    const { store, ask } = start()
    const others = createHistory({ store })
    let isOver = false
    const writing = (async () => {
      for (let n = 0; !isOver; n++) {
        await others.thread(`garden ${n}`).seed({ role: 'user', content: 'A word.' })
        await wait(5)
      }
    })()
    const hasty = withPatience(150, ask)
    const needy = withPatience(150, ask, 100)
    await expect(hasty).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(needy).resolves.toBeUndefined()
    isOver = true
    await writing
  })
})
