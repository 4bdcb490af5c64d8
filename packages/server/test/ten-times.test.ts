import { startUpstream } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it, onTestFinished } from 'vitest'
import { openaiUpstream } from '../src/upstream/model-servers.ts'

const picture = `data:image/png;base64,${'A'.repeat(4000)}`
const look = (text: string, count: number) => ({
  role: 'user',
  content: [
    { type: 'text', text },
    ...Array.from({ length: count }, () => ({ type: 'image_url', image_url: { url: picture } })),
  ],
})

it.each([512, 1024, 2048, 4096, 8192, 32_768])(
  'answers where the upstream counts ten times as many tokens, window %i',
  async window => {
    const model = await startUpstream(({ path, text }) => {
      if (!path.endsWith('/chat/completions')) return { status: 404, body: {} }
      return {
        status: 200,
        body: {
          id: 'a',
          object: 'chat.completion',
          model: 'm',
          choices: [
            { index: 0, message: { role: 'assistant', content: 'I see.' }, finish_reason: 'stop' },
          ],
          usage: {
            prompt_tokens: Math.round(text.length / 4) * 10,
            completion_tokens: 5,
            total_tokens: 9,
          },
        },
      }
    })
    onTestFinished(() => model.close())
    const server = await startServer({ upstream: openaiUpstream({ url: model.url, window }) })
    const list: object[] = []
    for (let n = 0; n < 6; n++) {
      list.push(look(`What is on picture ${n}? ${'Please look closely. '.repeat(20)}`, n % 3))
      const response = await fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: list, ...(n % 2 && { max_tokens: 500 }) }),
      })
      const body = await response.text()
      expect([200, 400]).toContain(response.status)
      if (response.status === 400) expect(body).toContain('context_length_exceeded')
      expect(server.served).toHaveLength(n + 1)
      const { fault, answered } = server.served.at(-1)!
      const code = fault?.code ?? answered?.result.error?.code ?? 'none'
      expect(['none', 'context_too_long', 'context_overflow', 'window_too_small']).toContain(code)
      expect(code === 'none').toBe(response.status === 200)
      list.push({ role: 'assistant', content: 'I see.' })
    }
  },
)
