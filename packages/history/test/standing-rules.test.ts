import type { Context } from '@throughline/core'
import { everyStore } from '@throughline/test-tools/every-store'
import { describe, expect, it } from 'vitest'
import { createHistory, type History, type Thread } from '../src/index.ts'

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })
const rule = 'Never put my phone number into a file.'
const filler = (n: number) => [
  user(`Day ${n}: we sail on. ${'Wind and water. '.repeat(12)}`),
  assistant(`Day ${n} is noted. ${'The log is kept. '.repeat(8)}`),
]
const filled = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => filler(from + n)).flat()

async function seeded(thread: Thread, turns = 60) {
  await thread.seedTurns([
    ...filler(0),
    user(`It is 555-0199. ${rule}`),
    assistant('No.'),
    ...filled(1, turns),
  ])
  return thread
}

const sentRules = ({ receipt }: Context) => receipt.rules?.map(({ text }) => text)

describe.each(await everyStore())('standing rules of a thread, on %s', (_, create) => {
  const open = (store = create()): [History, ReturnType<typeof create>] => [
    createHistory({ store, window: 2048, reserve: 256 }),
    store,
  ]

  it('are sent after a restart as before it, and of a fork', async () => {
    const [history, store] = open()
    const thread = await seeded(history.thread('trip'), 700)
    const before = await thread.context()
    expect(sentRules(before)).toEqual([rule])
    const [again] = open(store)
    const restarted = again.thread('trip')
    const after = await restarted.context()
    expect(after.messages).toEqual(before.messages)
    const fork = await restarted.fork({ at: 602, branch: 'other' })
    expect(sentRules(await fork.context())).toEqual([rule])
  })

  it('go when their message is hidden or erased; one that is pinned stands in its own place', async () => {
    const [history] = open()
    const thread = await seeded(history.thread('trip'))
    await thread.hide(3)
    expect(sentRules(await thread.context())).toBeUndefined()
    await thread.unhide(3)
    expect(sentRules(await thread.context())).toEqual([rule])
    await thread.pin(3)
    const pinned = await thread.context()
    expect(sentRules(pinned)).toBeUndefined()
    expect(JSON.stringify(pinned.messages)).toContain(rule)
    await thread.unpin(3)
    expect(sentRules(await thread.context())).toEqual([rule])
    await thread.erase(3)
    const erased = await thread.context()
    expect(sentRules(erased)).toBeUndefined()
    expect(JSON.stringify(erased.messages)).not.toContain('555-0199')
  })

  it('go when their client deletes the message, and follow its new words', async () => {
    const [history] = open()
    const thread = await seeded(history.thread('trip'))
    await thread.seedTurns([
      { message: user('Hm.'), overlay: { gone: [[3, 3, 'deleted']] } },
      assistant('Yes?'),
    ])
    expect(sentRules(await thread.context())).toBeUndefined()
    const versions = [[3, user('It is 555-0199. Always use metric units.')]] as const
    await thread.seedTurns([
      { message: user('Hm.'), overlay: { back: [[3, 3]], versions } },
      assistant('Yes?'),
    ])
    expect(sentRules(await thread.context())).toEqual(['Always use metric units.'])
  })
})
