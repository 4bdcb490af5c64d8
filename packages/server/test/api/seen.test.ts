import { apiClient } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { readerUpstream } from '../../src/upstream/reader-upstream.ts'

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })

describe.each(await someStores())('what a context has of a text, in %s', (_, create) => {
  async function start(last: string) {
    const server = await startServer({ store: create(), upstream: readerUpstream(), window: 1024 })
    const thread = server.history.thread('trip')
    await thread.seedTurns([
      user('Hello, I am Ada.'),
      assistant('Hello!'),
      user('The gateway is a Zyxel 7, and its code is TEAL-42.'),
      assistant('I keep it in mind.'),
      ...Array.from({ length: 40 }, (_, n) => [
        user(`Day ${n}: ${'wind and water. '.repeat(8)}`),
        assistant(`Noted ${n}.`),
      ]).flat(),
      user(last),
      assistant('I do not know.'),
    ])
    const api = apiClient(server.url)
    const usual = 'window=1024&reserve=100&policy=sliding-20'
    const seen = async (more = '', settings = usual) =>
      (await api.get(`/conversations/trip/seen?${settings}${more}`)).body
    return { api, thread, seen }
  }

  it('names the message that says it, and what would send it', async () => {
    const { seen } = await start('And now?')
    const { match, would, free, unsaid } = await seen(
      '&text=the%20code%20of%20the%20gateway%20router',
    )
    expect(match).toMatchObject({ entry: 3, fate: 'omitted', isSent: false })
    expect(match.words).toEqual(expect.arrayContaining(['code', 'gateway']))
    expect(unsaid).toEqual(['router'])
    expect(free).toBeGreaterThan(0)
    expect(would).toEqual([{ policy: 'balanced', window: 4096 }])
    const there = await seen(
      '&text=the%20code%20of%20the%20gateway',
      'window=4096&reserve=100&policy=balanced',
    )
    expect(there).toMatchObject({ match: { entry: 3, isSent: true }, would: [] })
    expect((await seen('&text=zeppelin')).match).toBeUndefined()
    expect((await seen('&text=Day%2039')).match).toMatchObject({ isSent: true })
  })

  it('says without a text what the newest message asks for and the context lacks', async () => {
    const { seen } = await start('What was that about the gateway?')
    expect(await seen()).toMatchObject({
      asking: 85,
      match: { entry: 3, words: ['gateway'], isSent: false },
    })
    const { match, omitted } = await seen('&at=5')
    expect(match).toBeUndefined()
    expect(omitted).toBe(0)
  })

  it('never names a reply that only says its question again, nor that question', async () => {
    const { thread, seen } = await start('And now?')
    await thread.seedTurns([
      user('What is the code of the gateway router?'),
      assistant('I do not know the code of the gateway router.'),
      user('Which code has the gateway router?'),
    ])
    expect((await seen()).match).toMatchObject({ entry: 3, words: ['code', 'gateway'] })
    await thread.seedTurns([
      assistant('The code of the gateway router is TEAL-42.'),
      user('Tell me again: which code has the gateway router?'),
    ])
    // This one says more than its question.
    expect((await seen()).match).toMatchObject({ entry: 90 })
  })

  it('makes an earlier context with the hands of now, and asks again with other settings', async () => {
    const { api, thread, seen } = await start('What was that about the gateway?')
    await thread.pin(3)
    expect((await seen('&at=85&text=gateway%20code')).match).toMatchObject({ isSent: false })
    expect((await seen('&at=85&hands=now&text=gateway%20code')).match).toMatchObject({
      isSent: true,
      fate: 'kept',
      rule: 'pinned',
    })
    const parts: Record<string, unknown>[] = []
    const body = { at: 85, window: 2048, policy: 'thorough' }
    for await (const { data } of api.events('/conversations/trip/regenerate', { body }))
      parts.push(data)
    expect(parts.find(({ type }) => type === 'context')).toMatchObject({
      window: 2048,
      policy: 'thorough',
    })
    const { branch } = parts.at(-1) as { branch: string }
    const { body: hands } = await api.get(`/conversations/trip/hands?branch=${branch}`)
    expect(hands.pinned).toEqual([{ first: 3, last: 3 }])
    const refused = await api.post('/conversations/trip/regenerate', { policy: 'none-such' })
    expect(refused.status).toBe(400)
  })
})
