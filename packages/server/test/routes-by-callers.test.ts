import { createHistory } from '@throughline/history'
import { memoryStore } from '@throughline/stores/memory'
import { experiments } from '@throughline/test-tools/experiment-plug'
import { gallery } from '@throughline/test-tools/gallery'
import { isLong } from '@throughline/test-tools/is-long'
import { storeWaitMs } from '@throughline/test-tools/start-server'
import { expect, it, onTestFinished } from 'vitest'
import { type KeyScope, scopes } from '../src/auth/caller.ts'
import { createKeys } from '../src/auth/create-keys.ts'
import { createServer, type Server } from '../src/create-server.ts'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'

if (!isLong) console.info('Skipped: every other caller, only in the long run')

const secret = 'Seagull'
const question = 'What is the boat called?'
const messages = [{ role: 'user', content: question }]

/** Bodies that routes take, by the end of their path. */
const bodies: Readonly<Record<string, object>> = {
  chat: { model: 'reader', messages },
  completions: { model: 'reader', messages },
  messages: { model: 'reader', max_tokens: 50, messages },
  responses: { model: 'reader', input: question },
  embed: { model: 'reader', input: question },
  send: { input: question },
  forecast: { input: question },
  edit: { input: question, at: 1 },
  fork: { at: 2 },
  compare: { a: {}, b: {} },
  keys: { name: 'another', scopes: ['admin'] },
  ':conversation': { title: 'taken' },
}

const queries: Readonly<Record<string, string>> = {
  search: `?q=${secret}`,
  grid: '?windows=1000,2000&policies=default',
}

/** Reading comes first, deleting last. */
const methods = ['GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT', 'POST', 'DELETE']

/** Every route as a request, also those of plugs: those for all methods by GET and POST. */
function requestsOf(routes: Server['routes'], names: Readonly<Record<string, string>>) {
  const all = routes.flatMap(({ method, path }) =>
    (method === 'ALL' ? ['GET', 'POST'] : [method]).map(one => ({ method: one, path })),
  )
  const requests = all
    .sort(
      (a, b) =>
        methods.indexOf(a.method) - methods.indexOf(b.method) || b.path.length - a.path.length,
    )
    .map(({ method, path: pattern }) => {
      const end = pattern.split('/').at(-1)!
      const path = pattern
        .replace('/*', '/v1/chat/completions')
        .replace('*', '/api/tags')
        .replace(/:(\w+)/g, (_, name: string) => names[name] ?? '1')
      const body = ['POST', 'PATCH', 'PUT'].includes(method)
        ? JSON.stringify(bodies[end] ?? {})
        : undefined
      return { route: `${method} ${pattern}`, method, path: `${path}${queries[end] ?? ''}`, body }
    })
  return [...new Map(requests.map(one => [`${one.method} ${one.path}`, one])).values()]
}

