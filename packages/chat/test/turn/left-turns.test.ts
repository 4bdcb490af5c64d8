import { createHistory, type Thread } from '@throughline/history/threads'
import { memoryStore } from '@throughline/stores/memory'
import type { Store } from '@throughline/stores/store'
import { expect, it } from 'vitest'

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })
const threadOn = (store: Store) => createHistory({ store }).thread('talk')

async function begin(thread: Thread, text: string, key?: string) {
  const begun = await thread.begin(user(text), { key })
  if (begun.kind !== 'begun') throw new Error('expected a new turn')
  return begun.turn
}

/** Begins a turn whose model call fails, and leaves it open. */
async function leaveFailed(thread: Thread, text: string, key?: string) {
  const turn = await begin(thread, text, key)
  const context = await thread.context({ window: 4096 })
  const call = await thread.startCall(context, { model: 'm', turn: turn.number })
  await call.end({ status: 'failed', error: 'model_unavailable' })
  await turn.leave()
}

const textsOf = async (thread: Thread) => (await thread.messages()).map(({ content }) => content)

it('the next turn keeps the note of a turn that was left, whether or not a part of its answer came', async () => {
  for (const part of [[], [assistant('I beg')]]) {
    const thread = threadOn(memoryStore())
    const turn = await begin(thread, 'Look.')
    const call = { id: 'c1', function: { name: 'look', arguments: {} } }
    await turn.append({
      message: { ...assistant(''), tool_calls: [call] },
      data: { note: 'heron' },
    })
    await turn.append({ role: 'tool', tool_call_id: 'c1', content: 'a boat' })
    await turn.leave(...part)
    expect(await thread.notes()).toEqual([])
    await begin(thread, 'Something else.')
    expect(await thread.notes()).toEqual(['heron'])
  }
})

it('a turn that is resumed and then fails is closed, though a part of an answer broke off before', async () => {
  const thread = threadOn(memoryStore())
  await (await begin(thread, 'Count.')).leave(assistant('One'))
  const { turn } = (await thread.resume())!
  await turn.fail('model_unavailable')
  expect((await textsOf(thread)).at(-1)).toBe('[This turn failed: model_unavailable.]')
})

it('a turn that was left is free again at once when the write that closes it fails', async () => {
  const store = memoryStore()
  let isFull = false
  const failing: Store = {
    ...store,
    begin: (...given) =>
      isFull ? Promise.reject(new Error('the disk is full')) : store.begin(...given),
  }
  const thread = threadOn(failing)
  await leaveFailed(thread, 'Count.')
  isFull = true
  await expect(begin(thread, 'On.')).rejects.toThrow('the disk is full')
  isFull = false
  expect((await thread.status()).state).toBe('interrupted')
  await begin(thread, 'On.')
  expect(await textsOf(thread)).toEqual(['Count.', '[This turn failed: model_unavailable.]', 'On.'])
})

it('the key of a turn that was left gives that turn back, and closes nothing', async () => {
  const thread = threadOn(memoryStore())
  await leaveFailed(thread, 'Count.', 'k1')
  expect(await thread.begin(user('Count.'), { key: 'k1' })).toMatchObject({ kind: 'replayed' })
  expect((await thread.entries()).map(({ message }) => message.content)).toEqual(['Count.'])
  expect((await thread.status()).state).toBe('interrupted')
})
