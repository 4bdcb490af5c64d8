import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { sideName } from '@throughline/history/log'
import { createKeys } from '@throughline/server/auth/create-keys'
import { startPostgres, type TestPostgres, whyNoPostgres } from '@throughline/test-tools/postgres'
import { startServer } from '@throughline/test-tools/start-server'
import { createChat } from 'throughline/chat'
import { createHistory } from 'throughline/history'
import { reader } from 'throughline/models'
import type { Store } from 'throughline/stores'
import { postgresStore } from 'throughline/stores/postgres'
import { sqliteStore } from 'throughline/stores/sqlite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

const main = join(import.meta.dirname, '../dist/main.js')
const folder = mkdtempSync(join(tmpdir(), 'throughline-mcp-'))
const db = join(folder, 'log.db')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const long = `Long story: ${'and so on and on, '.repeat(2000)}the end.`

/** Three conversations: one of 41 turns with calls, one with a note, one very long message; and a side request. */
async function fill(store: Store): Promise<void> {
  const history = createHistory({ store, window: 1000, newId: newIds() })
  const chat = createChat({ history, model: reader({ window: 1000 }) })
  await chat.send('The boat is called Seagull.', { conversation: 'harbour' })
  for (let turn = 2; turn <= 40; turn++)
    await chat.send(`Note ${turn}: we talked about the weather, the garden and number ${turn}.`, {
      conversation: 'harbour',
    })
  await chat.send('What is the boat called?', { conversation: 'harbour' })
  await history.describe('harbour', { title: 'Boats and berths' })
  const thread = history.thread('secret')
  const begun = await thread.begin({ role: 'user', content: 'Keep berth 12.' })
  if (begun.kind === 'begun')
    await begun.turn.complete(
      { role: 'assistant', content: 'Kept.' },
      { note: 'heron is the password' },
    )
  // A note with a nonce in the arguments of a call, which its tool repeats.
  const text = 'Hello. [NOTE TO SELF x7: another password]'
  const call = {
    id: 'c1',
    type: 'function',
    function: { name: 'post', arguments: JSON.stringify({ text }) },
  }
  const posting = await thread.begin({ role: 'user', content: 'Post it.' })
  if (posting.kind === 'begun')
    await posting.turn.complete([
      { message: { role: 'assistant', content: '', tool_calls: [call] } },
      { message: { role: 'tool', tool_call_id: 'c1', content: `Posted: ${text}` } },
      { message: { role: 'assistant', content: 'Posted.' } },
    ])
  await history.thread('long').seed({ role: 'user', content: long })
  await history
    .thread(sideName('1'))
    .seed({ role: 'user', content: 'A title for: the boat Seagull' })
}

function newIds() {
  let made = 0
  return () => `id-${++made}`
}

interface Connected {
  readonly client: Client
  call(name: string, input?: Record<string, unknown>): Promise<string>
  fail(name: string, input?: Record<string, unknown>): Promise<string>
}

async function connect(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
): Promise<Connected> {
  const client = new Client({ name: 'test', version: '1' })
  // The SDK's types do not hold under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<Client['connect']>[0])
  onTestFinished(() => client.close())
  const ask = async (name: string, input: Record<string, unknown> = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: input })
    const [part, ...others] = content as readonly { readonly type: string; readonly text: string }[]
    expect(others).toEqual([])
    expect(part!.type).toBe('text')
    expect(part!.text.length).toBeLessThan(16_000)
    return { text: part!.text, isError }
  }
  return {
    client,
    async call(name, input) {
      const { text, isError } = await ask(name, input)
      expect([isError, text]).toEqual([false, text])
      return text
    },
    async fail(name, input) {
      const { text, isError } = await ask(name, input)
      expect([isError, text]).toEqual([true, text])
      return text
    },
  }
}

const noPostgres = whyNoPostgres('MCP with PostgreSQL')
let postgres: TestPostgres | undefined

beforeAll(async () => {
  postgres = noPostgres === undefined ? await startPostgres() : undefined
  const stores = [
    sqliteStore({ path: db }),
    ...(postgres ? [postgresStore({ url: postgres.url })] : []),
  ]
  for (const store of stores) {
    await fill(store)
    await store.close()
  }
})
afterAll(() => postgres?.stop())

const runWith = (...args: readonly string[]) =>
  connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [main, 'mcp', ...args],
      stderr: 'inherit',
    }),
  )
const overStdio = (...args: readonly string[]) => runWith('--db', db, ...args)

async function overHttp(
  store: Store = sqliteStore({ path: db, readOnly: true }),
): Promise<Connected> {
  onTestFinished(() => store.close())
  const { url } = await startServer({ store })
  return connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))
}

