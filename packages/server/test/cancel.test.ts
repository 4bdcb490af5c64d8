import type { Model } from '@throughline/models/model'
import { sleep } from '@throughline/models/waiting'
import { apiClient, type HeardEvent } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { startServer } from '@throughline/test-tools/start-server'
import { UiChat } from '@throughline/test-tools/ui-chat'
import { describe, expect, it } from 'vitest'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'

/** A model that talks for ever, unless it is asked to be short. */
const model: Model = {
  name: 'talker',
  window: async () => 8192,
  async *stream({ messages, signal }) {
    for (let word = 1; messages.at(-1)!.content !== 'short' || word < 3; word++) {
      yield { type: 'text-delta', text: `word ${word} ` }
      await sleep(50, signal)
    }
    yield { type: 'end', reason: 'stop', usage: {} }
  },
}
const text = 'Tell me everything.'

describe.each(await someStores())('a reply is cancelled, on %s', (_, create) => {
  /** Two servers on one store. */
  async function start() {
    const store = create()
    const [one, other] = [1, 2].map(() =>
      startServer({ store, upstream: { ...readerUpstream(), model: () => model } }),
    )
    const servers = [await one!, await other!] as const
    const [first, second] = servers.map(({ url }) => apiClient(url))
    const { history, url } = servers[0]
    const lastTurn = async (branch = 'main') =>
      (await history.thread('a', { branch }).turns()).at(-1)!.status
    return { url, history, first: first!, second: second!, lastTurn }
  }

  /** Reads a reply; `then` is called when its first word has come. */
  async function hear(events: AsyncGenerator<HeardEvent>, then: () => Promise<void>) {
    let isBegun = false
    let last: HeardEvent | undefined
    for await (const event of events) {
      if (event.event === 'text-delta' && !isBegun) {
        isBegun = true
        await then()
      }
      last = event
    }
    return last!.data.status as string
  }

  it('by the server that gives it, or by another one; only the turn that was meant', async () => {
    const { first, second, lastTurn } = await start()
    expect((await second.post('/conversations/a/cancel')).status).toBe(404)
    const send = (input = text) => first.events('/conversations/a/send', { body: { input } })
    const local = await hear(send(), async () => {
      expect((await first.post('/conversations/a/cancel')).body).toEqual({ is: 'done' })
    })
    const remote = await hear(send(), async () => {
      const branch = await second.post('/conversations/a/cancel?branch=other')
      expect(branch.status).toBe(404)
      expect((await second.post('/conversations/a/cancel?branch=main')).body).toEqual({
        is: 'asked',
      })
    })
    expect([local, remote, await lastTurn()]).toEqual(['cancelled', 'cancelled', 'cancelled'])
    expect(await hear(send('short'), async () => {})).toBe('completed')
    expect((await second.post('/conversations/a/cancel')).status).toBe(404)
  })

  it('on a branch that is new', async () => {
    const { first, second, history } = await start()
    await first.say('a', 'short')
    const edited = first.events('/conversations/a/edit', { body: { at: 1, input: text } })
    const status = await hear(edited, async () => {
      expect((await second.post('/conversations/a/cancel')).body).toEqual({ is: 'asked' })
    })
    expect(status).toBe('cancelled')
    expect((await history.thread('a').turns()).map(({ status }) => status)).toEqual(['completed'])
  })

  it('of useChat, and of a client of OpenAI, by another server', async () => {
    const { url, second, history, lastTurn } = await start()
    const ui = new UiChat(`${url}/throughline/v1/ui-chat`, { id: 'a' })
    const said = ui.say(text)
    await expect.poll(() => ui.lastMessage?.role === 'assistant' && ui.answer !== '').toBe(true)
    expect((await second.remove('/ui-chat/a/stream')).status).toBe(204)
    await said
    expect([ui.status, await lastTurn()]).toEqual(['ready', 'cancelled'])

    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({
        model: 'reader',
        messages: [{ role: 'user', content: text }],
        stream: true,
      }),
    })
    const conversation = response.headers.get('x-throughline-conversation')!
    expect((await second.post(`/conversations/${conversation}/cancel`)).body).toEqual({
      is: 'asked',
    })
    const stream = await response.text()
    expect(stream).toContain('reply_cancelled')
    expect(stream).not.toContain('[DONE]')
    expect((await history.thread(conversation).turns())[0]!.status).toBe('cancelled')
  })
})
