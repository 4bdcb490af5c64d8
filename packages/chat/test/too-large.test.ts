import { type Model, type ModelPart, reader } from '@throughline/models'
import { memoryStore } from '@throughline/stores'
import {
  errorIn,
  expectGoesOn,
  inChat,
  newHistory,
  partsOf,
  shownIn,
  statusesOf,
} from '@throughline/test-tools/chat-help'
import { describe, expect, it } from 'vitest'
import { type ChatPart, createChat } from '../src/index.ts'

const maxEntryBytes = 16_384
const clipped = /\n\n\[The rest is too large to be stored\.\]$/

const saying = (...parts: readonly ModelPart[]): Model => ({
  name: 'talker',
  window: async () => 65_536,
  async *stream() {
    yield* parts
    yield { type: 'end', reason: 'stop', usage: {} }
  },
})
const text = (text: string): ModelPart => ({ type: 'text-delta', text })
const thinking = (text: string): ModelPart => ({ type: 'thinking-delta', text })

function setUp(model: Model) {
  const history = newHistory({ store: memoryStore({ maxEntryBytes }) })
  const thread = history.thread('chat')
  return { history, thread, chat: createChat({ history, model, notes: true }) }
}

describe('a reply that is larger than the store takes', () => {
  it.each([
    ['plain words', 'word '.repeat(4000), maxEntryBytes / 3],
    ['characters that are escaped', '\u0001"\\'.repeat(9000), 1000],
    ['characters of several bytes', '今天我们讨论'.repeat(1500), 1000],
    ['pairs of code units', `x${'🚢'.repeat(9000)}`, 1000],
  ])('of %s closes the turn, with as much as fits', async (_, long, least) => {
    const { history, thread, chat } = setUp(saying(text(long)))
    const reply = chat.send('Go on.', inChat)
    const parts = await partsOf(reply)
    expect(shownIn(parts)).toBe(long)
    expect(errorIn(parts)?.code).toBe('reply_too_large')
    expect(await statusesOf(thread)).toEqual(['interrupted'])
    const kept = String((await thread.messages())[1]?.content)
    expect(kept).toMatch(clipped)
    expect(long.startsWith(kept.replace(clipped, ''))).toBe(true)
    expect(kept.length).toBeGreaterThan(least)
    expect(reply.messages).toEqual([{ role: 'assistant', content: kept }])
    const next = createChat({ history, model: reader() })
    await expectGoesOn(text => next.send(text, inChat), thread)
  })

  it('because of what was thought keeps the answer whole, and the note', async () => {
    const long = thinking('hm '.repeat(9000))
    const { thread, chat } = setUp(
      saying(long, text('It is 4471. [NOTE TO SELF: I told the code.]')),
    )
    await expect(chat.send('Which code?', inChat).result()).rejects.toMatchObject({
      code: 'reply_too_large',
    })
    const [, kept] = await thread.messages()
    expect(kept).toMatchObject({ role: 'assistant', content: 'It is 4471.' })
    expect(kept).not.toHaveProperty('thinking')
    expect(await thread.notes()).toEqual(['I told the code.'])
    expect(await statusesOf(thread)).toEqual(['interrupted'])
  })

  it.each(['the signal', 'a reader that leaves'])('is closed too when %s cancels it', async how => {
    const { thread, chat } = setUp(saying(text('word '.repeat(4000)), text('the end')))
    const stop = new AbortController()
    const parts: ChatPart[] = []
    for await (const part of chat.send('Go on.', { ...inChat, signal: stop.signal })) {
      parts.push(part)
      if (part.type !== 'text-delta') continue
      if (how === 'the signal') stop.abort()
      else break
    }
    expect(await statusesOf(thread)).toEqual(['cancelled'])
    expect((await thread.messages())[1]?.content).toMatch(clipped)
  })
})
