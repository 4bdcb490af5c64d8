import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createHistory } from '@throughline/history'
import { type Model, ollama, reader } from '@throughline/models'
import { memoryStore } from '@throughline/stores'
import { sqliteStore } from '@throughline/stores/sqlite'
import {
  errorIn,
  expectGoesOn,
  inChat,
  newHistory,
  partsOf,
  statusesOf,
  warningsIn,
} from '@throughline/test-tools/chat-help'
import {
  ollamaAnswer,
  startUpstream,
  type Upstream,
} from '@throughline/test-tools/scripted-upstream'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { createChat, toUIMessageStream, type UIContext } from '../src/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-chat-tokens-'))
let upstream: Upstream | undefined
afterEach(async () => {
  await upstream?.close()
  upstream = undefined
})
afterAll(() => rmSync(folder, { recursive: true }))

const sentence = (n: number) =>
  `The ship number ${n} came into the harbour at noon and unloaded ${n + 3} crates of apples, pears and plums.`

/** A model that reports `ratio` times the tokens that it was sent. */
const biased = (ratio: number): Model => ({
  ...reader(),
  name: 'biased',
  async *stream(request) {
    for await (const part of reader().stream(request)) {
      const { promptTokens = 0 } = part.type === 'end' ? part.usage : {}
      yield part.type === 'end'
        ? { ...part, usage: { promptTokens: Math.round(promptTokens * ratio) } }
        : part
    }
  },
})

describe('a prompt that the provider cut in silence', () => {
  it('is told of, turn after turn, and is no calibration', async () => {
    const history = newHistory()
    const model = reader({ window: 700, overflow: 'cut' })
    const chat = createChat({ history, model, window: 4096 })
    const warned: boolean[] = []
    for (let n = 0; n < 40; n++) {
      const parts = await partsOf(chat.send(sentence(n), inChat))
      warned.push(warningsIn(parts).includes('prompt_truncated'))
    }
    const first = warned.indexOf(true)
    expect(first).toBeGreaterThan(5)
    expect(warned.slice(0, first)).not.toContain(true)
    expect(warned.slice(first)).not.toContain(false)
    // The control: the same conversation with a model that has the window which was told.
    const whole = createChat({ history: newHistory(), model: reader(), window: 4096 })
    for (let n = 0; n < 40; n++)
      expect(warningsIn(await partsOf(whole.send(sentence(n), inChat)))).toEqual([])
  })

  it('says how much was read, and of how much', async () => {
    const model = reader({ window: 700, overflow: 'cut' })
    const messages = Array.from({ length: 47 }, (_, n) => ({
      role: n % 2 ? 'assistant' : 'user',
      content: sentence(n),
    }))
    const chat = createChat({ model, window: 4096 })
    await chat.respond(messages.slice(0, 27)).result()
    const parts = await partsOf(chat.respond(messages))
    const warning = parts.find(part => part.type === 'warning')
    expect(warning?.type === 'warning' && warning.message).toMatch(
      /^reader read \d+ tokens of a prompt of about \d{4}: it was cut in silence\. Is its window smaller than 4096\?$/,
    )
  })
})

describe('a calibration', () => {
  it('leaves the window of data-context as it was set', async () => {
    const chat = createChat({
      history: createHistory({ store: memoryStore() }),
      model: biased(2.5),
      window: 4096,
    })
    const contexts: UIContext[] = []
    let factor = 1
    for (let n = 0; n < 8; n++) {
      const parts = await partsOf(chat.send(sentence(n), inChat))
      for (const part of parts) if (part.type === 'context') factor = part.factor
      const chunks = toUIMessageStream(Readable.from(parts))
      for await (const chunk of chunks) if (chunk.type === 'data-context') contexts.push(chunk.data)
    }
    expect(factor).toBeGreaterThan(1.2)
    expect(new Set(contexts.map(({ window }) => window))).toEqual(new Set([4096]))
  })

  it('is logged, survives a restart, and shrinks the window', async () => {
    const path = join(folder, 'log.db')
    const open = () => createHistory({ store: sqliteStore({ path }) })
    const factors: number[] = []
    let largest = 0
    for (let run = 0; run < 3; run++) {
      const history = open()
      const chat = createChat({ history, model: biased(2.5), window: 4096 })
      for (let n = 0; n < 15; n++) {
        for (const part of await partsOf(chat.send(sentence(run * 15 + n), inChat))) {
          if (part.type !== 'context') continue
          factors.push(part.factor)
          largest = Math.max(largest, part.receipt.tokens * part.factor)
          expect(part.receipt.window).toBe(4096)
          expect(part.receipt.capacity).toBeLessThanOrEqual(4096 / part.factor)
        }
      }
      await history.close()
    }
    expect(factors[0]).toBe(1)
    expect(factors.slice(5).every(factor => factor > 1.2)).toBe(true)
    const history = open()
    const known = await history.thread('chat').calibration('biased')
    expect(known).toMatchObject({ model: 'biased' })
    expect(Math.abs(known!.factor - factors.at(-1)!)).toBeLessThan(0.06)
    expect(largest).toBeLessThanOrEqual(4096 - 512)
    await history.close()
  })

  it('is remembered by a chat without a log', async () => {
    const chat = createChat({ model: biased(2.5), window: 4096 })
    const messages = Array.from({ length: 31 }, (_, n) => ({
      role: n % 2 ? 'assistant' : 'user',
      content: sentence(n),
    }))
    const factorOf = async () => {
      const [context] = await partsOf(chat.respond(messages))
      return context?.type === 'context' ? context.factor : 0
    }
    expect(await factorOf()).toBe(1)
    expect(await factorOf()).toBeGreaterThan(1.2)
  })
})

