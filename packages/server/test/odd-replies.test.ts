import { normalizeText } from '@throughline/history/log'
import { upstreamWith } from '@throughline/models/fixtures'
import {
  ollamaAnswer,
  openaiAnswer,
  type UpstreamAnswer,
} from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { ollamaUpstream, openaiUpstream } from '../src/upstream/model-servers.ts'

interface Said {
  readonly status: number
  readonly text: string
  readonly thinking: string
  readonly calls: readonly { readonly name: string; readonly arguments: string }[]
  /** The whole answer, for errors. */
  readonly raw: string
}

type Message = Readonly<Record<string, unknown>>
// biome-ignore lint/suspicious/noExplicitAny: answers of four formats, read where they are used
type Json = any

const linesOf = (raw: string): Json[] =>
  raw
    .split('\n')
    .map(line => line.replace(/^data: /, ''))
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))

const join = (parts: readonly unknown[]) => parts.filter(part => typeof part === 'string').join('')

/** How each client asks, and what it makes of the answer. */
const adapters: Readonly<
  Record<
    string,
    {
      path: string
      body(list: readonly Message[]): object
      read(all: Json[], isStream: boolean): Omit<Said, 'status' | 'raw'>
    }
  >
> = {
  ollama: {
    path: '/api/chat',
    body: messages => ({ messages, tools }),
    read: all => ({
      text: join(all.map(({ message }) => message?.content)),
      thinking: join(all.map(({ message }) => message?.thinking)),
      calls: all.flatMap(({ message }) =>
        (message?.tool_calls ?? []).map((call: Json) => ({
          name: call.function.name,
          arguments: JSON.stringify(call.function.arguments),
        })),
      ),
    }),
  },
  openai: {
    path: '/v1/chat/completions',
    body: messages => ({ messages, tools }),
    read(all) {
      const deltas = all.flatMap(({ choices }) =>
        (choices ?? []).map((one: Json) => one.delta ?? one.message),
      )
      const calls = deltas.flatMap(({ tool_calls = [] }: Json) => tool_calls ?? [])
      return {
        text: join(deltas.map(({ content }: Json) => content)),
        thinking: join(
          deltas.map(({ reasoning_content, reasoning }: Json) => reasoning_content ?? reasoning),
        ),
        calls: calls.map((call: Json) => ({
          name: call.function.name,
          arguments: call.function.arguments,
        })),
      }
    },
  },
  responses: {
    path: '/v1/responses',
    body: messages => ({
      input: messages,
      tools: tools.map(({ function: tool }) => ({ type: 'function', ...tool })),
      store: false,
    }),
    read(all, isStream) {
      const { output = [] } = isStream
        ? (all.findLast(({ response }) => response)?.response ?? {})
        : all[0]
      const deltas = all
        .filter(({ type }) => type === 'response.output_text.delta')
        .map(({ delta }) => delta)
      const whole = output.flatMap(({ content = [] }: Json) =>
        content.map(({ text }: Json) => text),
      )
      const calls = output.filter(({ type }: Json) => type === 'function_call')
      return {
        text: isStream ? join(deltas) : join(whole),
        thinking: '',
        calls: calls.map((call: Json) => ({ name: call.name, arguments: call.arguments })),
      }
    },
  },
  messages: {
    path: '/v1/messages',
    body: messages => ({
      messages,
      max_tokens: 1000,
      tools: tools.map(({ function: { name, parameters } }) => ({
        name,
        input_schema: parameters,
      })),
    }),
    read(all, isStream) {
      if (!isStream) {
        const { content = [] } = all[0]
        const calls = content.filter(({ type }: Json) => type === 'tool_use')
        return {
          text: join(content.map(({ text }: Json) => text)),
          thinking: join(content.map(({ thinking }: Json) => thinking)),
          calls: calls.map(({ name, input }: Json) => ({ name, arguments: JSON.stringify(input) })),
        }
      }
      const names = all.flatMap(({ content_block: block }) =>
        block?.type === 'tool_use' ? [block.name] : [],
      )
      const json = join(all.map(({ delta }) => delta?.partial_json))
      return {
        text: join(all.map(({ delta }) => delta?.text)),
        thinking: join(all.map(({ delta }) => delta?.thinking)),
        calls: names.map(name => ({ name, arguments: json })),
      }
    },
  },
}

