import { apiClient } from '@throughline/test-tools/api-client'
import { openaiAnswer, startUpstream } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it, onTestFinished } from 'vitest'
import { openaiUpstream } from '../../src/upstream/model-servers.ts'
import { severalUpstreams } from '../../src/upstream/upstreams.ts'

/** A model server that lists its models, or never does. */
async function modelServer(name: string, hangs: boolean) {
  const { url, close } = await startUpstream(({ path }) => {
    if (path !== '/v1/models') return openaiAnswer([{ content: 'Yes.' }])
    if (hangs) return { ending: 'stall' }
    return { status: 200, body: { object: 'list', data: [{ id: name, max_model_len: 12_000 }] } }
  })
  onTestFinished(close)
  // The connection itself would wait longer than this test may take.
  return openaiUpstream({ url, timeouts: { facts: 600_000 } })
}

it('shows a conversation without calls while a model server hangs, with what the others tell', async () => {
  const [away, there] = [await modelServer('a', true), await modelServer('b', false)]
  const named = (name: string, upstream: typeof away) => ({
    name,
    upstream,
    patterns: [`${name}*`],
    options: {},
  })
  for (const [upstream, window] of [
    [away, undefined],
    [severalUpstreams([named('a', away), named('b', there)]), 12_000],
  ] as const) {
    const { url, history } = await startServer({ upstream })
    await history
      .thread('old')
      .seed({ role: 'user', content: 'Hello.' }, { role: 'assistant', content: 'Hi.' })
    const { get } = apiClient(url)
    const { status, body } = await get('/conversations/old/context')
    expect(status).toBe(200)
    if (window !== undefined) expect(body.window).toBe(window)
    expect((await get('/server')).status).toBe(200)
  }
})
