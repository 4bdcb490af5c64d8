import { assistant, system, user } from '@throughline/core/testing'
import { describe, expect, it } from 'vitest'
import { ModelError, type ModelPart, type ModelRequest } from '../model.ts'
import { countWords } from './count-words.ts'
import { type ReaderOptions, reader } from './reader.ts'

async function run(request: ModelRequest, options: ReaderOptions = {}) {
  const parts: ModelPart[] = []
  for await (const part of reader(options).stream(request)) parts.push(part)
  const text = parts.map(part => (part.type === 'text-delta' ? part.text : '')).join('')
  const end = parts.at(-1)
  if (end?.type !== 'end') throw new Error('no end')
  return { parts, text, end }
}

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    error => error as ModelError,
  )
const chat = [user('My locker code is 4471.'), assistant('Fine.'), user('What is my locker code?')]

describe('the stream', () => {
  it('comes word by word and ends with what was read and written', async () => {
    const { parts, text, end } = await run({ messages: chat })
    expect(text).toBe('You said: "My locker code is 4471."')
    expect(parts).toHaveLength(8)
    // 4 for each message; the words and signs of the three texts.
    expect(end).toEqual({
      type: 'end',
      reason: 'stop',
      usage: { promptTokens: 12 + 6 + 2 + 6, replyTokens: 11 },
    })
  })

  it('counts tools too, and calls have new ids', async () => {
    const tools = [{ name: 'look', parameters: { type: 'object' } }]
    const earlier = { id: 'call_7', type: 'function', function: { name: 'look', arguments: '{}' } }
    const messages = [
      user('look()'),
      { role: 'assistant', content: null, tool_calls: [earlier] },
      { role: 'tool', tool_call_id: 'call_7', content: 'a door' },
      assistant('A door.'),
      user('look() and look()'),
    ]
    const { parts, end } = await run({ messages, tools })
    expect(parts.slice(0, 2)).toEqual([
      { type: 'tool-call', id: 'call_8', name: 'look', arguments: '{}' },
      { type: 'tool-call', id: 'call_9', name: 'look', arguments: '{}' },
    ])
    expect(end.reason).toBe('tool-calls')
    const without = await run({ messages })
    expect(end.usage.promptTokens).toBeGreaterThan(without.end.usage.promptTokens!)
  })

  it('stops at maxTokens and at stop words', async () => {
    const short = await run({ messages: chat, settings: { maxTokens: 4 } })
    expect(short.text).toBe('You said:')
    expect(short.end).toMatchObject({ reason: 'length', usage: { replyTokens: 3 } })
    expect((await run({ messages: chat, settings: { stop: ['locker'] } })).text).toBe(
      'You said: "My ',
    )
  })

  it('stops at the end of the window', async () => {
    const { text, end } = await run({ messages: chat }, { window: 29 })
    expect(text).toBe('You said:')
    expect(end.reason).toBe('length')
  })

  it('refuses what is no message', async () => {
    const error = await errorOf(run({ messages: [{ role: 'king' }] }))
    expect(error).toBeInstanceOf(ModelError)
    expect(error).toMatchObject({ code: 'model_refused', isRetryable: false })
  })
})

describe('the window', () => {
  const long = [
    system('Be kind.'),
    ...Array.from({ length: 20 }, (_, n) => user(`The code of box ${n} is ${n + 100}.`)),
  ]
  const messages = [...long, user('What is the code of box 0?')]

  it('is hard: a prompt that leaves no room for one token is refused, with both figures', async () => {
    const { end } = await run({ messages })
    const prompt = end.usage.promptTokens!
    expect((await run({ messages }, { window: prompt + 1 })).end.reason).toBe('length')
    const error = await errorOf(run({ messages }, { window: prompt }))
    expect(error).toMatchObject({ code: 'context_too_long' })
    expect(error!.message).toContain(`${prompt} tokens`)
    expect(error!.message).toContain(`window of ${prompt}`)
  })

  it('can be cut in silence, as Ollama does: only the count shows it', async () => {
    expect((await run({ messages })).text).toContain('100')
    const { text, end } = await run({ messages }, { window: 120, overflow: 'cut' })
    expect(text).toBe('I found no sentence that answers that in what I was given.')
    expect(end.usage.promptTokens).toBeLessThan(120)
    expect(end.usage.promptTokens).toBeGreaterThan(90)
  })

  it('is cut to half when even the last message is too long', async () => {
    const messages = [user(`${'word '.repeat(500)}. I park on level 3. Where did I park?`)]
    const { text, end } = await run({ messages }, { window: 60, overflow: 'cut' })
    expect(text).toBe('You said: "I park on level 3."')
    expect(end.usage.promptTokens).toBe(30)
  })

  it('is told, and counted with the counter that was given', async () => {
    expect(await reader({ window: 512 }).window()).toBe(512)
    const { end } = await run({ messages: chat }, { count: text => text.length })
    const letters = chat.reduce((sum, { content }) => sum + content.length, 0)
    expect(end.usage.promptTokens).toBe(letters + 12)
    expect(() => reader({ window: 0 })).toThrow('Option "window"')
    expect(countWords("It's 3.14 €, ok?")).toBe(10)
  })
})

describe('cancelling', () => {
  it('throws the reason, before anything and between parts', async () => {
    const reason = new Error('enough')
    expect(await errorOf(run({ messages: chat, signal: AbortSignal.abort(reason) }))).toBe(reason)

    const controller = new AbortController()
    const got: ModelPart[] = []
    const work = (async () => {
      for await (const part of reader().stream({ messages: chat, signal: controller.signal })) {
        got.push(part)
        if (got.length === 3) controller.abort(reason)
      }
    })()
    expect(await errorOf(work)).toBe(reason)
    expect(got).toHaveLength(3)
  })

  it('ends the pause between two parts', async () => {
    const reason = new Error('enough')
    const controller = new AbortController()
    const work = run({ messages: chat, signal: controller.signal }, { delayMs: 3_600_000 })
    setImmediate(() => controller.abort(reason))
    expect(await errorOf(work)).toBe(reason)
  })

  it('waits between parts with the timer that it is given', async () => {
    const waits: number[] = []
    const { parts } = await run(
      { messages: chat },
      { delayMs: 25, wait: async milliseconds => void waits.push(milliseconds) },
    )
    // Not before the first part, and not before the end.
    expect(waits).toEqual(Array.from({ length: parts.length - 2 }, () => 25))
  })
})
