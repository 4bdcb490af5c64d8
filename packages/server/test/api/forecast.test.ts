import { apiClient } from '@throughline/test-tools/api-client'
import { projectChat } from '@throughline/test-tools/sample-lines'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it } from 'vitest'

const input = 'What is the grid reference for the fence?'

it('counts what a message then sends, and what of it the last call had', async () => {
  const { url } = await startServer({ window: 4096, reserve: 512 })
  const api = apiClient(url)
  await api.post('/import', projectChat('toads'))
  const lastPoint = async () =>
    JSON.parse(
      (await api.get('/conversations/toads/timeline?since=523')).body.trim().split('\n').at(-1),
    )
  for (const text of [input, 'And when is the file due?']) {
    const { body } = await api.post('/conversations/toads/forecast', { input: text })
    await api.say('toads', text)
    const { tokens, reused, window } = await lastPoint()
    expect(body).toEqual({ tokens, reused, window })
  }
  expect((await lastPoint()).reused).toBeGreaterThan(0)
})

it("leaves out the system prompt of another client's call, which the page does not send", async () => {
  const { url } = await startServer()
  const api = apiClient(url)
  await api.say('a', 'The boat is called Seagull.', { system: 'Answer in one line. '.repeat(100) })
  const { body } = await api.post('/conversations/a/forecast', { input })
  expect(body.tokens).toBeLessThan(100)
  expect(body.reused).toBe(0)
  await api.say('a', input)
  const [call] = (await api.get('/conversations/a/calls')).body.calls
  expect(body.tokens).toBe(call.predicted)
})
