import { createHistory } from '@throughline/history'
import { memoryStore } from '@throughline/stores/memory'
import { apiClient } from '@throughline/test-tools/api-client'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it } from 'vitest'
import { apiRoutes } from '../src/api/routes.ts'
import { createKeys } from '../src/auth/create-keys.ts'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'

const messages = [{ role: 'user', content: 'What is a pelican?' }]

it('tells who speaks by the key, a header or the body, and keeps their conversations', async () => {
  const store = memoryStore()
  const { url } = await startServer({ store, upstream: readerUpstream() })
  const { key } = await createKeys(store).create({ name: 'Ada', person: 'ada' })
  await expect(
    createKeys(store).create({ name: 'x', person: 'ada', scopes: ['read'] }),
  ).rejects.toThrow('a key that is bound to a person may only have the scope "chat"')
  const ask = async (path: string, headers: Record<string, string>, body: object = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'reader', max_tokens: 100, messages, ...body }),
    })
    expect(response.status).toBe(200)
    const conversation = decodeURIComponent(response.headers.get('x-throughline-conversation')!)
    const [info] = await store.conversations('default', { only: conversation })
    return info!.person
  }
  const session = '0b7f1a52-9c1e-4c6f-8a39-d2f4a1c7e655'
  const chat = '/v1/chat/completions'
  expect(await ask(chat, {})).toBeUndefined()
  expect(await ask(chat, { 'x-throughline-person': 'bob' })).toBe('bob')
  expect(await ask(chat, { 'x-openwebui-user-id': 'u1', 'x-openwebui-chat-id': 'c1' })).toBe('u1')
  expect(await ask(chat, {}, { user: 'carol' })).toBe('carol')
  expect(await ask(chat, { 'x-throughline-person': 'bob' }, { user: 'carol' })).toBe('bob')
  const asAda = { authorization: `Bearer ${key}`, 'x-throughline-person': 'bob' }
  expect(await ask(chat, asAda, { user: 'carol' })).toBe('ada')
  const user = (user_id: string) => ({ metadata: { user_id } })
  expect(await ask('/v1/messages', {}, user('dora'))).toBe('dora')
  expect(await ask('/v1/messages', {}, user(`user_1f_account__session_${session}`))).toBe(
    'user_1f_account_',
  )
  const device = JSON.stringify({ device_id: 'd1', account_uuid: '', session_id: `${session}2` })
  expect(await ask('/v1/messages', {}, user(device))).toBe('d1')
  const listed = async (query = '') => {
    const response = await fetch(`${url}/throughline/v1/conversations?include=everything${query}`)
    const { conversations } = (await response.json()) as { conversations: { person?: string }[] }
    return conversations.map(({ person }) => person)
  }
  expect(await listed('&person=bob')).toEqual(['bob', 'bob'])
  expect(new Set(await listed()).size).toBe(8)
})

it('refuses a name that cannot be kept, and never takes it for the person of the settings', async () => {
  const store = memoryStore()
  const { url } = await startServer({ store, upstream: readerUpstream(), person: 'me' })
  const { key } = await createKeys(store).create({ name: 'Ada', person: 'ada' })
  const ask = (path: string, headers: Record<string, string>, body: object = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'reader', max_tokens: 100, messages, ...body }),
    })
  const long = 'x'.repeat(301)
  const chat = '/v1/chat/completions'
  const refused = [
    await ask(chat, { 'x-throughline-person': long }),
    await ask(chat, { 'x-throughline-person': 'a\u0085b' }),
    await ask(chat, { 'x-openwebui-user-id': long }),
    await ask(chat, { 'x-throughline-person': long, 'x-openwebui-user-id': 'bob' }),
    ...(await Promise.all(
      [long, 'a\nb', 'a\u0000b', `${'x'.repeat(2001)}`, `{${long}`].flatMap(user => [
        ask(chat, {}, { user }),
        ask('/v1/messages', {}, { metadata: { user_id: user } }),
        ask('/v1/responses', {}, { user, input: 'Hello.' }),
      ]),
    )),
    await ask('/throughline/v1/ui-chat', { 'x-throughline-person': long }, { id: 'c' }),
    await ask(
      '/throughline/v1/conversations/c/send',
      { 'x-throughline-person': long },
      { input: 'Hello.' },
    ),
  ]
  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 400))
  for (const answer of refused)
    expect(await answer.text()).toContain('a name of at most 300 characters')
  expect(await store.conversations('default')).toEqual([])
  // Who is named by the key needs no other name, and an empty one names nobody.
  const byKey = { authorization: `Bearer ${key}`, 'x-throughline-person': long }
  for (const answer of [
    await ask(chat, byKey),
    await ask(chat, { 'x-throughline-person': ' ' }, { user: '' }),
  ])
    expect(answer.status).toBe(200)
  const people = (await store.conversations('default')).map(({ person }) => person)
  expect(people.toSorted()).toEqual(['ada', 'me'])
})

