import { createExperiments, parseExperiment } from '@throughline/experiment'
import { createHistory } from '@throughline/history'
import { rules } from '@throughline/models/reader'
import { memoryStore } from '@throughline/stores/memory'
import { experiments } from '@throughline/test-tools/experiment-plug'
import { storeWaitMs } from '@throughline/test-tools/start-server'
import { expect, it } from 'vitest'
import { type KeyScope, scopes } from '../src/auth/caller.ts'
import { createKeys } from '../src/auth/create-keys.ts'
import { createServer, type Server } from '../src/create-server.ts'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'

/** What no user sees: of an experiment its plan, its goals, a role's prompt and what a role says; of a chat its system prompt. */
const secrets = ['Zanzibar', 'Quokka', 'Okapi', 'Narwhal'] as const
/** An experiment and a chat, each with the threads where something is hidden. */
const threads = [
  ['trial', 'assistant'],
  ['trial', 'seller'],
  ['trial', 'throughline:run'],
  ['harbour', 'throughline:prompts'],
] as const

/** A model that tells the secrets it is sent when it is asked for them: what it is not sent, nobody can make it say. */
const echo = rules(
  ({ messages }) =>
    messages.at(-1)?.content === 'Say it.'
      ? `I know ${secrets.filter(word => JSON.stringify(messages).includes(word))}.`
      : 'Hello.',
  { window: 8192 },
)

async function start() {
  const store = memoryStore()
  const history = createHistory({ store })
  const server = createServer({
    plugs: [experiments()],
    ...{ store, storeWaitMs, requireKeys: true },
    upstream: { ...readerUpstream(), model: () => echo },
  })
  const json = {
    name: 'stand',
    environment: { cups: { type: 'int', value: 3 } },
    roles: [{ name: 'seller', model: 'any', system: 'You are Quokka.' }],
    goals: [{ description: 'Zanzibar is reached', holds: 'cups == 0' }],
    maxSteps: 1,
  }
  const plan = await parseExperiment(json, { modelOf: () => rules(() => 'Okapi is sold.') })
  await createExperiments({ history }).run(plan, { id: 'trial' })
  const keyOf = async (own: readonly KeyScope[]) =>
    (await createKeys(store).create({ name: own.join(), scopes: own })).key
  const init = { body: { input: 'Hello.', system: 'You are Narwhal.' } }
  await ask(
    server,
    await keyOf(['chat']),
    'POST',
    '/throughline/v1/conversations/harbour/send',
    init,
  )
  const call = (await history.thread('trial', { actor: 'seller' }).calls())[0]!.id
  return { server, keyOf, call }
}

interface Init {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The answer to a request. Of a stream that stays open, all up to its sign that it is ready. */
async function ask(
  server: Server,
  key: string,
  method: string,
  path: string,
  { body, headers }: Init = {},
) {
  const leaving = new AbortController()
  const request = new Request(`http://127.0.0.1${path}`, {
    method,
    signal: leaving.signal,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const response = await server.fetch(request)
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString()
    if (text.includes('event: ready')) break
  }
  leaving.abort()
  return { status: response.status, text }
}

/** Bodies and queries that the routes take, by the end of their path. */
const bodies: Readonly<Record<string, object>> = {
  send: { input: 'Say it.' },
  edit: { input: 'Say it.', at: 1 },
  fork: { at: 2 },
  compare: { a: {}, b: {} },
  keys: { name: 'another' },
  experiments: { planOf: 'trial' },
  ':conversation': { title: 'mine' },
}
const queries: Readonly<Record<string, readonly string[]>> = {
  search: secrets.map(word => `q=${word}`),
  grid: ['windows=1000&policies=default'],
  conversations: ['latest=true&include=everything'],
}

const tools = [
  'search_conversations',
  'recall',
  'list_conversations',
  'read_conversation',
  'explain_context',
] as const

/** Every route of the server, every tool of MCP, asked for everything that is hidden. Deleting comes last. */
function everyRequest({ routes }: Server, call: string) {
  const found: { method: string; path: string; init: Init; name: string }[] = []
  const calls = threads.map(([conversation, actor]): object => ({ conversation, actor, limit: 20 }))
  const words: Readonly<Record<string, readonly object[]>> = {
    search_conversations: secrets.map(query => ({ query })),
    recall: secrets.map(question => ({ question })),
  }
  for (const name of tools)
    for (const input of words[name] ?? calls) {
      const body = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: input },
      }
      const init = { body, headers: { accept: 'application/json, text/event-stream' } }
      found.push({ method: 'POST', path: '/mcp', init, name: `MCP ${name}` })
    }
  const order = ['GET', 'PATCH', 'POST', 'DELETE']
  const unique = new Map(routes.map(route => [`${route.method} ${route.path}`, route]))
  const sorted = [...unique.values()]
    .filter(
      ({ method, path }) => order.includes(method) && !/^\/(?:$|health)|\/samples\//.test(path),
    )
    .toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method))
  for (const { method, path: pattern } of sorted) {
    const end = pattern.split('/').at(-1)!
    const isOfThread = /\/throughline\/v1\/conversations\/:conversation\//.test(pattern)
    const isOfAdapter = method === 'POST' && !pattern.startsWith('/throughline')
    for (const [conversation, actor] of [
      ['trial'],
      ...(isOfThread || isOfAdapter ? threads : [['harbour']]),
    ])
      for (const query of queries[end] ?? ['']) {
        const values: Record<string, string> = {
          conversation,
          call,
          experiment: 'trial',
          role: 'seller',
        }
        const path = pattern.replace(/:(\w+)/g, (_, name: string) => values[name] ?? '1')
        const inQuery = [query, actor && isOfThread ? `actor=${actor}` : ''].filter(
          part => part !== '',
        )
        const body = isOfAdapter
          ? {
              model: 'm',
              max_tokens: 9,
              messages: [{ role: 'user', content: 'Say it.' }],
              input: 'Say it.',
            }
          : (bodies[end] ?? {})
        const headers: Record<string, string> = isOfAdapter
          ? {
              'x-throughline-conversation': conversation,
              ...(actor && { 'x-throughline-actor': actor }),
            }
          : { 'last-event-id': '0' }
        const init = method === 'GET' || method === 'DELETE' ? { headers } : { body, headers }
        found.push({
          method,
          path: `${path}?${inQuery.join('&')}`,
          init,
          name: `${method} ${pattern}`,
        })
      }
  }
  return found
}

