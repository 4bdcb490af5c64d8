import type { MessageLike } from '@throughline/core'
import { memoryStore } from '@throughline/stores'
import {
  expectGoesOn,
  inChat,
  newHistory,
  partsOf,
  statusesOf,
  warningsIn,
} from '@throughline/test-tools/chat-help'
import { ollamaAnswer, type UpstreamAnswer } from '@throughline/test-tools/scripted-upstream'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type ChatOptions, defineTool } from '../src/index.ts'
import { calling, resultsIn, type SentBody, saying, scriptedChat } from './scripted-chat.ts'

const anything = z.object({})

const scripted = (answers: readonly UpstreamAnswer[], options: Partial<ChatOptions> = {}) =>
  scriptedChat(answers, { tools: [readAll], ...options })

const megabytes = Array.from(
  { length: 110_000 },
  (_, line) => `line ${line}: some words of a large file\n`,
).join('')
const readAll = defineTool({ name: 'read_all', input: anything, run: () => megabytes })

describe('a result that is too long', () => {
  it('is in the log whole, is shown by its beginning, and can be read on', async () => {
    expect(megabytes.length).toBeGreaterThan(4_000_000)
    let hint = ''
    const answers = (at: number) => {
      if (at === 0) return calling(['read_all'])
      const [, place, from] =
        /read_result\(\{"place": (\d+), "from": (\d+)\}\) reads on/.exec(hint) ?? []
      return at < 4
        ? calling(['read_result', { place: Number(place), from: Number(from) }])
        : saying('Enough.')
    }
    const seen: string[] = []
    const made = await scriptedChat(
      (request, at) => {
        const { messages } = request.body as SentBody
        const last = messages.at(-1)!
        if (last.role === 'tool') {
          seen.push(last.content)
          hint = last.content
        }
        return answers(at)
      },
      { tools: [readAll] },
    )
    const { chat, thread } = made
    const parts = await partsOf(chat.send('Read it.', inChat))
    expect(parts.find(part => part.type === 'tool-result')).toMatchObject({ text: megabytes })
    expect(warningsIn(parts)).toEqual(['result_clipped'])
    const log = await thread.messages()
    expect(log.find(({ role }) => role === 'tool')?.content).toBe(megabytes)
    expect(seen).toHaveLength(4)
    const texts = seen.map(text => text.replace(/\n\[\d+ more characters\..*\]$/, ''))
    expect(texts[0]!.length).toBeGreaterThan(1000)
    // Without a gap and without a repetition.
    expect(megabytes.startsWith(texts.join(''))).toBe(true)
    for (const { receipt } of parts.filter(part => part.type === 'context'))
      expect(receipt.tokens).toBeLessThanOrEqual(receipt.capacity)
    expect((await chat.send('And now?', inChat).result()).status).toBe('completed')
  })

  it('is clipped in the same way when the client sends it back', async () => {
    const { chat, sent } = await scripted([calling(['read_all'])])
    const first = [{ role: 'user', content: 'Read it.' }]
    const { messages } = await chat.respond(first).result()
    expect(messages[1]?.content).toBe(megabytes)
    const next = JSON.parse(
      JSON.stringify([...first, ...messages, { role: 'user', content: 'Did you?' }]),
    )
    await chat.respond(next).result()
    const [, second, third] = sent()
    const result = (body: typeof second) =>
      body!.messages.find(({ role }) => role === 'tool')?.content
    expect(result(second)).toContain('read_result({"place": 3, "from": ')
    expect(result(third)).toBe(result(second))
  })

  it('is clipped in the same way whatever the provider reports meanwhile', async () => {
    const reporting = (prompt_eval_count: number) =>
      ollamaAnswer([{ content: 'Done.' }], {
        done_reason: 'stop',
        prompt_eval_count,
        eval_count: 3,
      })
    const { chat, sent } = await scripted([calling(['read_all']), reporting(1500), reporting(1700)])
    let list: readonly MessageLike[] = []
    const factors: number[] = []
    for (const content of ['Read it.', 'Did you?', 'And now?']) {
      list = [...list, { role: 'user', content }]
      const reply = chat.respond(list)
      for (const part of await partsOf(reply))
        if (part.type === 'context') factors.push(part.factor)
      list = [...list, ...reply.messages]
    }
    expect(new Set(factors).size).toBeGreaterThan(2)
    const results = sent().flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'))
    expect(results).toHaveLength(3)
    expect(new Set(results.map(({ content }) => content)).size).toBe(1)
  })

  it.each([0, 1, 2, 99, -1, 1.5, 'x'])(
    'is not found at place %j, where there is none',
    async place => {
      const { chat } = await scripted([calling(['read_all']), calling(['read_result', { place }])])
      const [, result] = resultsIn(await partsOf(chat.send('Go.', inChat)))
      expect(result).toMatch(
        /^Error: (there is no tool result at place|the arguments of read_result do not fit)/,
      )
    },
  )

  it('for the store itself becomes an error that says so', async () => {
    const { chat, thread } = await scripted([calling(['read_all'])], {
      history: newHistory({ store: memoryStore({ maxEntryBytes: 100_000 }) }),
    })
    const [result] = resultsIn(await partsOf(chat.send('Go.', inChat)))
    expect(result).toMatch(/^Error: .* the limit is 100000\.$/)
    expect(await statusesOf(thread)).toEqual(['completed'])
    await expectGoesOn(text => chat.send(text, inChat), thread)
  })
})
