import type { MessageLike } from '@throughline/core/messages'
import type { Store } from '@throughline/stores/store'
import { apiClient } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { noticingStore } from '../src/api/live/noticing-store.ts'
import { createKeys } from '../src/auth/create-keys.ts'

const user = (content: string) => ({ role: 'user', content })
const title = user('### Task:\nGenerate a concise, 3-5 word title: The boat is called Seagull.')
const zedTitle = user('Generate a concise 3-7 word title for this conversation')

describe.each(await someStores())('what may be no conversation, on %s', (_, create) => {
  async function start(options: Parameters<typeof startServer>[0] = {}) {
    const server = await startServer({ store: create(), ...options })
    const api = apiClient(server.url)
    async function ask(
      messages: readonly MessageLike[],
      headers: Readonly<Record<string, string>> = {},
    ) {
      const response = await fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model: 'reader', messages }),
      })
      const { choices } = (await response.json()) as { choices: { message: MessageLike }[] }
      const conversation = decodeURIComponent(response.headers.get('x-throughline-conversation')!)
      return { conversation, message: choices[0]!.message }
    }
    async function listed(query = '') {
      const { body } = await api.get(`/conversations${query}`)
      return (body.conversations as { conversation: string }[]).map(
        ({ conversation }) => conversation,
      )
    }
    return { ...server, api, ask, listed }
  }

  it('is a first message, until the conversation is gone on with', async () => {
    const { api, ask, listed } = await start()
    const { conversation, message } = await ask([user('The boat is called Seagull.')])
    expect(await listed()).toEqual([])
    expect(await listed('?include=side')).toEqual([])
    const all = await api.get('/conversations?include=provisional')
    expect(all.body.conversations).toEqual([
      expect.objectContaining({ conversation, provisional: true }),
    ])
    expect((await api.get(`/conversations/${conversation}`)).body.provisional).toBe(true)
    await ask([user('The boat is called Seagull.'), message, user('What is it called?')])
    expect(await listed()).toEqual([conversation])
    expect((await api.get(`/conversations/${conversation}`)).body).not.toHaveProperty('provisional')
  })

  it('is no longer one once it has a title, another branch, or a second turn over the API', async () => {
    const { api, ask, listed } = await start()
    const names: string[] = []
    for (const text of ['one', 'two', 'three', 'four'])
      names.push((await ask([user(`The boat is called ${text}.`)])).conversation)
    const [titled, forked, gone, alone] = names as [string, string, string, string]
    await api.patch(`/conversations/${titled}`, { title: 'Boats' })
    await api.post(`/conversations/${forked}/fork`, { at: 2, as: 'other' })
    await api.say(gone, 'What is it called?')
    expect((await listed()).toSorted()).toEqual([titled, forked, gone].toSorted())
    expect(await listed('?include=provisional')).toContain(alone)
  })

  it('is not a first message whose client names the conversation, or brings a past', async () => {
    const { ask, listed } = await start()
    const named = await ask([user('Hello.')], { 'thread-id': 't1' })
    const own = await ask([user('Hello.')], { 'x-throughline-conversation': 'kitchen' })
    const past = await ask([user('a'), { role: 'assistant', content: 'b' }, user('c')])
    expect((await listed()).toSorted()).toEqual(
      [named, own, past].map(({ conversation }) => conversation).toSorted(),
    )
  })

  it('goes on with tools in the first turn', async () => {
    const { ask, listed } = await start()
    const first = await ask([user('Look.')])
    const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }
    const list = [
      user('Look.'),
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'A boat.' },
    ]
    const { conversation } = await ask(list)
    expect(await listed()).toEqual([conversation])
    expect(await listed('?include=provisional')).toContain(first.conversation)
  })

  it('is a side request: neither listed nor found, and deleted after its time', async () => {
    const { store, api, ask, listed } = await start({ sideMs: 1 })
    const chat = { 'x-openwebui-chat-id': 'w1' }
    const first = [user('The boat is called Seagull.')]
    const { message } = await ask(first, chat)
    const alone = await ask([title])
    const named = await ask([title], chat)
    const { conversation } = await ask([...first, message, zedTitle], chat)
    expect(conversation).toBe('open-webui:w1')
    for (const side of [alone, named]) expect(side.conversation).toMatch(/^throughline:side:/)
    expect(await listed()).toEqual(['open-webui:w1'])
    const { body } = await api.get('/search?q=seagull')
    expect(body.found.map((one: { conversation: string }) => one.conversation)).not.toContain(
      named.conversation,
    )
    await expect.poll(() => listed('?include=side')).toEqual(['open-webui:w1'])
    // What shares the past of a conversation stays as long as that does, on a branch that is not listed.
    const [kept] = await store.conversations('default')
    expect(kept!.threads).toHaveLength(2)
    // The title that its client asked for is its own.
    expect(kept!.title).toBe(String(named.message.content))
    expect((await api.get('/conversations')).body.conversations[0].threads).toHaveLength(1)
  })

  it('is a side request of any tenant, deleted once though two servers sweep, and not before its time', async () => {
    const store = create()
    const deleted: string[] = []
    const watched = noticingStore(store, ({ conversation, what }) => {
      if (what === 'deleted') deleted.push(conversation)
    })
    const late = await start({ store, sideMs: 3_600_000 })
    await createKeys(store).create({ name: 'a key', tenant: 'globex' })
    for (let n = 0; n < 60; n++) await seedSide(store, n % 2 === 0 ? 'default' : 'globex', n)
    const { conversation } = await late.ask([title])
    const now = () => Date.now() + 1_800_000
    const servers = [1, 2].map(() => startServer({ store: watched, sideMs: 3_600_000, now }))
    await Promise.all(servers)
    // A sweep that is due every 15 minutes is done soon after the start.
    const left = async () =>
      (await Promise.all(['default', 'globex'].map(tenant => store.conversations(tenant)))).flat()
        .length
    await expect.poll(left).toBe(1)
    expect(await late.listed('?include=side')).toEqual([conversation])
    expect(new Set(deleted).size).toBe(60)
    expect(deleted).toHaveLength(60)
  })
})

/** A side request of 45 minutes ago. */
async function seedSide(store: Store, tenant: string, n: number): Promise<void> {
  const thread = {
    tenant,
    conversation: `throughline:side:${n}`,
    actor: 'assistant',
    branch: 'main',
  }
  const payload = JSON.stringify({ message: title })
  const time = Date.now() - 2_700_000
  const entry = { id: `e${n}`, role: 'user' as const, time, payload, tokens: {}, seq: 1, turn: 0 }
  await store.restore(thread, { entries: [entry], turns: [] })
}