async function whoTells(own: readonly KeyScope[]) {
  const { server, keyOf, call } = await start()
  const key = await keyOf(own)
  const telling = new Set<string>()
  const reached = new Set<string>()
  for (const { method, path, init, name } of everyRequest(server, call)) {
    const { status, text } = await ask(server, key, method, path, init)
    if (status !== 401 && status !== 403) reached.add(name)
    // A query that is quoted in an answer is no secret that was told.
    if (secrets.some(word => text.includes(word) && !path.includes(word))) telling.add(name)
    if (status < 300 && path.includes('search') && !text.includes('"found":[]')) telling.add(name)
  }
  await server.close()
  return { telling: [...telling], reached }
}

it('tells a key that may do all but inspect no plan, goal, role or system prompt, at any route or tool', async () => {
  const { telling, reached } = await whoTells(scopes.filter(scope => scope !== 'inspect'))
  expect(telling).toEqual([])
  expect(reached.size).toBeGreaterThan(50)
})

it('tells a key that may inspect all of it: the test above asks the right questions', async () => {
  const { server, keyOf } = await start()
  const listed = await ask(server, await keyOf(scopes), 'POST', '/mcp', {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    headers: { accept: 'application/json, text/event-stream' },
  })
  const { result } = JSON.parse(listed.text) as { result: { tools: { name: string }[] } }
  expect(result.tools.map(({ name }) => name)).toEqual([...tools, 'pin_message', 'hide_message'])
  const { telling } = await whoTells(scopes)
  for (const name of [
    'GET /throughline/v1/search',
    'GET /throughline/v1/conversations/:conversation/entries',
    'GET /throughline/v1/conversations/:conversation/log',
    'GET /throughline/v1/conversations/:conversation/export',
    'GET /throughline/v1/experiments/:experiment',
    'GET /throughline/v1/experiments/:experiment/plan',
    'MCP search_conversations',
    'MCP recall',
    'MCP read_conversation',
    'MCP explain_context',
  ])
    expect(telling).toContain(name)
})

it('counts nothing of an experiment for those who may not inspect it', async () => {
  const { server, keyOf } = await start()
  const headers = { 'x-throughline-conversation': 'trial' }
  for (const [path, body] of [
    ['/v1/messages/count_tokens', { model: 'm', messages: [{ role: 'user', content: 'Hi.' }] }],
    ['/v1/responses/input_tokens', { model: 'm', input: 'Hi.' }],
  ] as const) {
    const seen = async (own: readonly KeyScope[]) => {
      const { status, text } = await ask(server, await keyOf(own), 'POST', path, { body, headers })
      return [path, status, text.includes('input_tokens')]
    }
    expect(await seen(['chat'])).toEqual([path, 404, false])
    expect(await seen(['chat', 'inspect'])).toEqual([path, 200, true])
  }
})

it('tells of a deleted experiment only those who may inspect it', async () => {
  const { server, keyOf } = await start()
  const admin = await keyOf(['admin', 'inspect', 'chat', 'read'])
  /** The conversations whose deletion a key hears of, until it hears of the last one. */
  async function heard(key: string): Promise<readonly string[]> {
    const left = new AbortController()
    const request = new Request('http://127.0.0.1/throughline/v1/events', {
      signal: left.signal,
      headers: { authorization: `Bearer ${key}` },
    })
    const { body } = await server.fetch(request)
    let text = ''
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString()
      if (text.includes('event: ready') && listening > 0) listening -= 1
      if (/"deleted","conversation":"harbour"/.test(text)) break
    }
    left.abort()
    return [...text.matchAll(/"deleted","conversation":"(\w+)"/g)].map(([, name]) => name!)
  }
  let listening = 2
  const both = [heard(await keyOf(['read'])), heard(await keyOf(['read', 'inspect']))]
  await expect.poll(() => listening).toBe(0)
  for (const name of ['trial', 'harbour'])
    expect(
      (await ask(server, admin, 'DELETE', `/throughline/v1/conversations/${name}`)).status,
    ).toBe(204)
  expect(await Promise.all(both)).toEqual([['harbour'], ['trial', 'harbour']])
})
