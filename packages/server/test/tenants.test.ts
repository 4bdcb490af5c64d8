import { createHistory } from '@throughline/history'
import { memoryStore } from '@throughline/stores/memory'
import type { Store } from '@throughline/stores/store'
import { apiClient } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { startWithExperiments } from '@throughline/test-tools/experiment-plug'
import { type StartedServer, startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { scopes } from '../src/auth/caller.ts'
import { createKeys } from '../src/auth/create-keys.ts'

const stores = await someStores()
const secret = 'The boat is called Seagull'
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** Everything that a tenant has. */
async function allOf(store: Store, tenant: string): Promise<string> {
  const lines: string[] = []
  for await (const line of createHistory({ store, tenant }).exportAll()) lines.push(line)
  return lines.join('\n')
}

/** A server with two tenants; the first has a conversation. */
async function start(store: Store) {
  const keys = createKeys(store)
  const red = await keys.create({ name: 'the red one', tenant: 'red', scopes })
  const blue = await keys.create({ name: 'the blue one', tenant: 'blue', scopes })
  const server = await startWithExperiments({
    ...{ store, requireKeys: true, apiKeys: ['a-key-of-the-configuration'] },
  })
  const body = JSON.stringify({
    model: 'reader',
    messages: [{ role: 'user', content: `${secret}.` }],
  })
  const init = { method: 'POST', headers: bearer(red.key), body }
  const said = await fetch(`${server.url}/v1/chat/completions`, init)
  expect(await said.text()).toContain('Seagull')
  const conversation = said.headers.get('x-throughline-conversation')!
  const [info] = await createHistory({ store, tenant: 'red' }).conversations()
  expect(info!.conversation).toBe(conversation)
  const [call] = await createHistory({ store, tenant: 'red' }).thread(conversation).calls()
  const names: Names = { conversation, keyId: red.record.id, call: call!.id }
  return { ...server, red, blue, conversation, keys, names }
}

interface Names {
  readonly conversation: string
  readonly keyId: string
  readonly call: string
}

/** Bodies that the routes take, by the end of their path. */
const bodies: Readonly<Record<string, object>> = {
  send: { input: 'What is the boat called?' },
  forecast: { input: 'What is the boat called?' },
  edit: { input: 'What is the boat called?', at: 1 },
  fork: { at: 2 },
  compare: { a: {}, b: {} },
  keys: { name: 'another' },
  ':conversation': { title: 'taken' },
}

const queries: Readonly<Record<string, string>> = {
  search: '?q=Seagull',
  grid: '?windows=1000,2000&policies=default',
}

/** Reading comes first, deleting last. */
const methods = ['GET', 'PATCH', 'POST', 'DELETE']

/** Asks every route of our own API for these names: what came for each. */
async function askAll(
  { url, routes }: Pick<StartedServer, 'url' | 'routes'>,
  key: string,
  names: Names,
) {
  const { conversation, keyId, call } = names
  const values: Readonly<Record<string, string>> = { conversation, call, id: keyId }
  const own = routes
    .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/throughline/'))
    .sort(
      (a, b) =>
        // A conversation is deleted after its parts.
        methods.indexOf(a.method) - methods.indexOf(b.method) || b.path.length - a.path.length,
    )
  const found = new Map<string, { readonly status: number; readonly text: string }>()
  for (const { method, path: pattern } of own) {
    if (found.has(`${method} ${pattern}`)) continue
    const path = pattern.replace(/:(\w+)/g, (_, name: string) => values[name] ?? '1')
    const body = ['POST', 'PATCH'].includes(method)
      ? { body: JSON.stringify(bodies[pattern.split('/').at(-1)!] ?? {}) }
      : {}
    const response = await fetch(`${url}${path}${queries[pattern.split('/').at(-1)!] ?? ''}`, {
      method,
      headers: { ...bearer(key), 'content-type': 'application/json' },
      ...body,
    })
    found.set(`${method} ${pattern}`, { status: response.status, text: await startOf(response) })
  }
  return found
}

/** The text of a response; of live events, which never end, what came until they say that they are ready. */
async function startOf({ body }: Response): Promise<string> {
  let text = ''
  for await (const piece of body ?? []) {
    text += Buffer.from(piece).toString()
    if (text.includes('event: ready')) break
  }
  return text
}

describe.each(stores)('tenants on %s', (_, create) => {
  it('see nothing of each other at any route, whatever names they guess', async () => {
    const store = create()
    const started = await start(store)
    const { blue, red, names } = started
    const before = await allOf(store, 'red')
    const made = (text: string) => text.replaceAll(/[0-9a-f]/g, 'e')
    const { conversation, keyId, call } = names
    const unknown = { conversation: made(conversation), keyId: made(keyId), call: made(call) }
    const nothing = await askAll(started, blue.key, unknown)
    const guessed = await askAll(started, blue.key, names)
    expect(guessed.size).toBeGreaterThan(30)
    for (const [route, { status, text }] of guessed) {
      // What belongs to somebody else looks like what is not there.
      expect([route, status]).toEqual([route, nothing.get(route)!.status])
      expect([route, text.includes(secret), text.includes(red.record.name)]).toEqual([
        route,
        false,
        false,
      ])
      if (/^GET .*:(?:conversation|call|id)/.test(route) && ![200, 204].includes(status))
        expect([route, status]).toEqual([route, 404])
    }
    const isOpen = (route: string) => route.startsWith('GET ') && guessed.get(route)!.status !== 404
    const open = [...guessed.keys()].filter(route => route.includes(':') && isOpen(route))
    expect(open).toEqual(['GET /throughline/v1/ui-chat/:conversation/stream'])
    expect(guessed.get('DELETE /throughline/v1/keys/:id')!.status).toBe(404)
    expect(await allOf(store, 'red')).toBe(before)
    const left = await started.keys.list()
    expect(left.map(({ name }) => name).sort()).toEqual([
      'another',
      'another',
      'the blue one',
      'the red one',
    ])
  })

  it('have names of conversations of their own', async () => {
    const store = create()
    const { url, blue, conversation } = await start(store)
    const before = await allOf(store, 'red')
    const body = JSON.stringify({
      model: 'reader',
      messages: [{ role: 'user', content: 'What is the boat called?' }],
    })
    for (const [path, headers] of [
      ['/v1/chat/completions', { 'x-throughline-conversation': conversation }],
      [`/c/${conversation}/v1/chat/completions`, {}],
      ['/v1/chat/completions', { 'x-openwebui-chat-id': conversation }],
    ] as const) {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { ...bearer(blue.key), ...headers },
        body,
      })
      expect(await response.text()).not.toContain('Seagull')
    }
    expect(await allOf(store, 'red')).toBe(before)
    expect(await allOf(store, 'blue')).not.toContain('Seagull')
  })

  it('cannot go on from each other’s responses', async () => {
    const { url, red, blue } = await start(create())
    const respond = (key: string, body: object) =>
      fetch(`${url}/v1/responses`, {
        method: 'POST',
        headers: { ...bearer(key), 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'reader', ...body }),
      })
    const { id } = (await (await respond(red.key, { input: `${secret}.` })).json()) as {
      id: string
    }
    const input = 'What is the boat called?'
    const own = await respond(red.key, { input, previous_response_id: id })
    expect(await own.text()).toContain('Seagull')
    const foreign = await respond(blue.key, { input, previous_response_id: id })
    const missing = await respond(blue.key, {
      input,
      previous_response_id: id.replaceAll(/[0-9a-f]/g, 'e'),
    })
    expect(foreign.status).toBe(missing.status)
    expect(foreign.ok).toBe(false)
    expect(await foreign.text()).not.toContain('Seagull')
    for (const path of ['', '/input_items'])
      for (const method of ['GET', 'DELETE']) {
        const asked = await fetch(`${url}/v1/responses/${id}${path}`, {
          method,
          headers: bearer(blue.key),
        })
        expect(asked.status).toBe(404)
        expect(await asked.text()).not.toContain('Seagull')
      }
  })
})