const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
const hello = { role: 'user', content: 'hello' }

async function start(
  script: readonly UpstreamAnswer[],
  options: Parameters<typeof startServer>[0] = {},
) {
  const answers = [...script]
  const scripted = await upstreamWith(({ path }) =>
    path === '/api/chat' || path === '/v1/chat/completions'
      ? answers.shift()
      : { status: 200, body: { models: [], data: [] } },
  )
  const isOpenAi = script.some(
    answer => 'chunks' in answer && String(answer.chunks[0]).startsWith('data:'),
  )
  const upstream = (isOpenAi ? openaiUpstream : ollamaUpstream)({
    url: scripted.url,
    window: 1_000_000,
  })
  const server = await startServer({ upstream, retries: 0, ...options })
  async function say(adapter: string, stream: boolean, list: readonly Message[]): Promise<Said> {
    const { path, body, read } = adapters[adapter]!
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', stream, ...body(list) }),
    })
    const raw = await response.text()
    const all = stream && response.ok ? linesOf(raw) : [JSON.parse(raw)]
    const isError = !response.ok
    return { status: response.status, raw, ...(isError ? nothing : read(all, stream)) }
  }
  const chats = () =>
    scripted.requests.filter(({ path }) => path === '/api/chat' || path === '/v1/chat/completions')
  async function branches() {
    const found = await server.history.conversations()
    return found.flatMap(({ conversation, threads }) =>
      threads.map(({ branch }) => server.history.thread(conversation, { branch })),
    )
  }
  return { ...server, say, chats, branches }
}

const nothing = { text: '', thinking: '', calls: [] }

const ways = Object.keys(adapters).flatMap(adapter =>
  [true, false].map(stream => [adapter, stream] as const),
)

describe.each(ways)(
  'what no log can keep, on the adapter of %s, streamed: %s',
  (adapter, stream) => {
    const pieces = ['a\0b', '\ud83d', '\ude00', ' \ude00 ', '\ud83d', 'x \ud83d\ude00', ' \ud83d']
    const clean = 'a\ufffdb😀 \ufffd \ufffdx 😀 \ufffd'

    it('reaches the client as the log has it, in texts and thoughts, and the next list goes on', async () => {
      const answer = ollamaAnswer([
        ...pieces.map(thinking => ({ thinking })),
        ...pieces.map(content => ({ content })),
      ])
      const { say, branches } = await start([answer, ollamaAnswer([{ content: 'Again.' }])])
      const { text, thinking } = await say(adapter, stream, [hello])
      // An upstream that speaks the client's form is heard as it is.
      const seen = adapter === 'ollama' && stream ? normalizeText : (said: string) => said
      expect(seen(text)).toBe(clean)
      expect(['', clean]).toContain(seen(thinking))
      await say(adapter, stream, [
        hello,
        { role: 'assistant', content: text },
        { role: 'user', content: 'go on' },
      ])
      const [thread, ...others] = await branches()
      expect(others).toEqual([])
      expect((await thread!.messages())[1]).toMatchObject({ content: clean, thinking: clean })
    })

    it('reaches the client as the log has it, in calls', async () => {
      const args = { k: 'a\0b \ud83d 😀', n: 12345678901 }
      const call = { id: 'c\0', name: 'lo\0ok\ud83d', arguments: args }
      const { say, branches } = await start([ollamaAnswer([{ tool_calls: [{ function: call }] }])])
      const { calls, raw } = await say(adapter, stream, [hello])
      const [thread] = await branches()
      const { tool_calls: logged } = (await thread!.messages())[1] as Json
      const { name, arguments: json } = logged[0].function
      expect(name).toBe('lo\ufffdok\ufffd')
      expect(JSON.parse(json)).toEqual({ k: 'a\ufffdb \ufffd 😀', n: 12345678901 })
      // An upstream that speaks the client's form is heard as it is.
      const shown = adapter === 'ollama' && stream ? call : { name, arguments: JSON.parse(json) }
      expect(calls.map(one => ({ ...one, arguments: JSON.parse(one.arguments) }))).toEqual([
        { name: shown.name, arguments: shown.arguments },
      ])
      if (adapter !== 'ollama' || !stream) expect(raw).not.toMatch(/\\u0000|\\ud83d(?!\\ude00)/i)
    })
  },
)

