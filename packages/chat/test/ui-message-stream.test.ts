import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { ollamaAnswer } from '@throughline/test-tools/scripted-upstream'
import { type Message, textOf, UiChat } from '@throughline/test-tools/ui-chat'
import { readUIMessageStream, type UIMessageChunk, uiMessageChunkSchema } from 'ai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import {
  type Chat,
  type ChatPart,
  defineTool,
  type Reply,
  toUIMessageStream,
  toUIMessageStreamResponse,
} from '../src/index.ts'
import { calling, saying, scriptedChat } from './scripted-chat.ts'

const add = defineTool({
  name: 'add',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => ({ sum: a + b }),
})

const send = (chat: Chat, text: string) => chat.send(text, { conversation: 'chat' })

async function chunksOf(reply: AsyncIterable<ChatPart>): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = []
  for await (const chunk of toUIMessageStream(reply)) chunks.push(chunk)
  return chunks
}

/** What the AI SDK makes of a reply. */
async function messageOf(reply: Reply): Promise<Message> {
  let last: Message | undefined
  // The types of the AI SDK take the stream as it is.
  for await (const message of readUIMessageStream<Message>({ stream: toUIMessageStream(reply) }))
    last = message
  return last!
}

/** A route as an application writes it. */
async function serveChat(chat: Chat): Promise<string> {
  const fetch = async (request: Request) => {
    const { id, messages } = (await request.json()) as { id: string; messages: Message[] }
    return toUIMessageStreamResponse(chat.send(textOf(messages.at(-1)), { conversation: id }))
  }
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/chat`
}

describe('toUIMessageStream', () => {
  it('gives each model call as a step, with its context, thinking, calls and results', async () => {
    const { chat } = await scriptedChat(
      [
        ollamaAnswer([
          { thinking: 'Two numbers.' },
          { content: 'Adding.' },
          { tool_calls: [{ id: 'c1', function: { name: 'add', arguments: { a: 2, b: 3 } } }] },
        ]),
        saying('It is 5.'),
      ],
      { tools: [add] },
    )
    const chunks = await chunksOf(send(chat, 'What is 2 + 3?'))
    expect(chunks.map(({ type }) => type)).toEqual([
      ...[
        'start',
        'start-step',
        'data-context',
        'reasoning-start',
        'reasoning-delta',
        'reasoning-end',
      ],
      ...['text-start', 'text-delta', 'text-end', 'tool-input-available', 'tool-output-available'],
      ...['finish-step', 'start-step', 'data-context', 'text-start', 'text-delta', 'text-end'],
      ...['finish-step', 'finish'],
    ])
    expect(chunks.find(({ type }) => type === 'tool-output-available')).toMatchObject({
      toolCallId: 'c1',
      output: { sum: 5 },
    })
    const schema = await uiMessageChunkSchema()
    for (const chunk of chunks)
      expect(await schema.validate!(chunk)).toMatchObject({ success: true })
  })

  it('becomes one message with one context part, the newest, and the branch to go on with', async () => {
    const { chat } = await scriptedChat([calling(['add', { a: 2, b: 3 }]), saying('It is 5.')], {
      tools: [add],
    })
    const { parts, metadata } = await messageOf(send(chat, 'What is 2 + 3?'))
    expect(parts.map(({ type }) => type)).toEqual([
      'step-start',
      'data-context',
      'tool-add',
      'step-start',
      'text',
    ])
    expect(parts[1]).toMatchObject({ data: { window: 4096, counts: { kept: 3 }, recalled: [] } })
    expect(metadata).toMatchObject({ turn: 1, branch: 'main' })
  })

  it('carries metadata of the application from the beginning, beside its own', async () => {
    const { chat } = await scriptedChat([saying('Hello.')])
    const stream = toUIMessageStream(send(chat, 'Hello!'), { messageMetadata: { instance: 2 } })
    const seen: unknown[] = []
    for await (const { metadata } of readUIMessageStream<Message>({ stream })) seen.push(metadata)
    expect(seen[0]).toEqual({ instance: 2 })
    expect(seen.at(-1)).toMatchObject({ instance: 2, turn: 1, branch: 'main' })
  })

  it('names a failed tool, and leaves what is no safe object a text', async () => {
    const give = defineTool({
      name: 'give',
      input: z.object({ what: z.string() }),
      run({ what }) {
        if (what === 'error') throw new Error('no')
        return what
      },
    })
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
    const odd = ['{"__proto__":{"a":1}}', deep, '5', '[1', 'plain']
    const { chat } = await scriptedChat(
      [calling(...['error', ...odd].map(what => ['give', { what }] as [string, unknown]))],
      { tools: [give] },
    )
    const chunks = await chunksOf(send(chat, 'Give.'))
    const outputs = chunks.flatMap(chunk =>
      chunk.type === 'tool-output-available' ? [chunk.output] : [],
    )
    expect(outputs).toEqual(odd)
    expect(chunks.find(({ type }) => type === 'tool-output-error')).toMatchObject({
      errorText: 'Error: no',
    })
  })

  it.each([undefined, 'Be brief.'])(
    'names what was recalled by its place, with the system prompt %j',
    async system => {
      const options = { window: 700, ...(system !== undefined && { system }) }
      const { chat, thread } = await scriptedChat([], options)
      await send(chat, 'The boat is called Seagull.')
      await send(chat, 'The harbour master is called Ingrid Holm.')
      for (let turn = 1; turn <= 20; turn++)
        await send(chat, `Note ${turn}: ${'we talked about the weather. '.repeat(4)}`)
      const { parts } = await messageOf(send(chat, 'What is the harbour master called?'))
      const context = parts.find(part => part.type === 'data-context')!
      const shown = await thread.display()
      const recalled = shown.filter(({ seq }) => context.data.recalled.includes(seq))
      expect(recalled.map(({ content }) => content)).toContain(
        'The harbour master is called Ingrid Holm.',
      )
    },
  )

  it('never shows a note, nor a text of the context', async () => {
    const { chat } = await scriptedChat(
      [saying('Noted. [NOTE TO SELF: the secret is heron]'), saying('Fine.')],
      {
        notes: true,
        system: 'You keep a secret prompt.',
      },
    )
    const first = JSON.stringify(await chunksOf(send(chat, 'Hello.')))
    const second = JSON.stringify(await chunksOf(send(chat, 'And now?')))
    expect(first).toContain('Noted.')
    expect(first + second).not.toMatch(/heron|NOTE TO SELF|secret prompt/)
  })

  it('gives calls without ids an id, and drops a result that answers no call', async () => {
    async function* parts(): AsyncGenerator<ChatPart> {
      for (const name of ['a', 'b']) yield { type: 'tool-call', id: '', name, arguments: '{}' }
      for (const name of ['a', 'b', 'c'])
        yield { type: 'tool-result', id: '', name, text: name, isError: false }
      yield { type: 'tool-result', id: 'x', name: 'x', text: 'x', isError: false }
      yield { type: 'text-delta', text: 'Done.' }
      yield { type: 'end', status: 'completed', rounds: 2, usage: {} }
    }
    const chunks = await chunksOf(parts())
    const outputs = chunks.flatMap(chunk =>
      'output' in chunk ? [[chunk.toolCallId, chunk.output]] : [],
    )
    expect(outputs).toEqual([
      ['call-1', 'a'],
      ['call-2', 'b'],
    ])
    expect(chunks.filter(({ type }) => type === 'start-step')).toHaveLength(2)
  })

  it('tells our own errors in words, and says nothing of others', async () => {
    async function* broken(): AsyncGenerator<ChatPart> {
      yield { type: 'text-delta', text: 'Well' }
      throw new Error('password=heron')
    }
    expect(JSON.stringify(await chunksOf(broken()))).not.toContain('heron')
    const { chat } = await scriptedChat([{ status: 401, body: { error: 'no key' } }])
    const chunks = await chunksOf(send(chat, 'Hello.'))
    expect(chunks.map(({ type }) => type).slice(-3)).toEqual(['finish-step', 'error', 'finish'])
    expect(chunks.at(-2)).toMatchObject({ errorText: expect.stringContaining('401') })
  })

  it('cancels the turn when its reader leaves', async () => {
    const { chat, thread, upstream } = await scriptedChat([
      { ...saying('One'), chunks: saying('One').chunks.slice(0, 1), ending: 'stall' },
    ])
    const reader = toUIMessageStream(send(chat, 'Go on for ever.')).getReader()
    for (
      let next = await reader.read();
      next.value?.type !== 'text-delta';
      next = await reader.read()
    );
    await reader.cancel()
    expect((await thread.turns())[0]!.status).toBe('cancelled')
    expect(await upstream.requests[0]!.ended).toBe('left')
  })

  it('ends with abort when the turn is cancelled by its signal', async () => {
    const { chat } = await scriptedChat([
      { ...saying('One'), chunks: saying('One').chunks.slice(0, 1), ending: 'stall' },
    ])
    const stop = new AbortController()
    const types: string[] = []
    const reply = chat.send('Go on for ever.', { conversation: 'chat', signal: stop.signal })
    for await (const { type } of toUIMessageStream(reply)) {
      types.push(type)
      if (type === 'text-delta') stop.abort()
    }
    expect(types.slice(-3)).toEqual(['text-end', 'finish-step', 'abort'])
  })
})

describe('useChat over a route of an application', () => {
  it('chats, with tools and thinking', async () => {
    const { chat } = await scriptedChat(
      [
        ollamaAnswer([{ thinking: 'Hm.' }, { content: 'Hello!' }]),
        calling(['add', { a: 1, b: 1 }]),
      ],
      { tools: [add] },
    )
    const ui = new UiChat(await serveChat(chat), { id: 'ada' })
    await ui.say('Hello?')
    expect(ui.answer).toBe('Hello!')
    expect(ui.lastMessage!.parts).toContainEqual(
      expect.objectContaining({ type: 'reasoning', text: 'Hm.' }),
    )
    await ui.say('1 + 1?')
    expect(ui.lastMessage!.parts).toContainEqual(
      expect.objectContaining({ type: 'tool-add', state: 'output-available', output: { sum: 2 } }),
    )
    expect(ui.answer).toBe('Done.')
    expect(ui.status).toBe('ready')
  })

  it('stops the model when the user stops, and goes on after it', async () => {
    const { chat, upstream } = await scriptedChat((_, at) =>
      at === 0
        ? { ...saying('One'), chunks: saying('One').chunks.slice(0, 1), ending: 'stall' }
        : saying('Two'),
    )
    const ui = new UiChat(await serveChat(chat), { id: 'chat' })
    const first = ui.say('Go on for ever.')
    await expect.poll(() => ui.answer).toBe('One')
    await ui.stop()
    await first
    expect(await upstream.requests[0]!.ended).toBe('left')
    await expect
      .poll(async () => {
        await ui.say('And now?')
        return ui.answer
      })
      .toBe('Two')
  })

  it('shows a failure', async () => {
    const { chat } = await scriptedChat([
      { status: 404, body: { error: 'model "scripted" not found' } },
    ])
    const ui = new UiChat(await serveChat(chat), { id: 'chat' })
    await ui.say('Hello?')
    expect(ui.status).toBe('error')
    expect(ui.error?.message).toContain('not found')
  })
})