it('makes no key and imports nothing for a name that no request could give', async () => {
  const store = memoryStore()
  const { url } = await startServer({ store, upstream: readerUpstream() })
  const chat = JSON.stringify({ id: 'c', messages })
  for (const person of ['x'.repeat(301), 'a\nb', ' ada']) {
    const answers = [
      ['keys', JSON.stringify({ name: 'k', person })],
      [`import?${new URLSearchParams({ person })}`, chat],
    ].map(([path, body]) => fetch(`${url}/throughline/v1/${path}`, { method: 'POST', body: body! }))
    for (const answer of await Promise.all(answers)) {
      expect(answer.status).toBe(400)
      expect(await answer.text()).toContain('a name of at most 300 characters on one line')
    }
  }
  expect(await store.conversations('default')).toEqual([])
})

it('takes chats in for a person', async () => {
  const store = memoryStore()
  const { url } = await startServer({ store, upstream: readerUpstream() })
  const personOf = async (query: string, headers: Record<string, string> = {}) => {
    const body = JSON.stringify({ id: query, messages })
    const response = await fetch(`${url}/throughline/v1/import${query}`, {
      method: 'POST',
      headers,
      body,
    })
    const { conversations } = (await response.json()) as { conversations: [string] }
    return (await store.conversations('default', { only: conversations[0] }))[0]!.person
  }
  expect(await personOf('')).toBeUndefined()
  expect(await personOf('?person=ada')).toBe('ada')
  expect(await personOf('?as=his', { 'x-throughline-person': 'bob' })).toBe('bob')
})

it('is of one person where requests name nobody, and goes on with what was nobody’s', async () => {
  const store = memoryStore()
  const upstream = readerUpstream()
  const ask = async (url: string, said: readonly object[], more: object = {}) => {
    const body = JSON.stringify({ model: 'reader', messages: said, ...more })
    const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body })
    const { choices } = (await response.json()) as { choices: [{ message: { content: string } }] }
    return {
      conversation: response.headers.get('x-throughline-conversation')!,
      ...choices[0].message,
    }
  }
  const personOf = async (only: string) =>
    (await store.conversations('default', { only }))[0]?.person
  const before = await startServer({ store, upstream })
  const boat = { role: 'user', content: 'My boat is called Heron.' }
  const first = await ask(before.url, [boat])
  expect(await personOf(first.conversation)).toBeUndefined()

  const { url } = await startServer({ store, upstream, person: 'me', remember: 'person' })
  const list = [
    boat,
    { role: 'assistant', content: first.content },
    { role: 'user', content: 'Thank you.' },
  ]
  expect((await ask(url, list)).conversation).toBe(first.conversation)
  expect(await personOf(first.conversation)).toBe('me')
  const question = [{ role: 'user', content: 'What is my boat called?' }]
  expect((await ask(url, question)).content).toContain('Heron')
  const other = await ask(url, question, { user: 'bob' })
  expect(other.content).not.toContain('Heron')
  expect(await personOf(other.conversation)).toBe('bob')
  const api = `${url}/throughline/v1`
  const said = JSON.stringify({ input: question[0]!.content })
  const chatted = await fetch(`${api}/conversations/page/send`, { method: 'POST', body: said })
  expect(await chatted.text()).toContain('Heron')
  const uiMessage = {
    id: 'u1',
    role: 'user',
    parts: [{ type: 'text', text: question[0]!.content }],
  }
  const ui = await fetch(`${api}/ui-chat`, {
    method: 'POST',
    body: JSON.stringify({ id: 'ui', messages: [uiMessage], trigger: 'submit-message' }),
  })
  expect(await ui.text()).toContain('Heron')
  await fetch(`${api}/import`, { method: 'POST', body: JSON.stringify({ id: 'old', messages }) })
  for (const name of ['page', 'ui', 'chat-old']) expect(await personOf(name), name).toBe('me')
  // Those who look see everybody's.
  const listed = (await (await fetch(`${api}/conversations?include=everything`)).json()) as {
    conversations: { person: string }[]
  }
  expect(new Set(listed.conversations.map(({ person }) => person))).toEqual(new Set(['me', 'bob']))
})