it('the test of tenants finds what the owner is shown', async () => {
  const [, create] = stores[0]!
  const started = await start(create())
  const { red, names } = started
  const found = await askAll(started, red.key, names)
  const shown = [...found]
    .filter(([, { text }]) => text.includes('Seagull'))
    .map(([route]) => route)
  expect(shown.length).toBeGreaterThan(8)
  expect(found.get('GET /throughline/v1/keys')!.text).toContain(red.record.name)
  for (const [route, { status }] of found) {
    // These need more than a name: there is no experiment and no reply, and nothing to import.
    if (/experiments|replies|cancel$|import|ui-chat|^DELETE .*\/conversations$/.test(route))
      continue
    expect([route, status < 300]).toEqual([route, true])
  }
})

it('keys of a tenant manage only its own; those of the configuration all', async () => {
  const [, create] = stores[0]!
  const { url, red, blue } = await start(create())
  const ask = (key: string, method: string, path = '', body?: unknown) =>
    fetch(`${url}/throughline/v1/keys${path}`, {
      method,
      headers: bearer(key),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const namesFor = async (key: string) => {
    const { keys } = (await (await ask(key, 'GET')).json()) as { keys: { name: string }[] }
    return keys.map(({ name }) => name).sort()
  }
  const operator = 'a-key-of-the-configuration'
  expect(await namesFor(red.key)).toEqual(['the red one'])
  expect(await namesFor(operator)).toEqual(['the blue one', 'the red one'])
  expect((await ask(red.key, 'POST', '', { name: 'mole', tenant: 'blue' })).status).toBe(403)
  expect((await ask(red.key, 'DELETE', `/${blue.record.id}`)).status).toBe(404)
  const made = await ask(red.key, 'POST', '', { name: 'second', scopes: ['read'] })
  expect(made.status).toBe(201)
  const second = (await made.json()) as { key: string; id: string; tenant: string }
  expect(second.tenant).toBe('red')
  expect((await ask(second.key, 'GET')).status).toBe(403)
  // What a key may not do itself, it cannot have done by a key that it makes.
  const third = await ask(operator, 'POST', '', {
    name: 'third',
    tenant: 'red',
    scopes: ['admin', 'chat'],
  })
  const { key: managing } = (await third.json()) as { key: string }
  for (const scopes of [['read'], ['inspect'], ['metrics'], ['chat', 'admin', 'read']])
    expect([scopes, (await ask(managing, 'POST', '', { name: 'mole', scopes })).status]).toEqual([
      scopes,
      403,
    ])
  expect((await ask(managing, 'POST', '', { name: 'own', scopes: ['chat', 'admin'] })).status).toBe(
    201,
  )
  for (const wrong of [
    {},
    { name: '' },
    { name: 'x', scopes: ['root'] },
    { name: 'x', tenant: '~keys' },
    'x',
    null,
  ])
    expect([wrong, (await ask(operator, 'POST', '', wrong)).status]).toEqual([wrong, 400])
  expect((await ask(operator, 'DELETE', `/${blue.record.id}`)).status).toBe(204)
  expect(await namesFor(operator)).toEqual(['own', 'second', 'the red one', 'third'])
})

it('a page of another site gets nothing, not even with a name that leads here', async () => {
  const { url, served } = await startServer({
    allowed: { host: '127.0.0.1', hosts: ['models.home'], origins: ['https://chat.example'] },
  })
  const { port } = new URL(url)
  const { request } = await import('node:http')
  const ask = (path: string, headers: Record<string, string>) =>
    new Promise<{ status: number | undefined; text: string; allow: unknown }>(resolve => {
      const asked = request(
        { host: '127.0.0.1', port, path, method: 'POST', headers },
        async response => {
          let text = ''
          for await (const chunk of response) text += String(chunk)
          resolve({
            status: response.statusCode,
            text,
            allow: response.headers['access-control-allow-origin'],
          })
        },
      )
      asked.end(JSON.stringify({ model: 'reader', messages: [{ role: 'user', content: 'hello' }] }))
    })
  const local = `127.0.0.1:${port}`
  for (const path of ['/api/chat', '/v1/chat/completions', '/throughline/v1/keys', '/health']) {
    const hostile: Record<string, string>[] = [
      { host: 'evil.example' },
      { host: `evil.example:${port}` },
      { host: '127.0.0.1.evil.example' },
      { host: local, origin: 'https://evil.example' },
      { host: local, origin: 'null' },
      { host: local, origin: 'file://' },
      { host: local, origin: 'https://localhost.evil.example' },
      { host: local, origin: 'https://chat.example.evil.example' },
    ]
    for (const headers of hostile) {
      const { status, text, allow } = await ask(path, headers)
      expect([path, headers, status, allow]).toEqual([path, headers, 403, undefined])
      expect(text).toContain('allowed')
    }
  }
  expect(served).toEqual([])
  const allowed: Record<string, string>[] = [
    { host: local },
    { host: `localhost:${port}` },
    { host: '[::1]' },
    { host: 'models.home:80' },
    { host: local, origin: 'https://chat.example' },
    { host: local, origin: 'http://localhost:3000' },
    { host: local, origin: 'app://obsidian.md' },
  ]
  for (const headers of allowed)
    expect(await ask('/v1/chat/completions', headers)).toMatchObject({
      status: 200,
      allow: headers.origin,
    })
})

it('a page of an allowed origin may ask first, without a key, and read what it gets', async () => {
  const origin = 'https://chat.example'
  const allowed = { host: '127.0.0.1', hosts: [], origins: [origin] }
  const { url } = await startServer({
    allowed,
    requireKeys: true,
    apiKeys: ['a-key-of-the-configuration'],
  })
  const asking = { origin, 'access-control-request-method': 'POST' }
  const first = (headers: Record<string, string>) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'OPTIONS',
      headers: { ...headers, 'access-control-request-headers': 'authorization,content-type' },
    })
  const { status, headers } = await first(asking)
  expect([status, headers.get('access-control-allow-origin')]).toEqual([204, origin])
  expect(headers.get('access-control-allow-headers')).toContain('authorization')
  expect(headers.get('access-control-allow-credentials')).toBeNull()
  expect((await first({ ...asking, origin: 'https://evil.example' })).status).toBe(403)
  // Errors too, so that the page can say what is wrong.
  const refused = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { origin },
    body: '{}',
  })
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([
    401,
    origin,
  ])
})