describe('a prompt that the provider calls too long', () => {
  it('is fitted again, once, into less', async () => {
    const history = newHistory()
    // The model takes 4096 of its own tokens, and counts nearly half as much again as we do.
    const model = reader({ count: text => Math.ceil(text.length / 2.5), window: 4096 })
    const chat = createChat({ history, model, window: 4096 })
    const long = Array.from({ length: 40 }, (_, n) => sentence(n)).join(' ')
    await history.thread('chat').seed(
      ...Array.from({ length: 14 }, (_, n) => ({
        role: n % 2 ? 'assistant' : 'user',
        content: long.slice(0, 900),
      })),
    )
    const parts = await partsOf(chat.send('My code is 12.', inChat))
    expect(warningsIn(parts)).toContain('fitted_again')
    expect(parts.at(-1)).toMatchObject({ status: 'completed' })
    const tokens = parts.flatMap(part => (part.type === 'context' ? [part.receipt.tokens] : []))
    expect(tokens).toHaveLength(2)
    expect(tokens[1]!).toBeLessThan(tokens[0]!)
    // The factor is remembered: the next turn is right at once.
    const next = await partsOf(chat.send('What is my code?', inChat))
    expect(warningsIn(next)).toEqual([])
    expect(next.filter(({ type }) => type === 'context')).toHaveLength(1)
  })

  it('and too long again is an error', async () => {
    const refusal = { status: 400, body: { error: 'the input length exceeds the context length' } }
    upstream = await startUpstream([refusal, refusal, ollamaAnswer([{ content: 'Fine.' }])])
    const history = newHistory()
    const chat = createChat({
      history,
      model: ollama({ model: 'scripted', host: upstream.url, window: 4096 }),
    })
    const parts = await partsOf(chat.send('Hello.', inChat))
    expect(upstream.requests).toHaveLength(2)
    expect(warningsIn(parts)).toEqual(['fitted_again'])
    expect(errorIn(parts)?.code).toBe('context_too_long')
    expect(await statusesOf(history.thread('chat'))).toEqual(['failed'])
    // The calibration is in the log all the same.
    expect((await history.thread('chat').calibration('scripted'))?.factor).toBe(1.5)
    await expectGoesOn(text => chat.send(text, inChat), history.thread('chat'))
  })
})

it('keeps a record of each call, with both counts', async () => {
  const history = newHistory()
  const chat = createChat({ history, model: reader(), system: 'You help.' })
  await chat.send('My code is 12.', inChat).result()
  await chat.send('What is my code?', inChat).result()
  const thread = history.thread('chat')
  const calls = await thread.calls()
  expect(calls).toHaveLength(2)
  for (const call of calls) {
    expect(call).toMatchObject({ model: 'reader', reported: expect.any(Number) })
    expect((await thread.replay(call))[0]).toEqual({ role: 'system', content: 'You help.' })
  }
})

it('says when texts had to be cut, and when the reply was', async () => {
  const chat = createChat({
    model: reader({ window: 512 }),
    settings: { maxTokens: 5 },
    overflow: 'trim',
  })
  const pasted = { role: 'user', content: sentence(1).repeat(40) }
  const parts = await partsOf(
    chat.respond([pasted, { role: 'user', content: 'What is sentence 1 about?' }]),
  )
  expect(warningsIn(parts)).toEqual(['trimmed', 'reply_cut'])
})

it('never cuts the newest message by itself, nor the system prompt', async () => {
  const long = sentence(1).repeat(40)
  for (const chat of [
    createChat({ model: reader({ window: 512 }) }),
    createChat({ model: reader({ window: 512 }), overflow: 'trim' }),
  ]) {
    const parts = await partsOf(chat.respond([{ role: 'user', content: long }]))
    const error = expect.objectContaining({ code: 'context_overflow' })
    expect(parts).toContainEqual(expect.objectContaining({ type: 'error', error }))
  }
})