it('never takes the list of one person for that of another', async () => {
  const store = memoryStore()
  const { url } = await startServer({ store, upstream: readerUpstream() })
  const ask = async (user: string, said: readonly object[]) => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'reader', messages: said, user }),
    })
    const { choices } = (await response.json()) as { choices: { message: object }[] }
    return {
      conversation: response.headers.get('x-throughline-conversation'),
      reply: choices[0]!.message,
    }
  }
  const first = await ask('ada', messages)
  const next = [...messages, first.reply, { role: 'user', content: 'And a heron?' }]
  expect((await ask('ada', next)).conversation).toBe(first.conversation)
  expect((await ask('bob', next)).conversation).not.toBe(first.conversation)
})

it('shows a person only what is theirs: in lists, search, threads, exports, by MCP and by the id of a response', async () => {
  const store = memoryStore()
  const { url } = await startServer({ store, upstream: readerUpstream(), apiKeys: [] })
  const { key } = await createKeys(store).create({ name: 'page', scopes: ['chat', 'read'] })
  const as = (person: string) => ({
    'x-throughline-person': person,
    'content-type': 'application/json',
  })
  const ids: Record<string, string> = {}
  for (const [person, boat] of [
    ['ada', 'Heron'],
    ['bob', 'Gull'],
  ] as const) {
    const response = await fetch(`${url}/v1/responses`, {
      method: 'POST',
      headers: { ...as(person), 'x-throughline-conversation': `of ${person}` },
      body: JSON.stringify({ model: 'reader', input: `My boat is called ${boat}.` }),
    })
    ids[person] = ((await response.json()) as { id: string }).id
  }
  const get = async (path: string, person = 'ada', headers = {}) => {
    const response = await fetch(`${url}${path}`, { headers: { ...as(person), ...headers } })
    return [response.status, await response.text()] as const
  }
  const api = '/throughline/v1'
  for (const path of ['/conversations', '/conversations?person=bob', '/search?q=boat']) {
    const [status, text] = await get(api + path)
    expect([path, status, text]).toEqual([path, 200, expect.stringContaining('of ada')])
    expect(text).not.toContain('of bob')
  }
  const his = `${api}/conversations/${encodeURIComponent('of bob')}`
  const [{ id: callId }] = JSON.parse((await get(`${his}/calls`, 'bob'))[1]).calls
  const ofConversation = apiRoutes.filter(
    ({ method, path }) => method === 'get' && path.startsWith('/conversations/:conversation'),
  )
  for (const { path, kind } of ofConversation) {
    const filled = path
      .replace('/conversations/:conversation', his)
      .replace(':entry', '1')
      .replace(':call', callId)
    const asked = path.endsWith('/grid') ? `${filled}?windows=1000&policies=default` : filled
    // A stream of events that is there has no end.
    const shown = kind === 'events' ? 200 : (await get(asked, 'bob'))[0]
    const hidden = await get(asked, 'ada')
    expect([path, shown, hidden[0]]).toEqual([path, 200, 404])
    expect(hidden[1]).not.toContain('Gull')
  }
  expect((await get(`${his}/export`, 'bob'))[1]).toContain('Gull')
  expect((await get(`${api}/ui-chat/${encodeURIComponent('of bob')}`))[0]).toBe(404)
  expect((await get(`${api}/ui-chat/${encodeURIComponent('of bob')}`, 'bob'))[0]).toBe(200)
  // By the id of a response: to read it, and to go on from it.
  expect((await get(`/v1/responses/${ids.bob}`, 'bob'))[0]).toBe(200)
  expect((await get(`/v1/responses/${ids.bob}`, 'ada'))[0]).toBe(404)
  const goOn = async (person: string) => {
    const body = JSON.stringify({ model: 'reader', input: 'And?', previous_response_id: ids.bob })
    const response = await fetch(`${url}/v1/responses`, {
      method: 'POST',
      headers: as(person),
      body,
    })
    await response.text()
    return response.status
  }
  expect([await goOn('ada'), await goOn('bob')]).toEqual([404, 200])
  const call = { name: 'search_conversations', arguments: { query: 'boat' } }
  const mcp = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      ...as('ada'),
      authorization: `Bearer ${key}`,
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
  })
  const told = await mcp.text()
  expect([told.includes('Heron'), told.includes('Gull')]).toEqual([true, false])
})

