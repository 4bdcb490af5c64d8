import { apiClient } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { readerUpstream } from '../../src/upstream/reader-upstream.ts'

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })
const secret = 'TEAL-42'

describe.each(await someStores())('hands over the API, on %s', (_, create) => {
  async function start(options: object = {}) {
    const server = await startServer({
      store: create(),
      upstream: readerUpstream(),
      window: 1024,
      ...options,
    })
    const thread = server.history.thread('trip')
    await thread.seedTurns([
      user('Hello, I am Ada.'),
      assistant('Hello!'),
      user(`The code of the safe is ${secret}.`),
      assistant('I keep it in mind.'),
      ...Array.from({ length: 40 }, (_, n) => [
        user(`Day ${n}: ${'wind and water. '.repeat(8)}`),
        assistant(`Noted ${n}.`),
      ]).flat(),
    ])
    const api = apiClient(server.url)
    const call = async (method: string, path: string) => {
      const response = await api.request(method, `/conversations/trip${path}`)
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const context = async () => JSON.stringify(await api.get('/conversations/trip/context'))
    return { ...server, api, call, context, thread }
  }

  it('pins, hides, lists and takes back', async () => {
    const { call, context } = await start()
    expect(await context()).not.toContain(secret)
    expect(await call('POST', '/entries/3/pin')).toEqual({
      status: 200,
      body: { first: 3, last: 3 },
    })
    expect(await context()).toContain(secret)
    expect((await call('GET', '/hands')).body).toEqual({
      pinned: [{ first: 3, last: 3 }],
      hidden: [],
      tokens: expect.any(Number),
    })
    expect((await call('GET', '/entries/3/why')).body).toMatchObject({ why: 'pinned by you' })
    expect((await call('POST', '/entries/3/hide')).status).toBe(200)
    expect(await context()).not.toContain(secret)
    expect((await call('GET', '/hands')).body).toMatchObject({
      pinned: [],
      hidden: [{ first: 3, last: 3 }],
    })
    expect((await call('DELETE', '/entries/3/hide')).status).toBe(200)
    expect((await call('GET', '/hands')).body).toEqual({ pinned: [], hidden: [], tokens: 0 })
    const { body } = await call('GET', '/log?limit=1')
    expect(body.entries).toMatchObject([{ hands: [{ does: 'free', seq: 3 }] }])
    expect((await call('POST', '/entries/999/pin')).status).toBe(400)
  })

  it('is no place where a model was asked: the timeline ends where it ended', async () => {
    const { call, api, thread } = await start()
    const places = async () => {
      const { body } = await api.get('/conversations/trip/timeline?fates=false&against=')
      const lines = String(body).trim().split('\n')
      return lines.map(line => JSON.parse(line) as { readonly at: number; readonly turn: number })
    }
    const before = await places()
    expect(before).toHaveLength(42)
    await call('POST', '/entries/3/pin')
    expect((await places()).map(({ at, turn }) => [at, turn])).toEqual(
      before.map(({ at, turn }) => [at, turn]),
    )
    // A question that waits for its answer is a place, and stays one.
    await thread.seedTurns([user('And what is the code?')])
    const asked = (await places()).at(-1)
    expect(asked).toMatchObject({ at: 86 })
    await call('POST', '/entries/5/hide')
    expect((await places()).at(-1)).toMatchObject({ at: 86, turn: asked!.turn })
    const { body } = await api.get('/conversations/trip/timeline?fates=false&against=&since=86')
    expect(JSON.parse(String(body).trim())).toMatchObject({ at: 86 })
  })

  it('refuses pins that do not fit, with figures, and writes nothing', async () => {
    const { call, thread } = await start()
    await thread.seedTurns([
      user('word '.repeat(2000)),
      assistant('long'),
      user('a'),
      assistant('b'),
    ])
    const { status, body } = await call('POST', '/entries/85/pin')
    expect(status).toBe(400)
    expect(body.error).toMatchObject({
      code: 'pins_too_large',
      message: expect.stringMatching(/would take \d+ tokens, and there is room for \d+ beside/),
    })
    expect((await call('GET', '/hands')).body).toMatchObject({ pinned: [] })
  })

  it('erases a message, and says where', async () => {
    const { call, context } = await start({ window: 8192 })
    const { body } = await call('DELETE', '/entries/3?dryRun=true')
    expect(body).toEqual({ erased: 3 })
    expect(await context()).toContain(secret)
    expect(await call('DELETE', '/entries/3')).toEqual({ status: 200, body: { erased: 3 } })
    expect(await context()).not.toContain(secret)
    expect((await call('DELETE', '/entries/999')).status).toBe(404)
    const outline = (await call('GET', '/outline')).body.entries as {
      seq: number
      isErased?: boolean
    }[]
    expect(outline.filter(({ isErased }) => isErased).map(({ seq }) => seq)).toEqual([3])
  })

  it.each(['pinned', 'erased'])(
    'goes on with the conversation of a client of which a message is %s',
    async how => {
      const { url, history } = await start()
      const ask = async (messages: readonly object[]) => {
        const response = await fetch(`${url}/v1/chat/completions`, {
          method: 'POST',
          body: JSON.stringify({ model: 'reader', messages }),
        })
        const { choices } = (await response.json()) as { choices: { message: object }[] }
        const { headers } = response
        return {
          reply: choices[0]!.message,
          conversation: decodeURIComponent(headers.get('x-throughline-conversation')!),
          branch: headers.get('x-throughline-branch'),
        }
      }
      const first = await ask([user('My boat is called Heron.')])
      const thread = history.thread(first.conversation)
      await (how === 'pinned' ? thread.pin(1) : thread.erase(1))
      await thread.hide(2)
      const second = await ask([
        user('My boat is called Heron.'),
        first.reply,
        user('What is it called?'),
      ])
      expect([second.conversation, second.branch]).toEqual([first.conversation, 'main'])
      const [said] = await thread.messages()
      expect(said!.content).toBe(how === 'pinned' ? 'My boat is called Heron.' : '[message erased]')
      expect((await thread.display()).map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'user',
        'assistant',
      ])
    },
  )

  it('lets an agent pin and hide over MCP, with the scope chat', async () => {
    const { url, thread } = await start()
    const tool = async (name: string, input: object) => {
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
          params: { name, arguments: { conversation: 'trip', ...input } },
        }),
      })
      const { result } = (await response.json()) as { result: { content: { text: string }[] } }
      return result.content[0]!.text
    }
    expect(await tool('pin_message', { place: 3 })).toBe('#3 is pinned.')
    expect((await thread.hands()).pinned).toEqual([{ first: 3, last: 3 }])
    expect(await tool('hide_message', { place: 3 })).toBe('#3 is hidden.')
    expect(await tool('hide_message', { place: 3, undo: true })).toBe('#3 is no longer hidden.')
  })
})
