import { expect, it, onTestFinished } from 'vitest'
import { ollamaUpstream } from '../../src/server/upstream/ollama-upstream.ts'
import { startUpstream, type UpstreamAnswer } from '../scripted-upstream.ts'
import { startServer } from './start-server.ts'

const line = '{"model":"m","response":"some words ","done":false}\n'

async function passed(answer: UpstreamAnswer) {
  const script = await startUpstream(() => answer)
  onTestFinished(script.close)
  const { url } = await startServer({ upstream: ollamaUpstream({ url: script.url }) })
  return fetch(`${url}/api/generate`, { method: 'POST', body: '{"model":"m","prompt":"p"}' })
}

it('passes a whole answer on', async () => {
  expect(await (await passed({ chunks: [line, line] })).text()).toBe(line + line)
})

it.each([0, 1, 2, 3, 5])('never shows an answer as whole that broke off after %i pieces', async count => {
  const response = await passed({ chunks: Array<string>(count).fill(line), ending: 'reset' })
  const read = response.ok ? response.text() : Promise.reject(new Error('refused'))
  await expect(read).rejects.toThrow()
})
