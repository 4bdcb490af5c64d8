/**
 * An AI SDK agent with sixty rounds of tools in a window of 2048 tokens: only its model is wrapped.
 * `npm run example 08-ai-sdk`
 */
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import type { Receipt } from 'throughline'
import { throughlineMiddleware } from 'throughline/ai-sdk'

/** Stands for any model of the AI SDK, so that the example needs no network: it reads a log in every step. */
const model = new MockLanguageModelV3({
  doGenerate: async () => {
    const day = model.doGenerateCalls.length
    const isDone = day > 60
    const input = JSON.stringify({ day })
    const call = { type: 'tool-call', toolCallId: `${day}`, toolName: 'readLog', input } as const
    return {
      content: isDone ? [{ type: 'text', text: 'Pump 2 failed on day 17.' }] : [call],
      finishReason: { unified: isDone ? 'stop' : 'tool-calls', raw: undefined },
      usage: {
        inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 0, text: 0, reasoning: 0 },
      },
      warnings: [],
    }
  },
})

const readLog = tool({
  description: 'Reads the log of one day.',
  inputSchema: jsonSchema<{ day: number }>({
    type: 'object',
    properties: { day: { type: 'number' } },
  }),
  execute: ({ day }) =>
    day === 17 ? 'pump 2 failed at 04:10' : `day ${day}: all pumps fine, sea calm, no ships`,
})

const receipts: Receipt[] = []
const middleware = throughlineMiddleware({
  window: 2048,
  reserve: 256,
  onContext: context => receipts.push(context.receipt),
})

const { text } = await generateText({
  model: wrapLanguageModel({ model, middleware }),
  prompt: 'Read all sixty logs and tell me where the pump failed.',
  tools: { readLog },
  stopWhen: stepCountIs(100),
})

console.log(text)
console.log(
  `${receipts.length} calls, the largest ${Math.max(...receipts.map(one => one.tokens))} tokens`,
)
console.log('the last one:', receipts.at(-1)?.counts)
