import { createHistory } from '@throughline/history'
import { memoryStore } from '@throughline/stores/memory'
import { someStores } from '@throughline/test-tools/every-store'
import { startUpstream } from '@throughline/test-tools/scripted-upstream'
import { startServer, storeWaitMs } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { type KeyScope, scopes } from '../src/auth/caller.ts'
import { createKeys } from '../src/auth/create-keys.ts'
import { createIdentify } from '../src/auth/identify.ts'
import { createServer, type Server } from '../src/create-server.ts'
import { ollamaUpstream } from '../src/upstream/model-servers.ts'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'

const stores = await someStores()

const configured = 'a-key-of-the-configuration'
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const hello = {
  ...{ model: 'reader', max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] },
  contents: [{ parts: [{ text: 'hello' }] }],
}

const geminiPath = '/v1beta/models/reader:generateContent'
const chatPaths = [
  '/api/chat',
  '/v1/chat/completions',
  '/v1/messages',
  '/c/mine/v1/chat/completions',
  geminiPath,
] as const

/** A key in each of the headers that clients use. */
function headersWith(key: string): Record<string, string>[] {
  return [bearer(key), { 'x-api-key': key }, { 'api-key': key }, { 'x-goog-api-key': key }]
}

describe.each(stores)('keys on %s', (_, create) => {
  it('are made, found, listed and revoked; only a hash is kept', async () => {
    const store = create()
    const keys = createKeys(store, { now: () => 1000 })
    const { key, record } = await keys.create({
      name: 'Ada',
      scopes: ['read', 'chat'],
      tenant: 'red',
    })
    expect(key).toMatch(/^tl_[0-9a-f]{12}_[\w-]{43}$/)
    expect(record).toEqual({
      id: key.slice(3, 15),
      name: 'Ada',
      scopes: ['chat', 'read'],
      tenant: 'red',
      created: 1000,
    })
    expect(await keys.find(key)).toEqual(record)
    expect(await keys.list()).toEqual([record])
    const secret = key.slice(16)
    for await (const line of createHistory({ store, tenant: '~keys' }).exportAll())
      expect(line).not.toContain(secret)
    for (const wrong of [
      `${key}x`,
      key.slice(0, -1),
      `${key.slice(0, 20)}${'A'.repeat(39)}`,
      `tl_${'0'.repeat(12)}_${secret}`,
      key.toUpperCase(),
      '',
      'tl_',
    ])
      expect(await keys.find(wrong)).toBeUndefined()
    expect(await keys.revoke('000000000000')).toBe(false)
    expect(await keys.revoke(record.id)).toBe(true)
    expect(await keys.revoke(record.id)).toBe(false)
    expect(await keys.find(key)).toBeUndefined()
    expect(await keys.list()).toEqual([])
    expect(await createHistory({ store, tenant: '~keys' }).check()).toEqual([])
  })

  it('let in who has a right one, in any of the headers that clients use', async () => {
    const store = create()
    const { key } = await createKeys(store).create({ name: 'Ada' })
    const { url } = await startServer({ store, requireKeys: true, apiKeys: [configured] })
    const ask = async (path: string, headers: Record<string, string>) => {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(hello),
      })
      return { status: response.status, body: await response.text(), headers: response.headers }
    }
    for (const path of chatPaths) {
      for (const good of [key, configured])
        for (const headers of headersWith(good)) expect((await ask(path, headers)).status).toBe(200)
      const wrong: Record<string, string>[] = [
        {},
        bearer('none'),
        bearer(`${key}x`),
        bearer(`tl_${'0'.repeat(12)}_${'a'.repeat(43)}`),
        bearer(`${configured}x`),
        { authorization: `Basic ${key}` },
        { 'x-api-key': 'x'.repeat(8000) },
        { cookie: `key=${key}` },
      ]
      for (const headers of wrong) {
        const refused = await ask(path, headers)
        expect(refused.status).toBe(401)
        expect(refused.headers.get('www-authenticate')).toContain('Bearer')
        expect(refused.body).not.toContain(key)
      }
    }
    const shapes = await Promise.all(
      chatPaths.map(async path => JSON.parse((await ask(path, {})).body)),
    )
    expect(shapes).toEqual([
      { error: expect.stringContaining('key') },
      { error: expect.objectContaining({ type: 'authentication_error', code: 'key_missing' }) },
      expect.objectContaining({
        type: 'error',
        error: { type: 'authentication_error', message: expect.stringContaining('key') },
      }),
      { error: expect.objectContaining({ type: 'authentication_error', code: 'key_missing' }) },
      { error: { code: 401, status: 'UNAUTHENTICATED', message: expect.stringContaining('key') } },
    ])
  })

  it('stop when they are revoked, on another instance too', async () => {
    const store = create()
    const keys = createKeys(store)
    let time = 1_000_000
    const identify = createIdentify({ keys, isRequired: true, now: () => time })
    const { key, record } = await keys.create({ name: 'Ada', tenant: 'red' })
    const headers = new Headers(bearer(key))
    expect((await identify(headers)).caller).toEqual({
      tenant: 'red',
      keyId: record.id,
      scopes: ['chat'],
    })
    await createKeys(store).revoke(record.id)
    time += 5000
    await expect(identify(headers)).rejects.toMatchObject({ code: 'key_unknown' })
  })
})

