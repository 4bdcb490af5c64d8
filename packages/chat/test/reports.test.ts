import type { TokenCounter } from '@throughline/core'
import { estimate } from '@throughline/core/counters'
import type { Model, ModelUsage } from '@throughline/models'
import { inChat, newHistory, partsOf, warningsIn } from '@throughline/test-tools/chat-help'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createChat, defineTool } from '../src/index.ts'

const english = (n: number) =>
  `The ship number ${n} came into the harbour at noon and unloaded ${n + 3} crates of apples, pears and plums. `
const russian = 'Сегодня мы обсуждаем ход проекта и решаем, что делать дальше. '

const isLatin = (text: string) => /^[\x20-\x7e\n]*$/.test(text)
/** The model's own tokens: about our count for English, less than half of it for Russian. */
const tokensOf = (messages: readonly { readonly content?: unknown }[]): number =>
  messages.reduce((sum, { content }) => {
    const text = String(content)
    return sum + 4 + Math.ceil(estimate().text(text) * (isLatin(text) ? 0.95 : 0.45))
  }, 0)

/** A model that reports what `report` makes of the tokens of the whole prompt and of its new part. */
function reporting(report: (all: number, fresh: number) => ModelUsage): Model {
  let last: readonly unknown[] = []
  return {
    name: 'reporting',
    window: async () => 4096,
    async *stream({ messages }) {
      const firstNew = messages.findIndex(
        (message, at) => JSON.stringify(message) !== JSON.stringify(last[at]),
      )
      last = messages
      yield { type: 'text-delta', text: 'I see.' }
      const fresh = tokensOf(messages.slice(firstNew))
      yield { type: 'end', reason: 'stop', usage: report(tokensOf(messages), fresh) }
    },
  }
}

const whole = reporting.bind(undefined, promptTokens => ({ promptTokens }))

async function talk(model: Model, texts: readonly string[], count?: TokenCounter) {
  const history = newHistory(count ? { count } : {})
  const chat = createChat({ history, model, settings: { maxTokens: 100 } })
  const warned: string[] = []
  for (const text of texts) warned.push(...warningsIn(await partsOf(chat.send(text, inChat))))
  return { warned, factor: (await history.thread('chat').calibration('reporting'))?.factor ?? 1 }
}

const many = Array.from({ length: 60 }, (_, n) => english(n) + english(n + 100) + english(n + 200))

describe('a report of fewer tokens is no alarm', () => {
  it('where it is the first, and the counter only guesses: it is learnt from', async () => {
    const { warned, factor } = await talk(whole(), [
      russian.repeat(121),
      'и что?',
      'и что?',
      'и что?',
    ])
    expect(warned).toEqual([])
    expect(factor).toBeLessThan(0.9)
  })

  it('where a text in another language came', async () => {
    const { warned } = await talk(whole(), [
      ...many.slice(0, 20),
      russian.repeat(45),
      ...many.slice(20, 30),
    ])
    expect(warned).toEqual([])
  })

  it.each([
    ['estimated', undefined],
    ['exact', { ...estimate(), exact: true }],
  ])('where the server says only what it had not cached, with an %s count', async (_, count) => {
    const { warned, factor } = await talk(
      reporting((_, promptTokens) => ({ promptTokens })),
      many,
      count,
    )
    expect(warned).toEqual([])
    // Such a report is not learnt from: a prompt as long as that would not fit any more.
    expect(factor).toBeGreaterThan(0.8)
  })

  it('where it says the cached part beside it', async () => {
    const model = reporting((all, fresh) => ({ promptTokens: fresh, cachedTokens: all - fresh }))
    const { warned, factor } = await talk(model, many, { ...estimate(), exact: true })
    expect(warned).toEqual([])
    expect(factor).toBeGreaterThan(0.85)
  })

  it('where nearly all of it was cached before we asked', async () => {
    const model = reporting(all => ({ promptTokens: Math.floor(all / 10), cachedTokens: all }))
    const { warned } = await talk(model, [english(1).repeat(60)], { ...estimate(), exact: true })
    expect(warned).toEqual([])
  })
})

it.each([1024, 2048, 3000])('a window of %i instead of 4096 is found out', async real => {
  let cut = 0
  // As Ollama does: of a prompt that is too long it reads half a window.
  const model = reporting(all => {
    if (all <= real) return { promptTokens: all }
    cut += 1
    return { promptTokens: real / 2 }
  })
  const { warned } = await talk(model, many)
  expect(cut).toBeGreaterThan(0)
  expect(warned.length).toBeGreaterThan(cut * 0.8)
  expect(new Set(warned)).toEqual(new Set(['prompt_truncated']))
})

it('reports that are far too low move nothing inside a turn that was cut', async () => {
  let calls = 0
  const model: Model = {
    name: 'reporting',
    window: async () => 4096,
    async *stream({ messages }) {
      calls += 1
      const isLast = calls % 30 === 0
      if (isLast) yield { type: 'text-delta', text: 'Done.' }
      else yield { type: 'tool-call', id: `c${calls}`, name: 'read', arguments: `{"n": ${calls}}` }
      // Lines and calls have fewer tokens than we count, once results are cleared.
      const prompt = JSON.stringify(messages)
      const share = prompt.includes('is left out here') ? 0.65 : 1
      const usage = { promptTokens: Math.ceil(estimate().text(prompt) * share) }
      yield { type: 'end', reason: isLast ? 'stop' : 'tool-calls', usage }
    },
  }
  const history = newHistory()
  const read = defineTool({
    name: 'read',
    description: 'Reads.',
    input: z.object({ n: z.number() }),
    run: ({ n }) => english(n).repeat(8),
  })
  const chat = createChat({ history, model, tools: [read], maxRounds: 40 })
  const cut = (await partsOf(chat.send('Read them.', inChat))).filter(
    part => part.type === 'context' && part.receipt.cut !== undefined,
  )
  expect(cut.length).toBeGreaterThan(5)
  expect(new Set(cut.map(part => part.type === 'context' && part.factor)).size).toBe(1)
})