describe.each(ways)(
  'a reply without an end, on the adapter of %s, streamed: %s',
  (adapter, stream) => {
    const maxReply = 65_536
    const endless = (message: (text: string) => Message): UpstreamAnswer => {
      const { chunks, headers } = ollamaAnswer(
        Array.from({ length: 40 }, () => message('wörd '.repeat(1500))),
      )
      return { chunks: chunks.slice(0, -1), headers, ending: 'stall' }
    }

    it('is stopped at the longest, kept as far as it came, and blamed on the model', async () => {
      const script = [endless(content => ({ content })), ollamaAnswer([{ content: 'Short.' }])]
      const { say, chats, branches } = await start(script, { maxReply })
      const { status, text, raw } = await say(adapter, stream, [hello])
      expect(raw).toContain('maxReply')
      expect(status).toBe(stream ? 200 : 502)
      expect(await chats()[0]!.ended).toBe('left')
      const [thread] = await branches()
      expect((await thread!.turns())[0]).toMatchObject({ status: 'interrupted' })
      const [, kept] = await thread!.display()
      const said = String(kept!.content)
      expect(Buffer.byteLength(said)).toBeGreaterThan(maxReply - 100)
      expect(Buffer.byteLength(said)).toBeLessThanOrEqual(maxReply)
      // The last piece of an upstream of the same form is handed on whole or not at all.
      if (stream && adapter === 'ollama')
        expect(said.startsWith(text) && text.length > 50_000).toBe(true)
      else if (stream) expect(text).toBe(said)
      const again = await say(adapter, stream, [
        hello,
        { role: 'assistant', content: said },
        { role: 'user', content: 'go on' },
      ])
      expect(again.text).toBe('Short.')
    })

    it('is stopped too where it only thinks, or only calls', async () => {
      const calls = (text: string) => ({
        tool_calls: [{ function: { name: 'look', arguments: { text } } }],
      })
      for (const message of [(thinking: string) => ({ thinking }), calls]) {
        const { say, chats, branches } = await start([endless(message)], { maxReply })
        expect((await say(adapter, stream, [hello])).raw).toContain('maxReply')
        expect(await chats()[0]!.ended).toBe('left')
        expect((await (await branches())[0]!.turns())[0]).toMatchObject({
          status: 'failed',
          error: 'reply_too_large',
        })
      }
    })
  },
)

it('stops a model whose call never ends, before it fills the memory', async () => {
  const text = 'x'.repeat(1024 * 1024)
  const delta = { tool_calls: [{ index: 0, id: 'c', function: { name: 'look', arguments: text } }] }
  const { chunks, headers } = openaiAnswer([delta])
  const long = Array.from({ length: 20 }, () => chunks[0]!)
  // Who speaks the upstream's form has got a part of the call already.
  for (const [adapter, status] of [
    ['responses', 502],
    ['openai', 200],
  ] as const) {
    const { say, chats } = await start([{ chunks: long, headers, ending: 'stall' }])
    const said = await say(adapter, true, [hello])
    expect([said.status, said.raw.slice(-400)]).toEqual([
      status,
      expect.stringContaining('reply_too_large'),
    ])
    expect(await chats()[0]!.ended).toBe('left')
  }
})
