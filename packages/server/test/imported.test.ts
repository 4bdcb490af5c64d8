import type { MessageLike } from '@throughline/core/messages'
import { rules } from '@throughline/models/reader'
import { apiClient } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { startServer } from '@throughline/test-tools/start-server'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { createKeys } from '../src/auth/create-keys.ts'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'

const user = (content: string) => ({ role: 'user', content })

describe.each(await someStores())(
  'a conversation that came from another server, on %s',
  (_, create) => {
    async function start(options: Parameters<typeof startServer>[0] = {}, key?: string) {
      let count = 0
      const answering = rules(
        ({ messages }) => `Answer ${++count} to: ${String(messages.at(-1)?.content)}`,
        {
          window: 8192,
        },
      )
      const server = await startServer({
        store: create(),
        upstream: { ...readerUpstream(), model: () => answering },
        ...options,
      })
      const keyHeaders: Record<string, string> =
        key === undefined ? {} : { authorization: `Bearer ${key}` }
      async function say(
        list: MessageLike[],
        text: string,
        { headers = {}, keep = (all: MessageLike[]) => all } = {},
      ) {
        list.push(user(text))
        const response = await fetch(`${server.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { ...keyHeaders, ...headers },
          body: JSON.stringify({ model: 'm', messages: keep(list) }),
        })
        const { choices } = (await response.json()) as { choices: { message: MessageLike }[] }
        list.push(choices[0]!.message)
        const named = (name: string) =>
          decodeURIComponent(response.headers.get(`x-throughline-${name}`)!)
        return { conversation: named('conversation'), branch: named('branch') }
      }
      return { ...server, say, api: apiClient(server.url, keyHeaders) }
    }
    type Started = Awaited<ReturnType<typeof start>>

    /** Takes a conversation from one server to another. */
    async function move(one: Started, other: Started, conversation: string, query = '') {
      const path = `/conversations/${encodeURIComponent(conversation)}/export`
      const { body: lines } = await one.api.get(path)
      expect((await other.api.post(`/import${query}`, lines)).status).toBe(200)
      return lines as string
    }

    const saidIn = async ({ history }: Started, conversation: string, branch = 'main') =>
      (await history.thread(conversation, { branch }).messages()).map(({ content }) => content)

    it('is gone on with by a client that sends its list, whole or cut', async () => {
      const [one, other] = [await start(), await start()]
      const list: MessageLike[] = []
      let at = { conversation: '', branch: '' }
      for (const text of ['a', 'b', 'c', 'd']) at = await one.say(list, text)
      // The same lines again change nothing.
      const lines = await move(one, other, at.conversation)
      await other.api.post('/import', lines)
      expect(await other.say(list, 'e')).toEqual(at)
      expect(await other.say(list, 'f', { keep: all => all.slice(-4) })).toEqual(at)
      expect(await saidIn(other, at.conversation)).toEqual(list.map(({ content }) => content))
    })

    it('has its branches, and goes on where a list belongs', async () => {
      const [one, other] = [await start(), await start()]
      const list: MessageLike[] = []
      const { conversation } = await one.say(list, 'a')
      const before = [...list]
      await one.say(list, 'b')
      const edited = [...before]
      const { branch } = await one.say(edited, 'B')
      expect(branch).not.toBe('main')
      await move(one, other, conversation)
      expect(await other.say(edited, 'C')).toEqual({ conversation, branch })
      expect(await other.say(list, 'c')).toEqual({ conversation, branch: 'main' })
      expect(await saidIn(other, conversation, branch)).toEqual(
        edited.map(({ content }) => content),
      )
    })

    it('is found by the name that its client gives it', async () => {
      const [one, other] = [await start(), await start()]
      const list: MessageLike[] = []
      const headers = { 'x-openwebui-chat-id': 'w1' }
      const at = await one.say(list, 'a', { headers })
      await move(one, other, at.conversation)
      expect(await other.say(list, 'b', { headers })).toEqual(at)
      expect(await saidIn(other, at.conversation)).toEqual(list.map(({ content }) => content))
      // Who does not name it means another one.
      expect((await other.say([...list], 'c')).conversation).not.toBe(at.conversation)
    })

    it('belongs to the key that it is imported for, and to no other', async () => {
      const store = create()
      const keys = createKeys(store)
      const admin = await keys.create({
        name: 'admin',
        scopes: ['admin', 'chat', 'inspect', 'read'],
      })
      const [ada, bob] = [await keys.create({ name: 'Ada' }), await keys.create({ name: 'Bob' })]
      const one = await start()
      const other = await start({ store, requireKeys: true }, admin.key)
      const list: MessageLike[] = []
      const { conversation } = await one.say(list, 'a')
      await move(one, other, conversation, `?for=${ada.record.id}`)
      const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })
      expect((await other.say([...list], 'b', as(bob.key))).conversation).not.toBe(conversation)
      expect((await other.say([...list], 'b', as(ada.key))).conversation).toBe(conversation)
    })

    it('has responses that can be named', async () => {
      const [one, other] = [await start(), await start()]
      const clientOf = ({ url }: Started) => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none' })
      const first = await clientOf(one).responses.create({ model: 'm', input: 'a' })
      const [{ conversation } = { conversation: '' }] = await one.history.conversations()
      await move(one, other, conversation)
      const client = clientOf(other)
      expect((await client.responses.retrieve(first.id)).output_text).toBe('Answer 1 to: a')
      await client.responses.create({ model: 'm', input: 'b', previous_response_id: first.id })
      expect(await saidIn(other, conversation)).toEqual([
        'a',
        'Answer 1 to: a',
        'b',
        'Answer 1 to: b',
      ])
    })

    it('may say anything beside its messages', async () => {
      const [one, other] = [await start(), await start()]
      const list: MessageLike[] = []
      const { conversation } = await one.say(list, 'a')
      const { body } = await one.api.get(`/conversations/${conversation}/export`)
      for (const data of [
        '{"response":{"id":"\\\\u0000"}}',
        '{"response":7,"request":7}',
        '[]',
        '"x"',
        'null',
      ]) {
        const odd = (body as string).replace(/"data":\{"request":\{[^}]*\}\}/, `"data":${data}`)
        expect(odd).not.toBe(body)
        const { status } = await other.api.post(`/import?as=${encodeURIComponent(data)}`, odd)
        expect([data, status]).toEqual([data, 200])
      }
    })
  },
)
