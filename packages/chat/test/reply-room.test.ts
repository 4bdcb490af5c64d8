import { createHistory } from '@throughline/history'
import type { Model, ModelSettings } from '@throughline/models'
import { memoryStore } from '@throughline/stores'
import { inChat, partsOf } from '@throughline/test-tools/chat-help'

import { describe, expect, it } from 'vitest'
import { type ChatOptions, type ChatPart, createChat } from '../src/index.ts'

const window = 8192

/** A model whose replies take what the user asks for: `reply 900` takes 900 tokens, reported or not. */
function talkative(isReported = true) {
  const asked: (ModelSettings | undefined)[] = []
  const model: Model = {
    name: 'talkative',
    window: async () => window,
    async *stream({ messages, settings }) {
      asked.push(settings)
      const [, tokens = '1'] = /^reply (\d+)/.exec(String(messages.at(-1)!.content)) ?? []
      yield { type: 'text-delta', text: 'word '.repeat(isReported ? 1 : Number(tokens)) }
      yield {
        type: 'end',
        reason: 'stop',
        usage: isReported ? { replyTokens: Number(tokens) } : {},
      }
    },
  }
  return { model, asked }
}

const contextOf = (parts: readonly ChatPart[]) =>
  parts.find(part => part.type === 'context') as Extract<ChatPart, { type: 'context' }>

async function talk(
  texts: readonly string[],
  options: Partial<ChatOptions> = {},
  isReported = true,
) {
  const { model, asked } = talkative(isReported)
  const store = memoryStore()
  const history = createHistory({ store })
  const chat = createChat({ history, model, ...options })
  const contexts: ReturnType<typeof contextOf>[] = []
  for (const text of texts) contexts.push(contextOf(await partsOf(chat.send(text, inChat))))
  return { contexts, asked, store, model, chat, thread: history.thread('chat') }
}

const reserves = ({ contexts }: Awaited<ReturnType<typeof talk>>) =>
  contexts.map(({ reserve }) => reserve)

describe('the room for the reply', () => {
  it('is an eighth of the window, however much is asked for', async () => {
    const given = await talk(['hello', 'hello'], { settings: { maxTokens: 32_000 } })
    expect(reserves(given)).toEqual([1024, 1024])
    for (const [at, { receipt, mostReply, reserveWhy }] of given.contexts.entries()) {
      expect(given.asked[at]?.maxTokens).toBe(mostReply)
      expect(mostReply).toBe(receipt.free + receipt.reserve)
      expect(receipt.tokens + receipt.margin + mostReply!).toBeLessThanOrEqual(window)
      expect(reserveWhy).toBe('an eighth of the window')
    }
  })

  it('asks the model for nothing where nobody sets a limit', async () => {
    const { asked, contexts } = await talk(['hello'])
    expect(asked).toEqual([{}])
    expect(contexts[0]).not.toHaveProperty('mostReply')
  })

  it('is what was set, and no more than what was asked for', async () => {
    expect(
      reserves(await talk(['hello'], { reserve: 3000, settings: { maxTokens: 100 } })),
    ).toEqual([3000])
    expect(reserves(await talk(['hello'], { settings: { maxTokens: 100 } }))).toEqual([100])
  })

  it.each([true, false])(
    'grows with the longest reply, in steps, and stays (reported: %s)',
    async isReported => {
      const texts = [
        'reply 700',
        'reply 900',
        'reply 1500',
        'reply 10',
        'reply 10',
        'reply 3500',
        'reply 10',
      ]
      const given = await talk(texts, { settings: { maxTokens: 32_000 } }, isReported)
      const [first, ...rest] = reserves(given)
      expect(first).toBe(1024)
      // Seven tenths of the window at the most, in powers of two: the cut moves with each step, and only then.
      if (isReported) expect(rest).toEqual([1024, 2048, 2048, 2048, 2048, 4096])
      expect(rest.toSorted((a, b) => a - b)).toEqual(rest)
      expect(new Set(rest).size).toBeLessThanOrEqual(3)
    },
  )

  it('is found again by another process, at every place of the log, and by a fork', async () => {
    const { store, model, thread } = await talk(['reply 900', 'reply 3500', 'reply 10'])
    const again = createHistory({ store })
    const chat = createChat({ history: again, model })
    const next = await chat.context(inChat)
    expect(next.receipt.reserve).toBe(4096)
    expect((await thread.calibration('talkative', { at: 2 }))?.reply).toBe(2048)
    expect((await thread.calibration('talkative', { at: 4 }))?.reply).toBe(8192)
    const fork = await again.thread('chat').fork({ at: 2 })
    const forked = await chat.context({ ...inChat, branch: fork.key.branch })
    expect(forked.receipt.reserve).toBe(2048)
  })

  it('leaves room for the conversation beside a large system prompt', async () => {
    const { contexts } = await talk(['reply 6000', 'hello'], {
      system: 'You keep the harbour. '.repeat(1200),
      settings: { maxTokens: 32_000 },
    })
    const [first, second] = contexts
    expect(first!.reserveWhy).toBe('a quarter of what system prompt and tools leave')
    expect(second!.reserve).toBeLessThan((window - second!.receipt.parts.system) / 2)
    expect(second!.receipt.stretches.some(({ rule }) => rule === 'trim')).toBe(false)
  })
})
