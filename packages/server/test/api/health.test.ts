import { memoryStore } from '@throughline/stores/memory'
import { apiClient } from '@throughline/test-tools/api-client'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it } from 'vitest'
import { createMetrics } from '../../src/health/create-metrics.ts'
import { readerUpstream } from '../../src/upstream/reader-upstream.ts'

it('says when it is ready, and what is away if not', async () => {
  const { url } = await startServer({ requireKeys: true })
  const ready = await fetch(`${url}/health/readiness`)
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { status: 'ok', store: 'ok', upstream: 'ok' },
  ])
  const store = memoryStore()
  const away = { ...readerUpstream(), models: () => Promise.reject(new Error('away')) }
  const other = await startServer({ store, upstream: away })
  await store.close()
  const answer = await fetch(`${other.url}/health/readiness`)
  expect([answer.status, await answer.json()]).toMatchObject([503, { upstream: 'away' }])
})

it('counts requests, times and tokens of all adapters', async () => {
  const { url } = await startServer()
  await apiClient(url).say('a', 'Hello.')
  const messages = [{ role: 'user', content: 'Hello.' }]
  const chat = (model: string) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model, messages }),
    })
  await (await chat('reader')).json()
  await (await chat('none')).json()
  const text = await (await fetch(`${url}/metrics`)).text()
  expect(text).toContain(
    'throughline_requests_total{adapter="api",outcome="completed",upstream="reader"} 1\n',
  )
  expect(text).toContain(
    'throughline_requests_total{adapter="openai",outcome="completed",upstream="reader"} 1\n',
  )
  expect(text).toContain(
    'throughline_requests_total{adapter="openai",outcome="model_not_found",upstream="reader"} 1\n',
  )
  expect(text).toContain('throughline_request_seconds_count{adapter="openai"} 2\n')
  expect(text).toMatch(
    /^throughline_tokens_total\{model="reader",kind="prompt",upstream="reader"\} [1-9]/m,
  )
  expect(text).toContain('throughline_open_replies 0\n')
  for (const line of text.trim().split('\n'))
    expect(line).toMatch(
      /^(?:# TYPE \w+ (?:gauge|counter|histogram)|\w+(?:\{[^{}]*\})? [\d.e+-]+)$/,
    )
  const key = await fetch(`${(await startServer({ requireKeys: true })).url}/metrics`)
  expect(key.status).toBe(401)
})

it('counts names that clients choose up to a limit', () => {
  const metrics = createMetrics()
  for (let at = 0; at < 1000; at++)
    metrics.count({
      ...{ requestId: 'r', adapter: 'api', ms: 1, model: `m"\n${at}` },
      answered: {
        result: {
          ...{ status: 'completed', turn: 1, branch: 'main', rounds: 1, text: '', messages: [] },
          usage: { promptTokens: 1 },
        },
      },
    })
  const lines = metrics
    .text({})
    .split('\n')
    .filter(line => line.startsWith('throughline_tokens_total'))
  expect(lines).toHaveLength(201)
  expect(lines.at(-1)).toBe(
    'throughline_tokens_total{model="other",kind="other",upstream="other"} 800',
  )
})
