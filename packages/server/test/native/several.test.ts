import { anthropicAnswer, upstreamWith } from '@throughline/models/fixtures'
import { ollamaAnswer } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it } from 'vitest'
import { anthropicUpstream, ollamaUpstream } from '../../src/upstream/model-servers.ts'
import { severalUpstreams } from '../../src/upstream/upstreams.ts'

it('each of several upstreams is spoken to in its own form, and gets a client’s key only for its own models', async () => {
  const claude = await upstreamWith(({ path }) =>
    path.startsWith('/v1/messages')
      ? anthropicAnswer([{ type: 'text', text: 'A tree.' }])
      : { status: 200, body: { data: [] } },
  )
  const local = await upstreamWith(({ path }) =>
    path === '/api/chat'
      ? ollamaAnswer([{ content: 'A leaf.' }])
      : { status: 200, body: { models: [] } },
  )
  const upstream = severalUpstreams([
    {
      name: 'claude',
      patterns: ['claude-*'],
      upstream: anthropicUpstream({ url: claude.url }),
      options: {},
    },
    {
      name: 'local',
      patterns: ['*'],
      upstream: ollamaUpstream({ url: local.url, window: 4096 }),
      options: {},
    },
  ])
  const { url, history } = await startServer({ upstream })
  const headers = { 'x-api-key': 'sk-ant-api-mine', 'content-type': 'application/json' }
  const body = { max_tokens: 99, stream: true, messages: [{ role: 'user', content: 'hi' }], odd: 1 }
  const ask = async (model: string) => {
    const text = JSON.stringify({ model, ...body })
    return (await fetch(`${url}/v1/messages`, { method: 'POST', headers, body: text })).text()
  }
  expect(await ask('claude-test')).toContain('msg_recorded')
  await fetch(`${url}/v1/models`, { headers })
  const chats = claude.requests.filter(({ path }) => path === '/v1/messages')
  expect(chats.map(({ body }) => body)).toEqual([{ model: 'claude-test', ...body }])
  expect(chats[0]!.headers['x-api-key']).toBe('sk-ant-api-mine')
  expect(
    local.requests.map(({ headers }) => headers.authorization ?? headers['x-api-key']),
  ).toEqual(local.requests.map(() => undefined))
  expect(await ask('qwen3')).toContain('A leaf.')
  const [first] = (await history.conversations()).toReversed()
  const calls = await history.thread(first!.conversation).calls({ limit: 1 })
  expect(['claude/claude-test', 'local/qwen3']).toContain(calls[0]!.model)
})
