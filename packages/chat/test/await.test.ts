import { reader } from '@throughline/models'
import {
  errorIn,
  inChat,
  newHistory,
  partsOf,
  shownIn,
  statusesOf,
} from '@throughline/test-tools/chat-help'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createChat } from '../src/index.ts'

const setUp = () => {
  const history = newHistory()
  return { chat: createChat({ history, model: reader() }), thread: history.thread('chat') }
}

describe('a reply', () => {
  it('that is awaited runs the turn to its end, and gives its result', async () => {
    const { chat, thread } = setUp()
    const result = await chat.send('My code is 12.', inChat)
    expect(result).toMatchObject({
      status: 'completed',
      turn: 1,
      rounds: 1,
      text: expect.any(String),
    })
    expect(await statusesOf(thread)).toEqual(['completed'])
    const { text } = await chat.respond([
      { role: 'user', content: 'My code is 12. What is my code?' },
    ])
    expect(text).toContain('12')
  })

  it('that is awaited rejects when the turn failed', async () => {
    const { chat, thread } = setUp()
    await thread.begin({ role: 'user', content: 'One' })
    await expect(chat.send('Two', inChat)).rejects.toMatchObject({ code: 'turn_open' })
    const caught = await chat.send('Three', inChat).then(undefined, error => error.code)
    expect(caught).toBe('turn_open')
  })

  it.each(['before', 'while', 'after'])(
    'can be awaited %s its parts are read: both have all of it',
    async when => {
      const { chat } = setUp()
      const reply = chat.send('My code is 12.', inChat)
      let awaited: PromiseLike<unknown> | undefined
      if (when === 'before') await reply
      if (when === 'while') awaited = reply.then(result => result)
      const parts = await partsOf(reply)
      const result = await reply
      expect(errorIn(parts)).toBeUndefined()
      expect(parts.map(({ type }) => type)).toContain('context')
      expect(parts.at(-1)).toMatchObject({ type: 'end', status: 'completed' })
      expect(shownIn(parts)).toBe(result.text)
      if (awaited) expect(await awaited).toBe(result)
    },
  )

  it('whose reader takes over from one that waits, and leaves, cancels the turn', async () => {
    const { chat, thread } = setUp()
    const reply = chat.send('Tell me everything.', inChat)
    const result = reply.result()
    for await (const part of reply) if (part.type === 'text-delta') break
    const { status } = await result
    expect(await statusesOf(thread)).toEqual([status])
  })
})

describe('a reply that nobody reads', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  /** The warnings for replies that are read, awaited or left alone. */
  function reportsOf(use: (chat: ReturnType<typeof createChat>) => void): readonly unknown[] {
    const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    use(setUp().chat)
    vi.advanceTimersByTime(60_000)
    return emit.mock.calls
  }

  it('is reported, once', () => {
    const sent = reportsOf(chat => void chat.send('Hello?', inChat))
    expect(sent).toEqual([
      [expect.stringContaining('await'), expect.objectContaining({ code: 'THROUGHLINE_UNREAD' })],
    ])
  })

  it('of respond is reported too', () => {
    expect(
      reportsOf(chat => void chat.respond([{ role: 'user', content: 'Hello?' }])),
    ).toHaveLength(1)
  })

  it('is no longer one once it is read, awaited or left', () => {
    const uses = reportsOf(chat => {
      void chat.send('One', inChat).result()
      void chat.send('Two', { conversation: 'two' }).then(() => undefined)
      void chat.send('Three', { conversation: 'three' })[Symbol.asyncIterator]().next()
      void chat.send('Four', { conversation: 'four' })[Symbol.asyncIterator]().return?.()
    })
    expect(uses).toEqual([])
  })
})
