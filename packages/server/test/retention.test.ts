import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { createHistory } from '@throughline/history'
import { memoryStore } from '@throughline/stores/memory'
import { sqliteStore } from '@throughline/stores/sqlite'
import type { Store } from '@throughline/stores/store'
import { apiClient } from '@throughline/test-tools/api-client'
import { everyStore } from '@throughline/test-tools/every-store'
import { startServer } from '@throughline/test-tools/start-server'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../src/config/read-config.ts'
import { createMcpServer } from '../src/mcp/create-mcp-server.ts'
import { startServer as startFromConfig } from '../src/serve/start-server.ts'

const day = 86_400_000
const keepMs = 90 * day

/** Chats of 2024, as another program exports them. */
const chats = JSON.stringify(
  ['Rome', 'Oslo'].map(city => ({
    uuid: city,
    name: city,
    chat_messages: [
      {
        uuid: `${city}-1`,
        sender: 'human',
        text: `My hotel in ${city} is the Sole.`,
        created_at: '2024-03-01T10:00:00Z',
      },
      {
        uuid: `${city}-2`,
        sender: 'assistant',
        text: 'A fine place.',
        created_at: '2024-03-01T10:00:09Z',
      },
    ],
  })),
)

const listed = async (store: Store) =>
  (await store.conversations('default', { order: 'name' })).map(({ conversation }) => conversation)

for (const [name, create] of await everyStore())
  describe(`retention on ${name}`, () => {
    /** A server some days later that deletes what nobody used for 90; resolves when it has done so once. */
    async function sweepAfter(store: Store, days: number): Promise<readonly string[]> {
      const deleted: string[] = []
      // The last by name that is old enough in any case: once it is gone, the sweep has seen all others.
      const key = { tenant: 'default', conversation: 'zzz', actor: 'assistant', branch: 'main' }
      const payload = JSON.stringify({ message: { role: 'user', content: 'Hello.' } })
      const first = {
        id: 'a',
        role: 'user' as const,
        time: 1000,
        payload,
        tokens: {},
        seq: 1,
        turn: 0,
      }
      await store.restore(key, { entries: [first], turns: [] })
      await startServer({
        ...{ store, keepMs, now: () => Date.now() + days * day },
        onDeleted: (_, conversation) => deleted.push(conversation),
      })
      await expect.poll(() => deleted, { timeout: 20_000 }).toContain('zzz')
      return deleted.filter(conversation => conversation !== 'zzz')
    }

    it('keeps old chats that were imported today, and lists them by their own dates', async () => {
      const store = create()
      const { conversations } = await createHistory({ store }).import(chats)
      expect(await sweepAfter(store, 1)).toEqual([])
      expect(await listed(store)).toEqual(conversations.toSorted())
      const [info] = await store.conversations('default')
      expect(new Date(info!.updatedAt).getUTCFullYear()).toBe(2024)
    })

    it('lets an import bring back what it has deleted, but not what a person has', async () => {
      const store = create()
      const history = createHistory({ store })
      const { conversations } = await history.import(chats)
      expect(await sweepAfter(store, 91)).toEqual(conversations.toSorted())
      expect(await listed(store)).toEqual([])
      const again = await history.import(chats)
      expect(again).toMatchObject({ conversations, deleted: [], added: 4 })
      await history.delete(conversations[0]!)
      expect(await history.import(chats)).toMatchObject({ deleted: [conversations[0]], added: 0 })
    })

    it('takes reading for use: over the API, over MCP, and as an export', async () => {
      const store = create()
      const { url, history } = await startServer({ store })
      for (const one of ['api', 'export', 'mcp', 'unread'])
        await history.thread(one).seed({ role: 'user', content: 'Hello.' })
      const used = async (conversation: string) =>
        (await store.conversations('default', { only: conversation }))[0]!.usedAt !== undefined
      const api = apiClient(url)
      await api.get('/conversations')
      await api.get('/conversations/api/entries')
      await api.get('/conversations/export/export')
      const [ours, theirs] = InMemoryTransport.createLinkedPair()
      const client = new Client({ name: 'a', version: '1' })
      const mcp = createMcpServer({ history, version: '1', mayInspect: true })
      await Promise.all([mcp.connect(ours), client.connect(theirs)])
      await client.callTool({ name: 'read_conversation', arguments: { conversation: 'mcp' } })
      await client.close()
      await expect
        .poll(async () => Promise.all(['api', 'export', 'mcp'].map(used)))
        .toEqual([true, true, true])
      expect(await used('unread')).toBe(false)
    })
  })

describe('retention by a clock that the test sets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-retention-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const stores = {
    memory: (now: () => number) => memoryStore({ now }),
    sqlite: (now: () => number) => sqliteStore({ path: join(folder, 'quotes.db'), now }),
  }

  for (const [name, create] of Object.entries(stores))
    it(`takes quoting for use, on ${name}`, async () => {
      let time = Date.UTC(2026, 4, 3)
      const now = () => time
      const store = create(now)
      const history = createHistory({ store, now, person: 'ada', remember: 'person' })
      const say = async (conversation: string, text: string) => {
        const thread = history.thread(conversation)
        const begun = await thread.begin({ role: 'user', content: text })
        if (begun.kind !== 'begun') throw new Error(begun.kind)
        const { messages } = await thread.context()
        await begun.turn.complete({ role: 'assistant', content: 'Noted.' })
        return JSON.stringify(messages)
      }
      await say('trip', 'In Rome we booked the hotel Albergo del Sole, by the Pantheon.')
      await say('kitchen', 'How do I make a good risotto?')
      time += 80 * day
      expect(await say('new', 'What was the name of the hotel in Rome?')).toContain(
        'Albergo del Sole',
      )
      time += 20 * day
      const dry = () => history.retain({ conversationsMs: keepMs, dryRun: true })
      await expect.poll(async () => (await dry()).deleted).toEqual(['kitchen'])
      expect((await history.retain({ conversationsMs: keepMs })).deleted).toEqual(['kitchen'])
      expect(await listed(store)).toEqual(['new', 'trip'])
      await store.close()
    })

  it('is told in the log of the server, with hidden names', async () => {
    const db = join(folder, 'logged.db')
    const now = () => Date.now() - day
    const history = createHistory({ store: sqliteStore({ path: db, now }), now })
    await history.thread('her divorce').seed({ role: 'user', content: 'Hello.' })
    await history.close()
    const lines: string[] = []
    const flags = { upstream: 'reader', db, port: '0', keepFor: '12h' }
    const { stop } = await startFromConfig(readConfig({ flags }).config, {
      writeLog: line => lines.push(line),
    })
    onTestFinished(stop)
    const deleted = () =>
      lines.map(line => JSON.parse(line)).filter(({ msg }) => msg.startsWith('deleted'))
    await expect.poll(deleted, { timeout: 20_000 }).toMatchObject([{ tenant: 'default' }])
    expect(deleted()[0].conversation).toMatch(/^[\w-]{12}$/)
    expect(lines.join('')).not.toContain('divorce')
  })
})
