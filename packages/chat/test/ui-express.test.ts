import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createHistory } from '@throughline/history'
import { reader } from '@throughline/models'
import { memoryStore } from '@throughline/stores'
import { textOf, UiChat } from '@throughline/test-tools/ui-chat'
import { expect, it, onTestFinished } from 'vitest'
import { createUIChatHandler } from '../src/index.ts'

it('answers useChat in Express as the docs say', async () => {
  const chat = createUIChatHandler({
    ...{ history: createHistory({ store: memoryStore() }), model: reader() },
    user: request => request.headers.get('user'),
  })
  // It comes with the SDK of MCP, without types.
  const name = 'express'
  const { default: express } = await import(name)
  const app = express()
  app.all('/api/chat{/*path}', getRequestListener(chat))
  app.use(express.json())
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/chat`
  const ui = new UiChat(url, { id: 'talk', headers: { user: 'ada' } })
  await ui.say('My boat is called Heron.')
  await ui.say('What is my boat called?')
  expect([ui.status, ui.answer]).toEqual(['ready', expect.stringContaining('Heron')])
  const loaded = await fetch(`${url}/talk`, { headers: { user: 'ada' } })
  const { messages } = (await loaded.json()) as { messages: UiChat['messages'] }
  expect(messages.map(textOf)).toEqual(ui.messages.map(textOf))
  const cancelled = await fetch(`${url}/talk/stream`, {
    method: 'DELETE',
    headers: { user: 'ada' },
  })
  expect(cancelled.status).toBe(204)
})