it('looks a key up once in a while, and remembers neither wrong keys nor too many', async () => {
  let time = 0
  const asked: string[] = []
  const find = async (key: string) => {
    asked.push(key)
    const record = { id: key, name: '', scopes: ['chat'] as KeyScope[], tenant: 't', created: 0 }
    return key.startsWith('tl_good') ? record : undefined
  }
  const identify = createIdentify({ keys: { find }, now: () => time, lifeMs: 3000, most: 2 })
  const ask = (key: string) => identify(new Headers(bearer(key))).catch(() => 'refused')
  await Promise.all(Array.from({ length: 50 }, () => ask('tl_good1')))
  expect(asked.splice(0)).toEqual(['tl_good1'])
  for (let at = 0; at < 50; at++) expect(await ask(`tl_bad${at}`)).toBe('refused')
  expect(asked.splice(0)).toHaveLength(50)
  time = 2999
  await ask('tl_good1')
  expect(asked.splice(0)).toEqual([])
  time = 3000
  await ask('tl_good1')
  expect(asked.splice(0)).toEqual(['tl_good1'])
  for (const key of ['tl_good2', 'tl_good3', 'tl_good1']) await ask(key)
  expect(asked).toEqual(['tl_good2', 'tl_good3', 'tl_good1'])
})

it('fails closed when the store does not answer, and asks again', async () => {
  let isDown = true
  const find = async () => {
    if (isDown) throw new Error('down')
    return { id: 'x', name: '', scopes: [], tenant: 't', created: 0 }
  }
  const identify = createIdentify({ keys: { find } })
  await expect(identify(new Headers(bearer('tl_x')))).rejects.toThrow('down')
  isDown = false
  expect((await identify(new Headers(bearer('tl_x')))).caller).toMatchObject({ tenant: 't' })
})

it('takes any word for a key where none is needed, but not one of ours that is wrong', async () => {
  const { url, served } = await startServer()
  const messages = [...hello.messages]
  const ask = async (headers: Record<string, string>) => {
    const body = JSON.stringify({ ...hello, messages })
    const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
    if (response.ok) {
      const { choices } = (await response.json()) as {
        choices: [{ message: (typeof messages)[0] }]
      }
      messages.push(choices[0].message, { role: 'user', content: 'and then?' })
    }
    return response.status
  }
  const words: Record<string, string>[] = [{}, bearer('none'), { 'x-api-key': 'ollama' }]
  for (const headers of words) expect(await ask(headers)).toBe(200)
  // All of them are the same nobody.
  expect(served.map(({ place }) => place?.kind)).toEqual(['new', 'extends', 'extends'])
  expect(await ask(bearer(`tl_${'0'.repeat(12)}_${'a'.repeat(43)}`))).toBe(401)
})

it('never takes the lists of different keys for one another', async () => {
  const store = memoryStore()
  const keys = createKeys(store)
  const [one, two] = [await keys.create({ name: 'one' }), await keys.create({ name: 'two' })]
  const { url } = await startServer({ store, requireKeys: true })
  const conversations = new Set<string>()
  for (const { key } of [one, two, one]) {
    const messages = [
      ...hello.messages,
      { role: 'assistant', content: 'x' },
      { role: 'user', content: 'again' },
    ]
    for (const list of [hello.messages, messages]) {
      const body = JSON.stringify({ ...hello, messages: list })
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: bearer(key),
        body,
      })
      conversations.add(`${key.slice(3, 15)} ${response.headers.get('x-throughline-conversation')}`)
    }
  }
  const names = [...conversations].map(name => name.split(' ')[1])
  expect(new Set(names).size).toBe(names.length)
})

