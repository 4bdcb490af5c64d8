import { createHistory } from '@throughline/history'
import { rules } from '@throughline/models/reader'
import { memoryStore } from '@throughline/stores/memory'
import { expect, it } from 'vitest'
import { createChat } from '../src/index.ts'

const secret = 'TEAL-42'

/** A model that reads message 1 and repeats what it is told. */
function start(readMessages: boolean) {
  const offered: string[][] = []
  const model = rules(
    ({ messages, tools }) => {
      offered.push(tools.map(({ name }) => name))
      const last = messages.at(-1)!
      if (last.role === 'tool') return `It says: ${String(last.content)}`
      const mayRead = tools.some(({ name }) => name === 'read_message')
      return mayRead ? { calls: [{ name: 'read_message', arguments: { place: 1 } }] } : 'I cannot.'
    },
    { window: 4096 },
  )
  const history = createHistory({ store: memoryStore() })
  return { offered, history, chat: createChat({ model, history, readMessages }) }
}

it('lets the model read a message by its number, if that is switched on', async () => {
  const { chat, history, offered } = start(true)
  await history.thread('a').seed({ role: 'user', content: `The code is ${secret}.` })
  expect((await chat.send('What is it?', { conversation: 'a' }).result()).text).toContain(secret)
  expect(offered[0]).toEqual(['read_message'])
  expect((await chat.context({ conversation: 'a' })).tools.map(({ name }) => name)).toEqual([
    'read_message',
  ])
})

it('keeps what is hidden', async () => {
  const { chat, history } = start(true)
  await history.thread('a').seed({ role: 'user', content: `The code is ${secret}.` })
  await chat.hands({ conversation: 'a' }).hide(1)
  const { text } = await chat.send('What is it?', { conversation: 'a' }).result()
  expect(text).toContain('there is no message at place 1')
})

it('offers nothing by default, and nothing for a list', async () => {
  for (const isOn of [false, true]) {
    const { chat, offered } = start(isOn)
    if (isOn) await chat.respond([{ role: 'user', content: 'a' }]).result()
    else await chat.send('a', { conversation: 'a' }).result()
    expect(offered).toEqual([[]])
  }
})

it('refuses a pin that has no room in the window of the model', async () => {
  const { chat, history } = start(false)
  await history.thread('a').seedTurns([
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b' },
    { role: 'user', content: 'word '.repeat(9000) },
    { role: 'assistant', content: 'c' },
    { role: 'user', content: 'd' },
    { role: 'assistant', content: 'e' },
  ])
  const hands = chat.hands({ conversation: 'a' })
  await expect(hands.pin(3)).rejects.toMatchObject({
    code: 'pins_too_large',
    room: expect.any(Number),
  })
  expect(await hands.pin(2)).toEqual({ first: 2, last: 2 })
  expect(await hands.hands()).toEqual({ pinned: [{ first: 2, last: 2 }], hidden: [] })
})
