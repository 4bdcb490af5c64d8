import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV3Message } from '@ai-sdk/provider'
import { type Context, spongebob } from '@throughline/core/context'
import { estimate } from '@throughline/core/counters'
import { parseMessage } from '@throughline/core/messages'
import { startUpstream } from '@throughline/models/fixtures'
import { wrapLanguageModel } from 'ai'
import { o200k } from 'throughline/tokens/o200k'
import { describe, expect, it } from 'vitest'
import { unweighed, weighResults } from './fit-ai-sdk.ts'
import { type MiddlewareOptions, throughlineMiddleware } from './throughline-middleware.ts'

const user = (text: string): LanguageModelV3Message => ({
  role: 'user',
  content: [{ type: 'text', text }],
})

/** A round whose result is what an MCP server gives: a list of texts, here JSON with many quotes in it. */
const round = (id: string, text: string): LanguageModelV3Message[] => [
  {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: id, toolName: 'read', input: {} }],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: id,
        toolName: 'read',
        output: { type: 'content', value: [{ type: 'text', text }] },
      },
    ],
  },
]

async function send(prompt: LanguageModelV3Message[], options: MiddlewareOptions) {
  const upstream = await startUpstream(() => ({ text: ['ok'] }))
  const contexts: Context[] = []
  const middleware = throughlineMiddleware({
    ...options,
    onContext: context => contexts.push(context),
  })
  const real = createOpenAICompatible({ name: 'local', baseURL: upstream.url })
  await wrapLanguageModel({ model: real('m'), middleware }).doGenerate({ prompt })
  await upstream.close()
  return { body: upstream.bodies[0]!, context: contexts[0]! }
}

describe('results that are lists of parts', () => {
  it.each([
    ['o200k', o200k()],
    ['estimate', estimate()],
  ])('are counted as the provider sends them (%s)', async (_, count) => {
    const rows = JSON.stringify(
      Array.from({ length: 9 }, (_, n) => ({ berth: n, "boat's name": `"Heron" ${n}\n` })),
    )
    const prompt = [
      user('go'),
      ...Array.from({ length: 40 }, (_, n) => round(`c${n}`, rows)).flat(),
    ]
    const { body, context } = await send(prompt, { window: 3000, count, policy: spongebob() })
    expect(body.messages.at(-1)!.content).toBe(JSON.stringify([{ type: 'text', text: rows }]))
    const arrived = body.messages.reduce(
      (sum, message, at) => sum + count.message(parseMessage(message, at)),
      0,
    )
    expect(arrived + (count.prompt ?? 0)).toBeLessThanOrEqual(context.receipt.tokens)
    expect(context.tokens).toBeLessThanOrEqual(3000)
  })

  it('are sent as they are, or cut, and never with what they were weighed by', async () => {
    const prompt = [user('go'), ...round('a', 'data '.repeat(900))]
    const whole = await send(prompt, { window: 4000, count: o200k() })
    expect(whole.context.messages).toEqual(prompt)
    const { body, context } = await send(prompt, { window: 300, count: o200k(), overflow: 'trim' })
    expect(body.messages.at(-1)!.content).toContain('tokens cut here')
    expect(JSON.stringify(context.messages)).not.toContain('weight')
    expect(Object.getOwnPropertySymbols(context.messages.at(-1)!)).toEqual([])
  })

  it('find back to the very message, which is weighed once until it changes', () => {
    const [, message] = round('a', 'text') as [
      LanguageModelV3Message,
      LanguageModelV3Message & { role: 'tool' },
    ]
    const weighed = weighResults(message)
    expect(weighed).not.toBe(message)
    expect(unweighed(weighed)).toBe(message)
    expect(weighResults(message)).toBe(weighed)
    ;(message.content[0] as { output: unknown }).output = { type: 'content', value: [] }
    expect(weighResults(message)).not.toBe(weighed)
  })

  it('leave every other message alone', () => {
    const others = [user('hello'), { role: 'tool', content: 'plain' }, { role: 'tool' }]
    for (const message of others) expect(weighResults(message)).toBe(message)
    expect(unweighed(others[0]!)).toBe(others[0])
  })
})