it('passes no key of a client on to the upstream', async () => {
  const script = await startUpstream(() => ({ status: 200, body: { models: [] } }))
  const upstream = ollamaUpstream({ url: script.url })
  const store = memoryStore()
  const { key } = await createKeys(store).create({ name: 'Ada' })
  const { url } = await startServer({ store, upstream, requireKeys: true })
  for (const headers of headersWith(key))
    expect((await fetch(`${url}/api/tags`, { headers })).status).toBe(200)
  expect(script.requests).toHaveLength(4)
  expect(JSON.stringify(script.requests)).not.toContain(key.slice(16))
  await script.close()
})

/** A route with its parameters filled in. */
const filled = (path: string) =>
  path.replace('/*', '/v1/chat/completions').replace('*', '/api/tags').replace(/:\w+/g, 'mine')

/** Every route of the server as requests: those for all methods by GET and POST. Middleware stands among them. */
function requestsOf(routes: readonly { readonly method: string; readonly path: string }[]) {
  const requests = routes
    .filter(({ path }) => path !== '/health' && !path.startsWith('/health/'))
    .flatMap(({ method, path }) =>
      (method === 'ALL' ? ['GET', 'POST'] : [method]).map(one => `${one} ${filled(path)}`),
    )
  return [...new Set(requests)].map(one => one.split(' ') as [method: string, path: string])
}

/** The status of every route for a key. */
async function statuses(server: Server, headers: Record<string, string> = {}) {
  const found = new Map<string, number>()
  for (const [method, path] of requestsOf(server.routes)) {
    const body = ['POST', 'PATCH', 'PUT'].includes(method) ? { body: '{}' } : {}
    const leaving = new AbortController()
    const { signal } = leaving
    const request = new Request(`http://127.0.0.1${path}`, { method, headers, signal, ...body })
    found.set(`${method} ${path}`, (await server.fetch(request)).status)
    leaving.abort()
  }
  return found
}

it('lets nobody in without a right key, at any route but health', async () => {
  const store = memoryStore()
  const server = createServer({ store, storeWaitMs, upstream: readerUpstream(), requireKeys: true })
  const { key } = await createKeys(store).create({ name: 'Ada', scopes })
  for (const headers of [{}, bearer('none'), bearer(`${key.slice(0, -1)}_`)]) {
    const found = await statuses(server, headers)
    expect(found.size).toBeGreaterThan(8)
    expect([...found].filter(([, status]) => status !== 401)).toEqual([])
  }
  expect((await server.fetch(new Request('http://127.0.0.1/health'))).status).toBe(200)
})

it('asks for exactly one scope at every route', async () => {
  const store = memoryStore()
  const server = createServer({ store, storeWaitMs, upstream: readerUpstream(), requireKeys: true })
  const needed = new Map<string, KeyScope[]>()
  for (const scope of scopes) {
    const { key } = await createKeys(store).create({ name: scope, scopes: [scope] })
    for (const [route, status] of await statuses(server, bearer(key)))
      needed.set(route, [...(needed.get(route) ?? []), ...(status === 403 ? [] : [scope])])
  }
  // The description of the API is for everybody with a key; the others are addresses with nothing at them.
  const open = [...needed].filter(([, reached]) => reached.length !== 1).map(([route]) => route)
  expect(open.filter(route => !/openapi\.json$|\/v1\/v1\/chat\/completions$/.test(route))).toEqual(
    [],
  )
  expect(needed.get('POST /mcp')).toEqual(['read'])
  // Who watches the server needs to see nothing of anybody.
  expect(
    [...needed].filter(([, reached]) => reached.includes('metrics') && reached.length === 1),
  ).toEqual([['GET /metrics', ['metrics']]])
  const foreign = [...needed].filter(([route]) => !/\/throughline\/|\/mcp$|\/metrics$/.test(route))
  expect(foreign.filter(([, [scope]]) => scope !== 'chat')).toEqual([])
  for (const route of [
    'GET /throughline/v1/keys',
    'POST /throughline/v1/keys',
    'DELETE /throughline/v1/keys/mine',
  ])
    expect(needed.get(route)).toEqual(['admin'])
})