it('tells a person of writes and deletions only in what is theirs', async () => {
  const store = memoryStore()
  const { url } = await startServer({ store, pollMs: 20 })
  const api = (person: string) => apiClient(url, { 'x-throughline-person': person })
  const old = createHistory({ store, person: 'bob' })
  await old.thread('old of bob').seed({ role: 'user', content: 'Hello.' })
  const events = api('ada').events('/events', { lastEventId: '1' })
  const heard: string[] = []
  const until = async (what: string) => {
    while (heard.at(-1) !== what) {
      const { value, done } = await events.next()
      if (done) throw new Error(`the stream ended after ${heard}`)
      heard.push(
        value.data.conversation === undefined
          ? value.event
          : `${value.event} ${value.data.conversation}`,
      )
    }
  }
  await until('ready')
  await api('bob').say('of bob', 'Hello.')
  // By another process.
  await old.thread('new of bob').seed({ role: 'user', content: 'Hello.' })
  await createHistory({ store, person: 'ada' })
    .thread('of ada')
    .seed({ role: 'user', content: 'Hello.' })
  await until('written of ada')
  await old.delete('of bob')
  for (const person of ['bob', 'ada'])
    await api('').remove(`/conversations/${encodeURIComponent(`of ${person}`)}`)
  await api('').remove(`/conversations/${encodeURIComponent('new of bob')}`)
  await api('ada').say('last of ada', 'Hello.')
  await until('written last of ada')
  await events.return(undefined)
  expect(heard.filter(what => what.includes('bob'))).toEqual([])
  expect(heard).toContain('deleted of ada')
})

it('quotes nothing to a guest who knows the name of a conversation, nor what the guest said there', async () => {
  const store = memoryStore()
  const { url } = await startServer({ store, upstream: readerUpstream(), remember: 'person' })
  const keys = createKeys(store)
  const [ada, bob] = [
    (await keys.create({ name: 'Ada', person: 'ada' })).key,
    (await keys.create({ name: 'Bob', person: 'bob' })).key,
  ]
  const ask = async (key: string, conversation: string, content: string) => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'x-throughline-conversation': conversation },
      body: JSON.stringify({ model: 'reader', messages: [{ role: 'user', content }] }),
    })
    expect(response.status).toBe(200)
    await response.text()
    const history = createHistory({ store })
    const thread = history.thread(conversation)
    return JSON.stringify(await thread.replay((await thread.calls({ limit: 1 }))[0]!))
  }
  await ask(ada, 'boats', 'My boat is called Heron.')
  expect(await ask(ada, 'talk', 'What is my boat called?')).toContain('other conversations')
  expect(await ask(bob, 'talk', 'My bicycle is called Comet.')).not.toContain('other conversations')
  expect(await ask(bob, 'talk', 'And what was said before?')).not.toContain('other conversations')
  expect(await ask(ada, 'new', 'What is my bicycle called?')).not.toContain('Comet')
})
