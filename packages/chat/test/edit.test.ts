import type { MessageLike } from '@throughline/core'
import { createHistory } from '@throughline/history'
import { type Model, reader } from '@throughline/models'
import { expectValid, inChat, newHistory } from '@throughline/test-tools/chat-help'
import { someStores } from '@throughline/test-tools/every-store'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createChat, defineTool } from '../src/index.ts'

const contents = (messages: readonly MessageLike[]) => messages.map(({ content }) => content)
const stores = await someStores()

describe.each(stores)('on %s', (_, create) => {
  async function setUp() {
    const history = createHistory({ store: create() })
    let answers = 0
    const count = defineTool({ name: 'count', input: z.object({}), run: () => ++answers })
    const chat = createChat({ history, model: reader(), tools: [count], notes: true })
    await chat.send('My code is 12.', inChat)
    await chat.send('call count with {}', inChat)
    await chat.send('What is my code?', inChat)
    return { history, chat, main: history.thread('chat') }
  }

  it('an edited message is answered on a new branch, and nothing of the old one is lost', async () => {
    const { history, chat, main } = await setUp()
    const before = await main.messages()
    const [first] = await main.display()
    const { branch, text } = await chat.edit('My code is 13.', { ...inChat, at: first!.seq })
    expect(branch).not.toBe('main')
    expect(text).not.toBe('')
    const edited = history.thread('chat', { branch })
    expect(contents(await edited.display())).toEqual(['My code is 13.', text])
    expect((await chat.send('What is my code?', { ...inChat, branch: branch! })).text).toContain(
      '13',
    )
    expect(await main.messages()).toEqual(before)
    await expectValid(edited)
  })

  it('a message in the middle keeps what was before it, rounds of tools and notes included', async () => {
    const { history, chat, main } = await setUp()
    const last = (await main.display()).findLast(({ role }) => role === 'user')!
    const { branch } = await chat.edit('Say my code.', { ...inChat, at: last.seq })
    const edited = history.thread('chat', { branch })
    const shared = (await main.messages()).slice(0, last.seq - 1)
    expect((await edited.messages()).slice(0, last.seq - 1)).toEqual(shared)
    expect(shared.map(({ role }) => role)).toContain('tool')
    expect(shared.map(({ role }) => role)).toContain('assistant_note')
    await expectValid(edited)
  })

  it('the last reply is made again on a new branch, with the same words of the user', async () => {
    const { history, chat, main } = await setUp()
    const before = await main.messages()
    const { branch, turn, status } = await chat.regenerate(inChat)
    expect([status, turn]).toEqual(['completed', 3])
    const again = history.thread('chat', { branch })
    expect(contents(await again.messages())).toEqual(contents(before))
    expect(await main.messages()).toEqual(before)
    const { branch: third } = await chat.regenerate({ ...inChat, branch: branch! })
    expect(contents(await history.thread('chat', { branch: third }).messages())).toEqual(
      contents(before),
    )
    expect(
      (await history.conversations())[0]!.threads.filter(({ actor }) => actor === 'assistant'),
    ).toHaveLength(3)
  })

  it('a given reply is made again, whichever of its entries is named', async () => {
    const { history, chat, main } = await setUp()
    const [turn] = (await main.turns()).slice(1)
    for (const at of [turn!.first, turn!.last]) {
      const { branch, messages } = await chat.regenerate({ ...inChat, at })
      expect(messages.some(({ role }) => role === 'tool')).toBe(true)
      const thread = history.thread('chat', { branch })
      expect((await thread.messages())[turn!.first - 1]!.content).toBe('call count with {}')
      expect(await thread.turns()).toHaveLength(2)
      await expectValid(thread)
    }
  })

  it('the same key makes one branch, and gives the same answer', async () => {
    const { history, chat } = await setUp()
    const first = await chat.edit('My code is 13.', { ...inChat, at: 1, key: 'k1' })
    const again = await chat.edit('My code is 13.', { ...inChat, at: 1, key: 'k1' })
    expect(again).toMatchObject({ branch: first.branch, text: first.text, rounds: 0 })
    const other = chat.edit('My code is 14.', { ...inChat, at: 1, key: 'k1' })
    await expect(other).rejects.toMatchObject({ code: 'key_reused' })
    const { threads } = (await history.conversations())[0]!
    expect(threads.filter(({ actor }) => actor === 'assistant')).toHaveLength(2)
  })

  it('a display says where each message stands, and so does a short one', async () => {
    const { main } = await setUp()
    const entries = new Map((await main.entries()).map(entry => [entry.seq, entry]))
    const shown = await main.display()
    for (const { id, seq, content } of shown) {
      expect(id).toBe(entries.get(seq)!.id)
      expect(content).toEqual(entries.get(seq)!.message.content)
    }
    expect(await main.display({ limit: 2 })).toEqual(shown.slice(-2))
  })
})

describe('what cannot be answered again', () => {
  it('is a turn while one is open, and nothing is forked', async () => {
    const history = newHistory()
    const chat = createChat({ history, model: reader() })
    await chat.send('My code is 12.', inChat)
    const waiting: Model = {
      name: 'waiting',
      window: async () => 4096,
      async *stream() {
        yield { type: 'text-delta', text: 'Wait. ' }
        await new Promise(() => {})
      },
    }
    const open = createChat({ history, model: waiting }).send('Two', inChat)
    for await (const part of open) {
      if (part.type !== 'text-delta') continue
      const refused = { name: 'LeaseError', code: 'turn_open' }
      await expect(chat.edit('Three', { ...inChat, at: 1 })).rejects.toMatchObject(refused)
      await expect(chat.regenerate(inChat)).rejects.toMatchObject(refused)
      break
    }
    expect(
      (await history.conversations())[0]!.threads.filter(({ actor }) => actor === 'assistant'),
    ).toHaveLength(1)
    // The turn that was cancelled can.
    expect((await chat.regenerate(inChat)).status).toBe('completed')
  })

  it.each<[string, unknown]>([
    ['a place that is none', 'last'],
    ['a place without a turn', 99],
    ['a reply', 2],
  ])('is %s', async (_, at) => {
    const chat = createChat({ history: newHistory(), model: reader() })
    await chat.send('My code is 12.', inChat)
    const edit = async () => chat.edit('My code is 13.', { ...inChat, at: at as number })
    await expect(edit()).rejects.toMatchObject({ code: 'invalid_option', option: 'at' })
  })

  it('is a conversation without a turn', async () => {
    const chat = createChat({ history: newHistory(), model: reader() })
    await expect(chat.regenerate(inChat)).rejects.toMatchObject({ code: 'invalid_option' })
  })

  it('is a list that only the client keeps: it cuts its list and responds to that', async () => {
    const chat = createChat({ model: reader() })
    expect(() => chat.regenerate(inChat)).toThrow(/cut the list/)
    expect(() => chat.edit('Hello?', { ...inChat, at: 1 })).toThrow(/cut the list/)
  })
})
