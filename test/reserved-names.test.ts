import { createChat, createUIChatHandler } from '@throughline/chat'
import { createHistory } from '@throughline/history'
import { rules } from '@throughline/models/reader'
import { memoryStore } from '@throughline/stores/memory'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it } from 'vitest'

const name = 'throughline:side:1'
const start = () => {
  const history = createHistory({ store: memoryStore() })
  const options = { history, model: rules(() => 'Noted.', { window: 4096 }) }
  return { history, options, chat: createChat(options) }
}

it('refuses a reserved name of a conversation, an actor and a branch in a chat', async () => {
  const { chat, history } = start()
  for (const place of [
    { conversation: name },
    { conversation: 'a', actor: name },
    { conversation: 'a', branch: name },
  ])
    await expect((async () => chat.send('Hello.', place))()).rejects.toThrow('is reserved')
  expect(await history.conversations()).toEqual([])
})

it('refuses it where a client of useChat names its chat', async () => {
  const { options, history } = start()
  const handle = createUIChatHandler({ ...options, user: () => 'ada' })
  const message = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Hello.' }] }
  const body = JSON.stringify({ id: name, messages: [message], trigger: 'submit-message' })
  const headers = { 'content-type': 'application/json' }
  const answer = await handle(
    new Request('http://127.0.0.1/api/chat', { method: 'POST', headers, body }),
  )
  expect([answer.status, await answer.text()]).toEqual([
    400,
    expect.stringContaining('is reserved'),
  ])
  expect(await history.conversations()).toEqual([])
})

it('refuses it as the new name of an import, and of a branch', async () => {
  const { history } = start()
  const list = '[{"role":"user","content":"Hello."},{"role":"assistant","content":"Hello!"}]'
  await expect(history.import(list, { as: name })).rejects.toThrow('is reserved')
  const server = await startServer()
  await server.history.thread('trip').seedTurns(JSON.parse(list))
  const url = `${server.url}/throughline/v1/conversations/trip/fork`
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ at: 2, as: name }) })
  expect([answer.status, await answer.text()]).toEqual([
    400,
    expect.stringContaining('is reserved'),
  ])
})