describe.each<readonly [string, () => Promise<Connected>]>([
  ['stdio', () => overStdio()],
  ['HTTP', () => overHttp()],
  ...(noPostgres === undefined
    ? [['HTTP, from PostgreSQL', () => overHttp(postgresStore({ url: postgres!.url }))] as const]
    : []),
])('MCP over %s', (over, open) => {
  it('offers five tools that only read, and a server two that pin and hide', async () => {
    const { client } = await open()
    const { tools } = await client.listTools()
    const writing = over === 'stdio' ? [] : ['pin_message', 'hide_message']
    const reading = tools.filter(({ name }) => !writing.includes(name))
    expect(tools).toHaveLength(5 + writing.length)
    expect(reading.map(({ name }) => name).sort()).toEqual([
      'explain_context',
      'list_conversations',
      'read_conversation',
      'recall',
      'search_conversations',
    ])
    for (const { name, annotations, description } of tools) {
      expect([name, annotations?.readOnlyHint]).toEqual([name, !writing.includes(name)])
      expect(description).toBeTruthy()
    }
    expect(client.getServerVersion()?.name).toBe('throughline')
  })

  it('finds, reads around what was found, and explains what the model saw', async () => {
    const { call } = await open()
    expect(await call('list_conversations')).toContain('"harbour" "Boats and berths"')
    const found = await call('search_conversations', { query: 'seagull boat', limit: 5 })
    expect(found).toContain('"harbour" #1, user')
    expect(found).not.toContain('A title')
    expect(found).toContain('read_conversation with conversation: "harbour"')
    const read = await call('read_conversation', { conversation: 'harbour', around: 1, limit: 4 })
    expect(read).toContain('#1 user: The boat is called Seagull.')
    expect(read).toMatch(/Later: around: \d+/)
    const explained = await call('explain_context', { conversation: 'harbour' })
    expect(explained).toMatch(/\d+ tokens of a window of \d+/)
    expect(explained).toContain('=== CURRENT USER MESSAGE ===\nWhat is the boat called?')
    expect(explained).toMatch(/#\d+ to #\d+ omitted: before the cut/)
    expect(explained).toContain('The newest calls:')
  })

  it('says of one message what became of it', async () => {
    const { call } = await open()
    const about = (place: number) => call('explain_context', { conversation: 'harbour', place })
    expect(await about(1)).toContain('#1 was sent as it is.')
    expect(await about(30)).toMatch(/#30 omitted: before the cut/)
    expect(await about(999)).toContain('not in the thread')
    const past = await call('explain_context', { conversation: 'harbour', at: 3, window: 500 })
    expect(past).toContain('at #3')
    expect(past).toContain('#1 to #3 sent as it is')
  })

  it('pages through a conversation without a gap, and gives a long message in full', async () => {
    const { call } = await open()
    const seen = new Set<number>()
    for (let around: number | undefined = 1; around !== undefined; ) {
      const text = await call('read_conversation', { conversation: 'harbour', around, limit: 20 })
      for (const [, place] of text.matchAll(/^#(\d+) /gm)) seen.add(Number(place))
      const later: string | undefined = /Later: around: (\d+)/.exec(text)?.[1]
      around = later === undefined ? undefined : Number(later)
    }
    expect([...seen].sort((a, b) => a - b)).toEqual(Array.from({ length: 82 }, (_, at) => at + 1))
    const short = await call('read_conversation', { conversation: 'long' })
    expect(short).toMatch(/more characters: around: 1, limit: 1/)
    let whole = ''
    for (let page = 1; ; page++) {
      const text = await call('read_conversation', { conversation: 'long', limit: 1, page })
      whole += text.replace(/\n\n\(page [^)]*\)$/, '')
      if (!text.includes(`page: ${page + 1}`)) break
    }
    expect(whole).toBe(`#1 user: ${long}`)
  })

  it('shows no note where a user looks, and says what is not there', async () => {
    const { call, fail, client } = await open()
    const shown = [
      await call('read_conversation', { conversation: 'secret' }),
      await call('search_conversations', { query: 'heron' }),
      await call('search_conversations', { query: 'hello' }),
      await call('recall', { question: 'Is the password heron, and who said hello?' }),
      await call('list_conversations', { limit: 1 }),
    ]
    expect(shown[0]).toContain('→ post({"text":"Hello."})')
    expect(shown.join('\n')).not.toContain('password')
    expect(await call('explain_context', { conversation: 'secret' })).toContain(
      '--- ASSISTANT ---\nKept.\n--- NOTE TO SELF ---\nheron is the password\n--- USER ---\nPost it.\n',
    )
    expect(await fail('read_conversation', { conversation: 'nowhere' })).toContain(
      'list_conversations',
    )
    expect(await fail('read_conversation', { conversation: 'harbour', branch: 'x' })).toContain(
      'branch "main"',
    )
    expect(await fail('explain_context', { conversation: 'harbour', call: 'x' })).toContain(
      'no call',
    )
    expect(await fail('search_conversations', { query: '' })).toContain('query')
    const { isError } = await client.callTool({ name: 'delete_everything', arguments: {} })
    expect(isError).toBe(true)
  })

  it('finds what has most of the words, the rarest first', async () => {
    const { call } = await open()
    expect(await call('search_conversations', { query: 'submarine seagull' })).toContain(
      '"harbour" #1, user',
    )
    expect(await call('search_conversations', { query: 'submarine' })).toContain(
      'Nothing was found',
    )
  })

  it('recalls the best quotes for a question, in one conversation or in all, in as many tokens as are wanted', async () => {
    const { call, fail } = await open()
    const question = 'What is the name of our boat, the Seagull?'
    const quotesIn = (text: string) => text.split('\n').filter(line => line.startsWith('- '))
    const quotes = quotesIn(await call('recall', { question }))
    expect(quotes[0]).toMatch(
      /^- "Boats and berths" "harbour", \d{4}-\d\d-\d\d, #1 user: The boat is called Seagull\.$/,
    )
    expect(quotes.join()).not.toContain('A title')
    const weather = { question: 'the weather in the garden, number 7?' }
    const [few, many] = [100, 4000].map(tokens => call('recall', { ...weather, tokens }))
    expect(quotesIn(await few!).length).toBeLessThan(6)
    expect(quotesIn(await many!).length).toBeGreaterThan(30)
    expect(quotesIn(await few!)[0]).toContain('Note 7:')
    expect(await call('recall', { question, conversation: 'secret' })).toContain('Nothing was said')
    expect(quotesIn(await call('recall', { question, conversation: 'harbour' }))[0]).toContain(
      'Seagull',
    )
    expect(await fail('recall', { question, conversation: 'nowhere' })).toContain('no conversation')
  })

  it('lists all conversations page by page', async () => {
    const { call } = await open()
    const names: string[] = []
    for (let after: string | undefined; ; ) {
      const text = await call('list_conversations', {
        limit: 1,
        ...(after !== undefined && { after }),
      })
      const [, name] = /^- "([^"]+)"/.exec(text) ?? []
      if (name === undefined) break
      names.push(name)
      after = name
    }
    expect(names.sort()).toEqual(['harbour', 'long', 'secret'])
  })
})

it.skipIf(noPostgres !== undefined)('is run on a PostgreSQL database', async () => {
  const { call } = await runWith('--db', postgres!.url)
  expect(await call('list_conversations')).toContain('"harbour" "Boats and berths"')
  expect(await call('explain_context', { conversation: 'harbour' })).toContain('The newest calls:')
})

describe('MCP of one tenant', () => {
  it('shows the command line nothing of another tenant', async () => {
    const { call } = await overStdio('--tenant', 'other')
    expect(await call('list_conversations')).toBe('There are no conversations yet.')
  })

  it('needs a key with the scope read, and inspect for contexts', async () => {
    const { url, store } = await startServer({ requireKeys: true })
    await fill(store)
    const keys = createKeys(store)
    const open = async (scopes: readonly ('chat' | 'read' | 'inspect')[], tenant = 'default') => {
      const { key } = await keys.create({ name: 'test', scopes, tenant })
      const headers = { authorization: `Bearer ${key}` }
      return connect(
        new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
      )
    }
    const { client, call } = await open(['read'])
    const offered = (await client.listTools()).tools.map(({ name }) => name)
    for (const name of ['explain_context', 'pin_message', 'hide_message'])
      expect(offered).not.toContain(name)
    expect(await call('search_conversations', { query: 'seagull' })).toContain('harbour')
    const { isError } = await client.callTool({
      name: 'explain_context',
      arguments: { conversation: 'harbour' },
    })
    expect(isError).toBe(true)
    await expect(open(['chat'])).rejects.toThrow(/no scope/)
    const other = await open(['read', 'inspect'], 'other')
    expect(await other.call('list_conversations')).toBe('There are no conversations yet.')
    expect(await other.fail('explain_context', { conversation: 'harbour' })).toContain(
      'no conversation',
    )
  })

  it('answers only questions', async () => {
    const { url } = await startServer()
    expect((await fetch(`${url}/mcp`)).status).toBe(405)
    expect((await fetch(`${url}/mcp`, { method: 'POST', body: '{' })).status).toBe(400)
  })
})
