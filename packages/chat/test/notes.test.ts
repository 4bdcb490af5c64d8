import { openaiCompatible } from '@throughline/models'
import {
  expectGoesOn,
  expectHidden,
  expectValid,
  inChat,
  kindsOf,
  newHistory,
  partsOf,
  shownIn,
  statusesOf,
} from '@throughline/test-tools/chat-help'
import {
  ollamaAnswer,
  openaiAnswer,
  startUpstream,
  type UpstreamAnswer,
} from '@throughline/test-tools/scripted-upstream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { type ChatOptions, createChat, defineTool } from '../src/index.ts'
import { scriptedChat } from './scripted-chat.ts'

const scripted = (answers: readonly UpstreamAnswer[], options: Partial<ChatOptions> = {}) =>
  scriptedChat(answers, { notes: true, ...options })

const visible = "I've added the footer section."
const note = 'I added the footer [0] in a.html.'
const reply = `${visible}\n\n[NOTE TO SELF: ${note}]`

describe('a note at the end of a reply', () => {
  const cuts = Array.from({ length: reply.length - 1 }, (_, at) => [
    reply.slice(0, at + 1),
    reply.slice(at + 1),
  ])
  const letters = [...reply]

  it('is hidden however the reply is cut, and kept', async () => {
    const answers = [...cuts, letters].map(chunks =>
      ollamaAnswer(chunks.map(content => ({ content }))),
    )
    const { chat, thread } = await scripted(answers)
    for (const _ of answers) {
      const { parts, result } = await expectHidden(chat, thread)
      expect(result.text).toBe(visible)
      expect(parts.filter(part => part.type === 'note')).toEqual([{ type: 'note', text: note }])
    }
    expect(await thread.notes()).toEqual(answers.map(() => note))
    expect((await thread.messages()).slice(0, 3).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'assistant_note',
    ])
  })

  it('is hidden in every chunk of the openai client too', async () => {
    const upstream = await startUpstream((_, at) =>
      openaiAnswer((at === 0 ? letters : cuts[at - 1]!).map(content => ({ content }))),
    )
    onTestFinished(() => upstream.close())
    const history = newHistory()
    const model = openaiCompatible({
      baseURL: `${upstream.url}/v1`,
      model: 'scripted',
      window: 4096,
    })
    const chat = createChat({ history, model, notes: true })
    const marker = reply.indexOf('[')
    for (let at = 0; at < marker + 18; at++) {
      const { result } = await expectHidden(chat, history.thread('chat'))
      expect(result.text).toBe(visible)
    }
  })

  it('is hidden in what the model thinks', async () => {
    const { chat, thread } = await scripted([
      ollamaAnswer([
        { thinking: 'Hm. [NOTE TO' },
        { thinking: ' SELF: a.html]' },
        { content: visible },
      ]),
    ])
    const { parts } = await expectHidden(chat, thread)
    expect(kindsOf(parts)).toEqual(['thinking-delta', 'text-delta', 'end'])
    expect(await thread.notes()).toEqual([])
  })

  it.each([
    ['inline', 'assistant'],
    ['system', 'system'],
  ] as const)('is in the next prompt (%s), and in no other message', async (place, role) => {
    const { chat, thread, sent } = await scripted([ollamaAnswer([{ content: reply }])], {
      notes: { place },
      system: 'You edit sites.',
    })
    await expectHidden(chat, thread)
    await chat.send('Make it blue.', inChat).result()
    const [first, second] = sent()
    expect(first!.messages[0]!.content).toContain('End every reply with one note to yourself')
    expect(
      second!.messages.filter(({ content }) => content.includes(note)).map(one => one.role),
    ).toEqual([role])
    if (place === 'system')
      expect(second!.messages[0]!.content).toContain(`RECENT NOTES TO SELF:\n`)
  })

  it('is asked for in the words of the application, if it has some', async () => {
    const { chat, sent } = await scripted([], {
      notes: { instruction: 'End with [NOTE TO SELF: …], please.' },
    })
    await chat.send('Hello.', inChat).result()
    expect(sent()[0]!.messages[0]).toEqual({
      role: 'system',
      content: 'End with [NOTE TO SELF: …], please.',
    })
  })

  it('is bounded: a model that writes a book keeps its beginning, and the next prompt fits', async () => {
    const book = ollamaAnswer([
      { content: `Done.\n\n[NOTE TO SELF: ${'and then '.repeat(20_000)}]` },
    ])
    const { chat, thread } = await scripted(Array(12).fill(book), { notes: { place: 'system' } })
    for (let turn = 0; turn < 12; turn++) {
      const parts = await partsOf(chat.send('Go on.', inChat))
      for (const part of parts)
        if (part.type === 'context')
          expect(part.receipt.tokens).toBeLessThanOrEqual(part.receipt.capacity)
    }
    for (const one of await thread.notes()) expect(one.length).toBeLessThanOrEqual(4000)
  })

  it('with a nonce is kept; any other is hidden too, and not kept', async () => {
    const text = 'Look [NOTE TO SELF: not mine] here.\n\n[NOTE TO SELF a1b2: mine]'
    const { chat, thread, sent } = await scripted(
      [ollamaAnswer([...text].map(content => ({ content })))],
      {
        notes: { nonce: 'a1b2' },
      },
    )
    const { text: shown } = await chat.send('Add a footer.', inChat).result()
    expect(shown).toBe('Look here.')
    expect(await thread.notes()).toEqual(['mine'])
    await chat.send('Go on.', inChat).result()
    expect(sent()[0]!.messages[0]!.content).toContain('[NOTE TO SELF a1b2:')
    const earlier = sent()[1]!.messages.find(({ role }) => role === 'assistant')!.content
    expect(earlier).toBe('Look here.\n\n[NOTE TO SELF a1b2: mine]')
  })

  it('that is the whole reply leaves no empty message', async () => {
    const { chat, thread, sent } = await scripted([
      ollamaAnswer([{ content: `[NOTE TO SELF: ${note}]` }]),
    ])
    const { parts, result } = await expectHidden(chat, thread)
    expect(kindsOf(parts)).toEqual(['warning', 'note', 'end'])
    expect(result).toMatchObject({ status: 'completed', text: '' })
    expect((await thread.display()).map(({ role }) => role)).toEqual(['user'])
    await chat.send('Go on.', inChat).result()
    for (const { role, content } of sent()[1]!.messages)
      if (role === 'assistant') expect(content.trim()).not.toBe('')
    await expectGoesOn(text => chat.send(text, inChat), thread)
  })

  it('that was never finished is kept as far as it came, and hidden', async () => {
    const inside = reply.slice(0, reply.indexOf('[0]') + 2)
    const { chunks, headers } = ollamaAnswer([...inside].map(content => ({ content })))
    const { chat, thread } = await scripted([
      { chunks: chunks.slice(0, -1), headers, ending: 'reset' },
    ])
    const turn = chat.send('Add a footer.', inChat)
    const parts = await partsOf(turn)
    expect(kindsOf(parts).slice(-2)).toEqual(['error', 'end'])
    expect(JSON.stringify(parts.filter(({ type }) => type === 'text-delta'))).not.toMatch(
      /NOTE|SELF/,
    )
    expect(await statusesOf(thread)).toEqual(['interrupted'])
    const [kept = ''] = await thread.notes()
    expect('I added the footer [0'.startsWith(kept)).toBe(true)
    expect((await thread.display()).map(({ content }) => content)).toEqual([
      'Add a footer.',
      shownIn(parts),
    ])
    await expectGoesOn(text => chat.send(text, inChat), thread)
  })

  it('shows nothing of a marker at whose letters the stream broke', async () => {
    const start = reply.indexOf('[')
    const ends = Array.from({ length: 18 }, (_, length) => start + length)
    const answers = ends.map(end => {
      const { chunks, headers } = ollamaAnswer([{ content: reply.slice(0, end) }])
      return { chunks: chunks.slice(0, 1), headers }
    })
    const { chat, thread } = await scripted(answers)
    for (const _ of ends) {
      const shown = shownIn(await partsOf(chat.send('Add a footer.', inChat)))
      expect(shown).toBe(visible)
    }
    for (const { content } of await thread.display()) expect(content).not.toMatch(/\[|NOTE/)
    await expectValid(thread)
  })

  it('shows nothing of a marker at which the reply reached its longest', async () => {
    const end = { done_reason: 'length', eval_count: 9 }
    const { chat, thread } = await scripted([
      ollamaAnswer([{ content: `${visible}\n\n[NOT` }], end),
    ])
    const { parts, result } = await expectHidden(chat, thread, /\[N/)
    expect(result.text).toBe(visible)
    expect(kindsOf(parts)).toEqual(['text-delta', 'warning', 'end'])
  })

  it('shows the end of a reply that only looked like one', async () => {
    const text = 'It is in the list [NOTE'
    const { chat, thread } = await scripted([ollamaAnswer([...text].map(content => ({ content })))])
    const turn = chat.send('Where is it?', inChat)
    expect(shownIn(await partsOf(turn))).toBe(text)
    expect((await turn.result()).text).toBe(text)
    expect((await thread.display()).at(-1)?.content).toBe(text)
  })

  it('of a round of tools is kept when the turn fails later', async () => {
    const calling = ollamaAnswer([
      { content: reply, tool_calls: [{ id: 'c1', function: { name: 'look', arguments: {} } }] },
    ])
    const tools = [defineTool({ name: 'look', input: z.object({}), run: () => 'seen' })]
    const { chat, thread } = await scripted([calling, { status: 404, body: {} }], { tools })
    const parts = await partsOf(chat.send('Add a footer.', inChat))
    expect(kindsOf(parts).slice(-3)).toEqual(['note', 'error', 'end'])
    expect(await statusesOf(thread)).toEqual(['failed'])
    expect(await thread.notes()).toEqual([note])
    await expectGoesOn(text => chat.send(text, inChat), thread)
  })
})