describe('the chosen tenant', () => {
  const seen = async (
    url: string,
    tenant: string,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const { request } = apiClient(url, { ...headers, 'x-throughline-tenant': tenant })
    const response = await request('GET', '/conversations')
    if (response.status !== 200) return response.status
    const { conversations } = (await response.json()) as {
      conversations: { conversation: string }[]
    }
    return conversations.map(({ conversation }) => conversation)
  }
  const configured = 'a-key-of-the-configuration'

  async function fill(store: Store) {
    const thread = (tenant: string) => createHistory({ store, tenant }).thread(`of ${tenant}`)
    for (const tenant of ['café', 'red', 'default'])
      await thread(tenant).seed({ role: 'user', content: 'Hi.' })
    return createKeys(store).create({ name: 'the red one', tenant: 'red', scopes })
  }

  it('is any for the operator, and its own for every other key', async () => {
    const store = memoryStore()
    const red = await fill(store)
    const { url } = await startServer({ store, requireKeys: true, apiKeys: [configured] })
    expect(await seen(url, encodeURIComponent('café'), bearer(configured))).toEqual(['of café'])
    expect(await seen(url, 'red', bearer(configured))).toEqual(['of red'])
    expect(await seen(url, 'red', bearer(red.key))).toEqual(['of red'])
    for (const tenant of ['default', '~keys'])
      expect(await seen(url, tenant, bearer(red.key))).toBe(403)
    for (const tenant of ['~keys', '~server', '', '%']) {
      const what = await seen(url, tenant, bearer(configured))
      expect([tenant, what]).toEqual([tenant, tenant === '%' ? [] : 403])
    }
    const tenants = async (key: string) =>
      (await apiClient(url, bearer(key)).get('/server')).body.tenants
    expect(await tenants(configured)).toEqual(['default', 'café', 'red'])
    expect(await tenants(red.key)).toEqual(['red'])
  })

  it('is, where no key is needed, any that never had a key', async () => {
    const store = memoryStore()
    await fill(store)
    const { url } = await startServer({ store })
    expect(await seen(url, encodeURIComponent('café'))).toEqual(['of café'])
    expect(await seen(url, 'red')).toBe(403)
    expect((await apiClient(url).get('/server')).body.tenants).toEqual(['default', 'café'])
  })
})
