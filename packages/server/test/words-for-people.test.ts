import { createHistory } from '@throughline/history'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it } from 'vitest'

const user = { role: 'user', content: 'What is my boat called?' }
const chat = { model: 'reader', max_tokens: 100, messages: [user] }

/** The adapters, and where each has the words of an error. */
const adapters = [
  ['/api/chat', chat, (body: Fields) => body.error],
  ['/v1/chat/completions', chat, (body: Fields) => (body.error as Fields).message],
  [
    '/v1/responses',
    { model: 'reader', input: user.content },
    (body: Fields) => (body.error as Fields).message,
  ],
  ['/v1/messages', chat, (body: Fields) => (body.error as Fields).message],
] as const

type Fields = Readonly<Record<string, unknown>>

it.each(adapters)(
  '%s tells people in their words that their chat is being answered elsewhere',
  async (path, body, wordsOf) => {
    const { url, store } = await startServer()
    // Another server on the same database is answering.
    await createHistory({ store, leaseMs: 600_000 })
      .thread('talk')
      .begin({ role: 'user', content: 'Hello.' })
    const headers = { 'content-type': 'application/json' }
    for (const stream of [false, true]) {
      const text = JSON.stringify({ ...body, stream })
      const response = await fetch(`${url}/c/talk${path}`, { method: 'POST', headers, body: text })
      expect(response.status).toBe(409)
      expect(wordsOf((await response.json()) as Fields)).toBe(
        'This chat is still being answered. Wait for the reply or stop it, then send your message again.',
      )
    }
  },
)
