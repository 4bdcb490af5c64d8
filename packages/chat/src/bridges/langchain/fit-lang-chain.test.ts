import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  coerceMessageLikeToMessage,
  getBufferString,
  HumanMessage as Human,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  SystemMessage,
  ToolMessage,
  trimMessages,
} from '@langchain/core/messages'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import { addedTexts } from '@throughline/core/fixtures'
import { type PromptLayout, parseMessage } from '@throughline/core/messages'
import { tornRound } from '@throughline/models/fixtures'
import { fromLangChain } from '@throughline/models/langchain'
import { o200k } from 'throughline/tokens/o200k'
import { describe, expect, it } from 'vitest'
import { fitLangChain } from './fit-lang-chain.ts'

const count = o200k()
const create = coerceMessageLikeToMessage

/** A chat in which every answer looks something up, twice. */
const chat: BaseMessage[] = [
  new SystemMessage('You are a harbour master.'),
  new Human('My boat is called Heron. Keep berth 12 for her.'),
  new AIMessage('Berth 12 is yours.'),
  ...Array.from({ length: 60 }, (_, n) => [
    new Human(`Question ${n} about the tides and the weather.`),
    new AIMessage({
      content: '',
      tool_calls: [
        { id: `a${n}`, name: 'tide', args: { day: n } },
        { id: `b${n}`, name: 'wind', args: { day: n } },
      ],
    }),
    new ToolMessage({ content: `tide ${n}: high at noon`, tool_call_id: `a${n}`, name: 'tide' }),
    new ToolMessage({ content: `wind ${n}: north by east`, tool_call_id: `b${n}`, name: 'wind' }),
    new AIMessage(`Answer ${n}: nothing else changes today.`),
  ]).flat(),
  new Human('Which berth did I ask for, for the Heron?'),
]

const torn = (messages: readonly BaseMessage[]) => tornRound(messages.map(fromLangChain))
const counted = new WeakMap<BaseMessage, number>()
/** trimMessages asks for every message again and again. */
const tokensOf = (messages: readonly BaseMessage[]) =>
  messages.reduce((sum, message) => {
    const tokens = counted.get(message) ?? count.message(parseMessage(fromLangChain(message), 0))
    counted.set(message, tokens)
    return sum + tokens
  }, 0)

