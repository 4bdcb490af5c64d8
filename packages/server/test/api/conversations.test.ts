import { files } from '@throughline/history/fixtures'
import { apiClient, textOf } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'

describe.each(await someStores())('conversations through the API, on %s', (_, create) => {
  async function start(options: { readonly maxBodyBytes?: number } = {}) {
    const server = await startServer({ store: create(), ...options })
    return { ...server, api: apiClient(server.url) }
  }

  it('are answered, listed last used first, page by page, and shown', async () => {
    const { api } = await start()
    for (const name of ['a', 'b', 'c/d e%2F', 'ä'])
      await api.say(name, `The cat of ${name} weighs four kilos.`)
    expect(textOf(await api.say('a', 'How many kilos does the cat weigh?'))).toContain('four')
    const first = await api.get('/conversations?limit=3')
    expect(
      first.body.conversations.map((one: { conversation: string }) => one.conversation),
    ).toEqual(['a', 'ä', 'c/d e%2F'])
    const second = await api.get(
      `/conversations?limit=3&after=${encodeURIComponent(first.body.next)}`,
    )
    expect(second.body).toEqual({ conversations: [expect.objectContaining({ conversation: 'b' })] })
    const shown = await api.get(`/conversations/${encodeURIComponent('c/d e%2F')}`)
    expect(shown.body).toMatchObject({
      conversation: 'c/d e%2F',
      threads: [{ actor: 'assistant', head: 2 }],
    })
    expect((await api.get('/conversations?after=wrong')).body.error).toMatchObject({
      field: 'after',
    })
  })

  it('get a title and metadata, and lose them', async () => {
    const { api } = await start()
    await api.say('a', 'Hello.')
    const set = await api.patch('/conversations/a', { title: 'Boats', metadata: { starred: true } })
    expect(set.body).toMatchObject({ title: 'Boats', metadata: { starred: true } })
    const unset = await api.patch('/conversations/a', { title: null })
    expect(unset.body).not.toHaveProperty('title')
    expect(unset.body.metadata).toEqual({ starred: true })
    expect((await api.patch('/conversations/none', { title: 'x' })).status).toBe(404)
    expect((await api.patch('/conversations/a', { name: 'x' })).status).toBe(400)
  })

  it('are deleted for good', async () => {
    const { api } = await start()
    await api.say('a', 'Hello.')
    expect((await api.remove('/conversations/a')).status).toBe(204)
    expect((await api.remove('/conversations/a')).status).toBe(404)
    expect((await api.get('/conversations/a')).body.error.code).toBe('no_conversation')
    expect((await api.get('/conversations/a/entries')).status).toBe(404)
    const late = await api.say('a', 'Hello again.')
    expect(late.map(({ data }) => data.error?.code)).toContain('conversation_deleted')
  })

  it('travel from one server to another', async () => {
    const [one, other] = [await start(), await start()]
    await one.api.say('a', 'The boat is called Seagull.')
    const { body: lines } = await one.api.get('/conversations/a/export')
    const imported = await other.api.post('/import', lines)
    expect(imported.body).toEqual({
      ...{ format: 'Throughline', conversations: ['a'], deleted: [] },
      ...{ entries: 2, added: 2, calls: 1 },
    })
    expect((await other.api.get('/conversations/a/export')).body).toBe(lines)
    expect((await other.api.post('/import?as=b', lines)).body.conversations).toEqual(['b'])
    expect((await other.api.post('/import', 'nonsense\n')).body.error.code).toBe('invalid_import')
    expect(textOf(await other.api.say('a', 'What is the boat called?'))).toContain('Seagull')
  })

  it('come from every program whose files are known, and the same file adds nothing', async () => {
    const { api } = await start()
    let listed = 0
    for (const [program, file] of Object.entries(files)) {
      const first = (await api.post('/import', file)).body
      expect(first.added, program).toBe(first.entries)
      expect(first.entries).toBeGreaterThan(4)
      expect((await api.post('/import', file)).body).toEqual({ ...first, added: 0 })
      listed += first.conversations.length
      const odd = await api.post('/import', file.slice(0, -20))
      expect(odd.status, program).toBe(400)
      const message = expect.stringMatching(/^Line \d+/)
      expect(odd.body.error).toMatchObject({ code: 'invalid_import', message })
    }
    expect((await api.get('/conversations')).body.conversations.length).toBe(listed)
  })

  it('are refused where the file or one of its conversations is larger than the server takes', async () => {
    const { api } = await start({ maxBodyBytes: 1000 })
    const message = { role: 'user', content: 'x'.repeat(900) }
    const big = await api.post('/import', JSON.stringify({ messages: [message, message] }))
    expect(big.body.error).toMatchObject({
      code: 'invalid_import',
      message: expect.stringContaining('limit'),
    })
    const many = Array.from({ length: 40 }, () => JSON.stringify({ messages: [message] })).join(
      '\n',
    )
    expect((await api.post('/import', many)).body.error.code).toBe('too_large')
    expect((await api.get('/conversations')).body.conversations).toEqual([])
  })

  it('are searched', async () => {
    const { api } = await start()
    await api.say('a', 'The boat is called Seagull.')
    await api.say('b', 'The dog is called Rex.')
    const { body } = await api.get('/search?q=seagull%20boat')
    expect(body.found[0]).toMatchObject({ conversation: 'a', actor: 'assistant', branch: 'main' })
    expect(body.found.every((one: { conversation: string }) => one.conversation === 'a')).toBe(true)
    expect((await api.get('/search')).body.error).toMatchObject({ code: 'bad_request', field: 'q' })
  })
})
