import { startUpstream, type UpstreamAnswer } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it, onTestFinished, vi } from 'vitest'
import { ollamaUpstream } from '../src/upstream/model-servers.ts'

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

it.each([0, 1, 2, 3, 5])(
  'never shows an answer as whole that broke off after %i pieces',
  async count => {
    const printed = (['error', 'info', 'log'] as const).map(name => vi.spyOn(console, name))
    onTestFinished(() => void vi.restoreAllMocks())
    const response = await passed({ chunks: Array<string>(count).fill(line), ending: 'reset' })
    const read = response.ok ? response.text() : Promise.reject(new Error('refused'))
    await expect(read).rejects.toThrow()
    // Only the server's own log tells of it.
    for (const spy of printed) expect(spy).not.toHaveBeenCalled()
  },
)
