import type { ReceiptStretch } from '@throughline/core/explain'
import { rules } from '@throughline/models/reader'
import { apiClient, textOf } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { apiRoutes } from '../../src/api/routes.ts'
import { createKeys } from '../../src/auth/create-keys.ts'
import { readerUpstream } from '../../src/upstream/reader-upstream.ts'
import type { Upstream } from '../../src/upstream/upstream.ts'

const secret = 'Zanzibar'

/** A model that ends every reply with a note. */
const noting: Upstream = {
  ...readerUpstream(),
  model: () =>
    rules(
      ({ messages }) => `Heard ${messages.length} messages. [NOTE TO SELF: think of ${secret}]`,
      {
        window: 2048,
      },
    ),
}

const fatesIn = (stretches: readonly ReceiptStretch[]) =>
  stretches.flatMap(({ first, last, fate, rule, why }) =>
    Array.from({ length: last - first + 1 }, (_, at) => `${first + at} ${fate} ${rule}: ${why}`),
  )

describe.each(await someStores())('threads and contexts over the API, on %s', (_, create) => {
  async function startLong(turns: number) {
    const server = await startServer({ store: create() })
    const api = apiClient(server.url)
    await api.say('a', 'The boat is called Seagull.')
    for (let turn = 2; turn <= turns; turn++)
      await api.say(
        'a',
        `Message ${turn}: ${'we talked about the weather and the garden at length. '.repeat(30)}`,
      )
    return { ...server, api }
  }

  it('shows users no notes, wherever they look, and operators all of them', async () => {
    const { url } = await startServer({ store: create(), upstream: noting, notes: true })
    const api = apiClient(url)
    const events = await api.say('a', 'Hello.')
    await api.say('a', 'Hello again.')
    const outputs = [
      textOf(events),
      (await api.get('/conversations')).body,
      (await api.get('/conversations/a')).body,
      (await api.get('/conversations/a/entries')).body,
      (await api.get('/conversations/a/turns')).body,
      (await api.get('/conversations/a/threads')).body,
      (await api.get(`/search?q=${secret}`)).body,
      (await api.get('/search?q=heard')).body,
    ]
    for (const output of outputs) expect(JSON.stringify(output)).not.toContain(secret)
    expect(JSON.stringify(await api.get('/search?q=heard'))).toContain('Heard')
    expect(events.map(({ data }) => data.type)).toContain('note')
    const note = { time: expect.any(Number), text: `think of ${secret}` }
    expect((await api.get('/conversations/a/notes')).body.notes).toEqual([
      { seq: 3, turn: 1, ...note },
      { seq: 6, turn: 2, ...note },
    ])
    expect((await api.get(`/search?q=${secret}&scope=everything`)).body.found).toHaveLength(2)
    const { body: log } = await api.get('/conversations/a/log')
    expect(log.entries.map(({ message }: { message: { role: string } }) => message.role)).toEqual([
      ...['user', 'assistant', 'assistant_note'],
      ...['user', 'assistant', 'assistant_note'],
    ])
    expect(log.entries.every(({ tokens }: { tokens: number }) => tokens > 0)).toBe(true)
  })

  it('gives a key only what its scopes allow, and nothing of another tenant', async () => {
    const store = create()
    const keys = createKeys(store)
    const keyOf = async (
      tenant: string,
      ...scopes: readonly ('chat' | 'read' | 'inspect' | 'admin')[]
    ) => (await keys.create({ name: 'test', tenant, scopes })).key
    const { url } = await startServer({ store, upstream: noting, notes: true, requireKeys: true })
    const as = async (tenant: string, ...scopes: Parameters<typeof keyOf>[1][]) =>
      apiClient(url, { authorization: `Bearer ${await keyOf(tenant, ...scopes)}` })
    const chatting = await as('one', 'chat')
    const events = await chatting.say('a', 'Hello.')
    expect(JSON.stringify(events)).not.toContain(secret)
    expect(events.map(({ data }) => data.type)).not.toContain('context')
    const reading = await as('one', 'read')
    expect((await reading.get('/conversations/a/entries')).body.entries).toHaveLength(2)
    expect((await reading.get(`/search?q=${secret}&scope=everything`)).body.error.field).toBe(
      'scope',
    )
    const other = await as('two', 'read', 'chat', 'inspect', 'admin')
    expect((await other.get('/conversations')).body).toEqual({ conversations: [] })
    for (const { method, path, kind } of apiRoutes) {
      const address = path.replace(':conversation', 'a').replace(/:\w+/, 'x').replace(/:\w+/, 'y')
      const body = method === 'get' || method === 'delete' ? undefined : {}
      const nobody = await apiClient(url).request(method.toUpperCase(), address, body)
      expect([address, nobody.status]).toEqual([address, 401])
      await nobody.body?.cancel()
      if (!path.includes(':conversation') || path.endsWith('/send')) continue
      const stranger = await other.request(
        method.toUpperCase(),
        `${address}?windows=1&policies=stable`,
        body,
      )
      expect([address, kind, [400, 404].includes(stranger.status)]).toEqual([address, kind, true])
      await stranger.body?.cancel()
      expect((await other.get(`/conversations/a/entries`)).status).toBe(404)
    }
    const refused = await reading.get('/conversations/a/log')
    expect([refused.status, refused.body.error.code]).toEqual([403, 'no_scope'])
  })

  it('pages through entries, and lists turns, threads and branches', async () => {
    const { api } = await startLong(4)
    const { body: newest } = await api.get('/conversations/a/entries?limit=3')
    expect(newest.entries.map(({ seq }: { seq: number }) => seq)).toEqual([6, 7, 8])
    const { body: older } = await api.get('/conversations/a/entries?limit=10&at=5')
    expect(older.entries.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 3, 4, 5])
    expect((await api.get('/conversations/a/entries?at=-1')).body.error.field).toBe('at')
    expect((await api.get('/conversations/a/entries?limit=many')).body.error.field).toBe('limit')
    expect((await api.get('/conversations/a/entries?colour=red')).status).toBe(400)
    const { body: outline } = await api.get('/conversations/a/outline?from=3&limit=2')
    expect(outline.entries).toMatchObject([
      { seq: 3, turn: 2, role: 'user' },
      { seq: 4, turn: 2, role: 'assistant' },
    ])
    const { body: turns } = await api.get('/conversations/a/turns')
    expect(turns.turns).toHaveLength(4)
    const forked = await api.post('/conversations/a/fork', { at: 2, as: 'other' })
    expect([forked.status, forked.body]).toEqual([
      201,
      { actor: 'assistant', branch: 'other', at: 2 },
    ])
    expect((await api.post('/conversations/a/fork', { at: 3 })).body.error.field).toBe('at')
    await api.say('a', 'What is the boat called?', {}, '?branch=other')
    const { body: threads } = await api.get('/conversations/a/threads')
    expect(threads.threads).toMatchObject([
      { branch: 'main', head: 8, turns: 4, status: { state: 'idle' } },
      {
        ...{ branch: 'other', head: 4, forkOf: { branch: 'main', at: 2 } },
        begins: {
          turn: 2,
          text: 'What is the boat called?',
          time: expect.any(Number),
          how: 'reworded',
        },
      },
    ])
    expect((await api.get('/conversations/a/status?branch=none')).body.error.code).toBe('no_branch')
    expect((await api.get('/conversations/a/status?actor=none')).body.error.code).toBe('no_thread')
  })

  it.each(['inline', 'system'] as const)('dumps a note where it was written (%s)', async place => {
    const { url, store } = await startServer({
      store: create(),
      upstream: noting,
      notes: { place },
    })
    const api = apiClient(url)
    await api.say('a', 'Hello.')
    await api.say('a', 'Hello again.', { system: 'Be brief.' })
    const { body: calls } = await api.get('/conversations/a/calls')
    const { body: dumped } = await api.get(`/conversations/a/calls/${calls.calls[0].id}/dump`)
    const sent = place === 'system' ? '\n(sent in the section "RECENT NOTES TO SELF:")' : ''
    expect(dumped).toContain(
      `--- USER ---\nHello.\n--- ASSISTANT ---\nHeard 2 messages.\n--- NOTE TO SELF ---\nthink of ${secret}${sent}\n\n=== CURRENT USER MESSAGE ===\nHello again.\n`,
    )
    expect((await api.get('/conversations/a/dump?at=4')).body).toBe(dumped)
    // A server without notes shows them in the section, once, whatever the last call had.
    const off = apiClient((await startServer({ store, upstream: noting })).url)
    const { body: now } = await off.get('/conversations/a/dump')
    expect(now.split('=== CONVERSATION')[0]).toContain('RECENT NOTES TO SELF:\nthink')
    expect(now).not.toContain('[NOTE TO SELF: think')
    expect(now.split('RECENT NOTES TO SELF:\nthink')).toHaveLength(2)
  })

  it('shows what the model was sent, and what it would be sent otherwise', async () => {
    const { api } = await startLong(16)
    await api.say('a', 'What is the boat called?', { system: 'Be brief.' })
    const { body: calls } = await api.get('/conversations/a/calls?stretches=true')
    expect(calls.calls).toHaveLength(17)
    const [last] = calls.calls
    const { body: call } = await api.get(`/conversations/a/calls/${last.id}`)
    expect(call.messages[0]).toMatchObject({ role: 'system', content: 'Be brief.' })
    const { body: dumped } = await api.get(`/conversations/a/calls/${last.id}/dump`)
    expect(dumped).toContain('=== CURRENT USER MESSAGE ===\nWhat is the boat called?')

    // The context at the place of the call, as it was then: the same bytes.
    const { body: same } = await api.get('/conversations/a/context?at=33')
    expect(same.messages).toEqual(call.messages)
    expect(same).toMatchObject({ tokens: last.predicted, window: last.window, at: 33 })
    expect(same.sent[0].seqs).toEqual([0])
    expect(same.sent.at(-1).seqs).toEqual([33])
    expect((await api.get('/conversations/a/dump?at=33')).body).toBe(dumped)
    // What was sent and what became of every entry is told of a call as of its context.
    expect(call.sent).toEqual(same.sent)
    expect(fatesIn(call.stretches)).toEqual(fatesIn(same.stretches))
    expect(calls.calls[0].stretches).toEqual(call.stretches)
    expect(same.counts.omitted + same.counts.digested + same.counts.recalled).toBeGreaterThan(0)

    const { body: small } = await api.get(
      '/conversations/a/context?at=33&window=1024&messages=false&since=31',
    )
    expect(small.tokens).toBeLessThanOrEqual(1024)
    expect(small.messages).toBeUndefined()
    expect(small.prefix.share).toBeGreaterThan(0)
    const { body: compared } = await api.post('/conversations/a/compare', {
      at: 33,
      a: { window: 4096, policy: 'balanced' },
      b: { window: 4096, policy: 'sliding-5' },
    })
    expect(compared.a.policy).toBe('balanced')
    expect(compared.differing.length).toBeGreaterThan(0)
    expect(compared.b.prefix.tokens).toBeLessThan(compared.b.tokens)
    const { body: equal } = await api.post('/conversations/a/compare', { at: 33, a: {}, b: {} })
    expect(equal).toMatchObject({ differing: [], b: { prefix: { share: 1 } } })
    const grid = await api.get(
      '/conversations/a/grid?windows=1024,4096&policies=stable,sliding-5&entry=1&at=33',
    )
    const cells = grid.body
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line))
    expect(
      cells.map((one: { policyName: string; window: number }) => [one.policyName, one.window]),
    ).toEqual([
      ['stable', 1024],
      ['stable', 4096],
      ['sliding-5', 1024],
      ['sliding-5', 4096],
    ])
    expect(cells.every(({ entry }: { entry: string }) => entry === 'kept')).toBe(true)
    expect((await api.get('/conversations/a/context?policy=none')).body.error.field).toBe('policy')
    expect((await api.get('/conversations/a/context?policy=sliding-0')).body.error.field).toBe(
      'policy',
    )
    const unknown = await api.get('/conversations/a/grid?windows=1024&policies=stable,psychic')
    expect([unknown.status, unknown.body.error.code]).toEqual([400, 'invalid_option'])
    const tooMany = `/conversations/a/grid?windows=${Array(20).fill(1024)}&policies=${Array(20).fill('stable')}`
    expect((await api.get(tooMany)).body.error.field).toBe('policies')
    // Looking changes nothing for the next call.
    expect(textOf(await api.say('a', 'What is the boat called?'))).toContain('Seagull')
  })
})