describe('fitLangChain', () => {
  it('never tears a round of tools, where trimMessages does', async () => {
    let tears = 0
    for (let window = 600; window < 700; window += 13) {
      const { messages, tokens } = fitLangChain(chat, { window, count, create })
      expect(torn(messages)).toBeUndefined()
      expect(tokens).toBeLessThanOrEqual(window)
      expect(tokensOf(messages)).toBeLessThanOrEqual(window)
      expect(messages.slice(0, 2)).toEqual(chat.slice(0, 2))
      expect(messages.at(-1)).toBe(chat.at(-1))
      const trimmed = await trimMessages(chat, {
        maxTokens: window,
        strategy: 'last',
        includeSystem: true,
        tokenCounter: tokensOf,
      })
      if (torn(trimmed)) tears += 1
    }
    expect(tears).toBeGreaterThan(0)
  })

  it('keeps your own objects, and accounts for every message', () => {
    const { messages, receipt } = fitLangChain(chat, { window: 1024, count, create })
    const kept = receipt.entries.filter(entry => entry.fate === 'kept')
    expect(receipt.entries).toHaveLength(chat.length)
    for (const { seq } of kept) expect(messages).toContain(chat[seq])
    expect(messages.length - kept.length).toBe(addedTexts(receipt).length)
    expect(addedTexts(receipt).length).toBeGreaterThan(0)
  })

  it('adds plain messages by default, which a LangChain model takes as they are', async () => {
    const { messages } = fitLangChain(chat, { window: 1024, count })
    const added = messages.filter(message => !(message as BaseMessage).getType)
    expect(added.length).toBeGreaterThan(0)
    for (const message of added)
      expect(message).toEqual({ role: 'user', content: expect.any(String) })
    const model = new FakeListChatModel({ responses: ['Berth 12.'] })
    expect((await model.invoke(messages)).content).toBe('Berth 12.')
  })

  it("gives messages that LangChain's own utilities take", async () => {
    const { messages } = fitLangChain(chat, { window: 1024, count, create })
    expect(getBufferString(messages)).toContain('Human: My boat is called Heron')
    const stored = JSON.parse(JSON.stringify(mapChatMessagesToStoredMessages(messages)))
    const restored = mapStoredMessagesToChatMessages(stored)
    expect(restored.map(message => message.getType())).toEqual(
      messages.map(message => message.getType()),
    )
    expect(tokensOf(restored)).toBe(tokensOf(messages))
    expect(torn(restored)).toBeUndefined()
  })

  it('gives a message that had to be cut the class and the fields that it had', () => {
    const long = new ToolMessage({
      content: 'data '.repeat(900),
      tool_call_id: 'x',
      name: 'read',
      status: 'error',
      artifact: { rows: 900 },
      id: 'message-3',
    })
    const call = new AIMessage({ content: '', tool_calls: [{ id: 'x', name: 'read', args: {} }] })
    const { messages } = fitLangChain([new Human('go'), call, long], {
      window: 300,
      count,
      create,
      overflow: 'trim',
    })
    const cut = messages[2] as ToolMessage
    expect(cut).toBeInstanceOf(ToolMessage)
    expect(cut.content).toContain('tokens cut here')
    expect(cut).toMatchObject({
      tool_call_id: 'x',
      name: 'read',
      status: 'error',
      artifact: { rows: 900 },
    })
    expect(cut.toDict().data).toMatchObject({
      content: cut.content,
      tool_call_id: 'x',
      id: 'message-3',
    })
    expect(long.content).toHaveLength(4500)
  })

  it('answers a call that crashed', () => {
    const crashed = new AIMessage({
      content: 'I look.',
      tool_calls: [{ id: 'x', name: 'tide', args: {} }],
    })
    const { messages } = fitLangChain([new Human('tide?'), crashed, new Human('well?')], {
      window: 900,
      count,
      create,
    })
    expect(messages[2]).toBeInstanceOf(ToolMessage)
    expect(messages[2]).toMatchObject({ tool_call_id: 'x', content: 'Error: interrupted' })
    expect(torn(messages)).toBeUndefined()
  })

  it('takes turns where a template wants that', () => {
    const { messages } = fitLangChain(chat, { window: 1024, count, create, shape: 'alternating' })
    const said = messages.filter(message => message.getType() === 'human' || message.text !== '')
    expect(torn(messages)).toBeUndefined()
    expect(messages.filter(message => message.getType() === 'system')).toEqual([chat[0]])
    for (const [at, message] of said.slice(1).entries())
      if (message.getType() === 'human') expect(said[at]!.getType()).not.toBe('human')
  })

  it('counts blocks that repeat a call once, and bytes never', () => {
    const args = { path: 'word '.repeat(200) }
    const call = { id: 'x', name: 'read', args }
    const plain = new AIMessage({ content: 'I look.', tool_calls: [call] })
    const blocks = new AIMessage({
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'x', name: 'read', input: args },
      ],
      tool_calls: [call],
    })
    expect(tokensOf([blocks])).toBe(tokensOf([plain]))
    const image = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo'.repeat(9000) }
    expect(tokensOf([new Human({ content: [image] })])).toBeLessThan(800)
    const thought = { type: 'reasoning', reasoning: 'word '.repeat(200) }
    expect(tokensOf([new AIMessage({ content: [thought] })])).toBeGreaterThan(190)
  })

  it('puts blocks back when the text beside them had to change', () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo' }
    const use = { type: 'tool_use', id: 'x', name: 'read', input: {} }
    const asked = new Human({ content: [{ type: 'text', text: 'data '.repeat(900) }, image] })
    const call = new AIMessage({
      content: [{ type: 'text', text: 'I look.' }, use],
      tool_calls: [{ id: 'x', name: 'read', args: {} }],
    })
    const result = new ToolMessage({ content: 'ok', tool_call_id: 'x' })
    const { messages } = fitLangChain([asked, new Human('Go on.'), call, result], {
      window: 1200,
      count,
      create,
      overflow: 'trim',
    })
    const cut = { type: 'text', text: expect.stringContaining('tokens cut here') }
    expect(messages.map(message => message.content)).toEqual([
      [cut, image],
      'Go on.',
      call.content,
      'ok',
    ])
    expect((messages[2] as AIMessage).tool_calls).toBe(call.tool_calls)
  })

  it('knows chunks, generic messages and plain ones', () => {
    const mixed = [
      { role: 'human', content: 'a' },
      new AIMessageChunk('b'),
      new ChatMessage('c', 'user'),
      { role: 'ai', content: '', tool_calls: [{ id: 'x', name: 'tide', args: {} }] },
      { role: 'tool', content: 'd', tool_call_id: 'x' },
    ]
    const { messages, receipt } = fitLangChain(mixed, { window: 900, count })
    expect(messages).toEqual(mixed)
    expect(receipt.entries.map(entry => entry.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'tool',
    ])
  })

  it('names the place of what is no message', () => {
    const list = [new Human('a'), null as unknown as BaseMessage]
    expect(() => fitLangChain(list, { window: 900 })).toThrow(/Message 1: expected an object/)
  })

  it('counts a message again that was changed in place', () => {
    const message = new Human('short')
    const before = fitLangChain([message], { window: 2048, count, create }).tokens
    message.content = 'longer '.repeat(100)
    expect(fitLangChain([message], { window: 2048, count, create }).tokens).toBeGreaterThan(
      before + 90,
    )
  })
})

it('takes changing lines out of a system prompt, also out of one in blocks', () => {
  const prompt = (time: string) => `You are kind.\nCurrent time is ${time}.\nBe brief.`
  const marked = { type: 'text', text: prompt('12:00'), cache_control: { type: 'ephemeral' } }
  const asText = (time: string) => new SystemMessage(prompt(time))
  const asBlocks = (time: string) =>
    new SystemMessage({ content: [marked, { type: 'text', text: prompt(time) }] })
  for (const toLead of [asText, asBlocks]) {
    const fitAt = (time: string, promptLayout?: PromptLayout) =>
      fitLangChain([toLead(time), new Human('hello')], {
        ...{ window: 4096, count, create, systemPrompt: 'as user' },
        ...(promptLayout && { promptLayout }),
      })
    const first = fitAt('12:01')
    expect(first.messages).toHaveLength(2)
    const { messages, promptLayout } = fitAt(
      '12:03',
      fitAt('12:02', first.promptLayout).promptLayout,
    )
    expect(messages).toHaveLength(3)
    expect(messages[1]).toBeInstanceOf(Human)
    expect(JSON.stringify(messages[0]!.content)).not.toContain('12:03')
    expect(JSON.stringify(messages[0]!.content).includes('12:00')).toBe(toLead === asBlocks)
    expect(messages[1]!.content).toContain('Current time is 12:03.')
    expect(promptLayout!.heads).toHaveLength(1)
  }
})