interface Caller {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  /** What it may do; absent for one who is let in nowhere, by the key or by the name of host or page. */
  readonly scopes?: readonly KeyScope[]
  readonly refused?: 'key' | 'name'
  readonly isForeign?: boolean
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

async function start() {
  const store = memoryStore()
  const keys = createKeys(store)
  const operator = 'a-key-of-the-configuration'
  const server = createServer({
    ...{ store, storeWaitMs, requireKeys: true, apiKeys: [operator] },
    upstream: readerUpstream(),
    plugs: [experiments(), gallery()],
    allowed: { host: '127.0.0.1', hosts: [], origins: [] },
  })
  onTestFinished(() => server.close())
  const history = createHistory({ store, tenant: 'red' })
  const red = async (name: string, own: readonly KeyScope[]) =>
    (await keys.create({ name, tenant: 'red', scopes: own })).key
  const owner = await keys.create({ name: 'the red one', tenant: 'red', scopes })
  const gone = await keys.create({ name: 'gone', tenant: 'red', scopes })
  await keys.revoke(gone.record.id)
  const spare = await keys.create({ name: 'spare', tenant: 'red' })
  const blue = await keys.create({ name: 'the blue one', tenant: 'blue', scopes })
  const bob = await keys.create({ name: 'Bob', tenant: 'red', person: 'bob' })
  await history.thread('mine').seed({ role: 'user', content: `The boat is called ${secret}.` })
  const all = { scopes }
  const foreign = { ...all, isForeign: true }
  const outside = { refused: 'key', isForeign: true } as const
  const misnamed = { refused: 'name', isForeign: true } as const
  const single: Caller[] = []
  for (const scope of scopes)
    single.push({
      name: `${scope} alone`,
      headers: bearer(await red(scope, [scope])),
      scopes: [scope],
    })
  const withKey = bearer(owner.key)
  const callers: readonly Caller[] = [
    { name: 'no key', headers: {}, ...outside },
    { name: 'a wrong word', headers: bearer('none'), ...outside },
    { name: 'a key with a changed end', headers: bearer(`${owner.key.slice(0, -1)}_`), ...outside },
    {
      name: 'a key that was never made',
      headers: bearer(`tl_${'0'.repeat(12)}_${'a'.repeat(43)}`),
      ...outside,
    },
    { name: 'a revoked key', headers: bearer(gone.key), ...outside },
    { name: 'a key in a cookie', headers: { cookie: `key=${owner.key}` }, ...outside },
    {
      name: 'a key as a password',
      headers: { authorization: `Basic ${btoa(`x:${owner.key}`)}` },
      ...outside,
    },
    {
      name: 'a page of another site',
      headers: { ...withKey, origin: 'https://evil.example' },
      ...misnamed,
    },
    { name: 'a page from disk', headers: { ...withKey, origin: 'null' }, ...misnamed },
    { name: 'another host', headers: { ...withKey, host: 'evil.example' }, ...misnamed },
    { name: 'no address as host', headers: { ...withKey, host: '127.0.0.256' }, ...misnamed },
    { name: 'another tenant', headers: bearer(blue.key), ...foreign },
    { name: 'another tenant, x-api-key', headers: { 'x-api-key': blue.key }, ...foreign },
    {
      name: 'another tenant, as the person of this one',
      headers: {
        ...bearer(blue.key),
        'x-throughline-person': 'ada',
        'x-throughline-conversation': 'mine',
      },
      ...foreign,
    },
    { name: 'the operator, of another tenant', headers: bearer(operator), ...foreign },
    { name: 'its owner, api-key', headers: { 'api-key': owner.key }, ...all },
    ...single,
    {
      name: 'read and chat',
      headers: bearer(await red('rc', ['read', 'chat'])),
      scopes: ['read', 'chat'],
    },
    {
      name: 'all but inspect',
      headers: bearer(await red('no', ['chat', 'read', 'admin'])),
      scopes: ['chat', 'read', 'admin'],
    },
    { name: 'another person of the tenant', headers: bearer(bob.key), scopes: ['chat'] },
    {
      name: 'its owner, from a page here',
      headers: { ...withKey, origin: 'http://localhost:5173' },
      ...all,
    },
  ]
  const exported = async () => {
    const lines: string[] = []
    for await (const line of history.exportAll()) lines.push(line)
    return lines.join('\n')
  }
  const requests = requestsOf(server.routes, {
    conversation: 'mine',
    actor: 'assistant',
    branch: 'main',
    id: spare.record.id,
  })
  return { server, callers, single, requests, exported }
}

type Asked = Awaited<ReturnType<typeof start>>['requests'][number]

async function ask({ fetch }: Server, { method, path, body }: Asked, headers: Caller['headers']) {
  const leaving = new AbortController()
  const { signal } = leaving
  const init = { method, headers: { ...headers, 'content-type': 'application/json' }, signal }
  const response = await fetch(
    new Request(`http://127.0.0.1${path}`, body === undefined ? init : { ...init, body }),
  )
  let text = JSON.stringify([...response.headers])
  const isEndless =
    response.headers.get('content-type')?.startsWith('text/event-stream') === true &&
    method === 'GET'
  for await (const piece of isEndless ? [] : (response.body ?? []))
    text += Buffer.from(piece).toString()
  leaving.abort()
  return { status: response.status, text }
}

/** By route: the scopes that let in, each tried alone, on a server of its own. */
async function scopesByRoute() {
  const { server, single, requests } = await start()
  const letIn = new Map<string, Set<KeyScope>>()
  for (const request of requests) {
    const own = new Set<KeyScope>()
    letIn.set(request.route, own)
    for (const { headers, scopes: [scope] = [] } of single)
      if ((await ask(server, request, headers)).status !== 403) own.add(scope!)
  }
  return letIn
}

/** What a caller gets at a route; undefined where that depends on what it asks for. */
function expectedStatus(
  caller: Caller,
  route: string,
  letIn: ReadonlySet<KeyScope>,
): number | undefined {
  if (caller.refused === 'name') return 403
  if (/ \/health/.test(route)) return 200
  if (caller.refused === 'key') return 401
  return caller.scopes!.some(scope => letIn.has(scope)) ? undefined : 403
}

it('answers every caller at every route by one rule, and shows nobody the words of another tenant', async () => {
  const letIn = await scopesByRoute()
  const { server, callers, requests, exported } = await start()
  expect(requests.length).toBeGreaterThan(120)
  expect(callers.length).toBeGreaterThan(18)
  const asking = callers.filter((_, n) => isLong || n % 2 === 0)
  const odd: string[] = []
  const shown = new Map<string, number>()
  const before = await exported()
  for (const caller of asking) {
    for (const request of requests) {
      const { status, text } = await ask(server, request, caller.headers)
      const expected = expectedStatus(caller, request.route, letIn.get(request.route)!)
      const line = `${caller.name}: ${request.route} ${status}`
      const isRight =
        expected === undefined
          ? status < 500 && status !== 401 && status !== 403
          : status === expected
      if (!isRight) odd.push(`${line}, expected ${expected ?? 'to be let in'}`)
      const isShown = text.includes(secret) && !request.path.includes(secret)
      if (isShown) shown.set(caller.name, (shown.get(caller.name) ?? 0) + 1)
      if (isShown && caller.isForeign) odd.push(`${line} shows it`)
    }
    if (caller.isForeign && (await exported()) !== before)
      odd.push(`${caller.name} has changed the log`)
  }
  expect(odd).toEqual([])
  // The words are there to be found.
  expect(Math.max(...shown.values())).toBeGreaterThan(5)
})
