import { gzipSync } from 'node:zlib'
import type { MessageLike } from '@throughline/core/messages'
import type { ModelPart } from '@throughline/models/model'
import { openaiAnswer, startUpstream } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openaiUpstream } from '../src/upstream/model-servers.ts'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'
import type { Upstream } from '../src/upstream/upstream.ts'

type Item = Readonly<Record<string, unknown>>

const headers = {
  'content-type': 'application/json',
  accept: 'text/event-stream',
  originator: 'codex_cli_rs',
  'user-agent': 'codex_cli_rs/0.130.0 (Debian 12; x86_64) xterm',
  'thread-id': '019a3f2c-0000-7000-8000-00000000c0de',
}

/** The body of a request as Codex sends it, with the whole history as its input. */
const bodyOf = (input: readonly Item[]) => ({
  model: 'gpt-oss:20b',
  instructions: 'You are a coding agent running in the Codex CLI.',
  input,
  tools: [
    {
      type: 'function',
      name: 'shell',
      description: 'Runs a shell command and returns its output.',
      strict: false,
      parameters: {
        type: 'object',
        properties: {
          command: { type: 'array', items: { type: 'string' } },
          timeout_ms: { type: 'number' },
        },
        required: ['command'],
        additionalProperties: false,
      },
    },
    { type: 'web_search' },
    {
      type: 'namespace',
      name: 'mcp__files__',
      tools: [{ type: 'function', name: 'read', parameters: { type: 'object', properties: {} } }],
    },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: false,
  reasoning: { effort: 'medium', summary: 'auto' },
  store: false,
  stream: true,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '019a3f2c-0000-7000-8000-00000000c0de',
  text: { verbosity: 'medium' },
})

const said = (role: string, text: string): Item => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
})

/** Runs one command for every question, then answers; the answer is cut by its length. */
function agent(): Upstream {
  let calls = 0
  const partsFor = (messages: readonly MessageLike[]): readonly ModelPart[] => {
    const usage = { promptTokens: 50, replyTokens: 9 }
    if (messages.at(-1)?.role === 'tool')
      return [
        { type: 'text-delta', text: `Done ${calls}.` },
        { type: 'end', reason: 'length', usage },
      ]
    const call = { id: `call_${++calls}`, name: 'shell', arguments: '{"command":["ls"]}' }
    return [
      { type: 'thinking-delta', text: 'I list the files.' },
      { type: 'tool-call', ...call },
      { type: 'end', reason: 'tool-calls', usage },
    ]
  }
  return {
    ...readerUpstream(),
    model: name => ({
      name,
      window: async () => 8192,
      async *stream({ messages }) {
        yield* partsFor(messages)
      },
    }),
  }
}

async function send(
  url: string,
  body: Buffer | string,
  more: Readonly<Record<string, string>> = {},
) {
  const response = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { ...headers, ...more },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })
  const text = await response.text()
  const events = text
    .split('\n')
    .filter(line => line.startsWith('data: '))
    .map(line => JSON.parse(line.slice(6)) as { type: string; item?: Item; response?: Item })
  return { status: response.status, text, events }
}

it('answers Codex over 30 turns with tools: one conversation, nothing doubled, nothing lost', async () => {
  const { url, history } = await startServer({ upstream: agent() })
  const input: Item[] = [
    said('developer', '<permissions instructions>Ask before you write.</permissions instructions>'),
    said('user', '<environment_context>\n  <cwd>/work</cwd>\n</environment_context>'),
  ]
  for (let turn = 1; turn <= 30; turn++) {
    input.push(said('user', `question ${turn}`))
    for (const round of [1, 2]) {
      const packed = turn % 2 === 0 ? gzipSync(JSON.stringify(bodyOf(input))) : undefined
      const { status, events } = packed
        ? await send(url, packed, { 'content-encoding': 'gzip' })
        : await send(url, JSON.stringify(bodyOf(input)))
      expect(status).toBe(200)
      const last = events.at(-1)!
      // An incomplete response would make Codex ask again.
      expect(last.type).toBe('response.completed')
      for (const { type, item } of events)
        if (type === 'response.output_item.done') input.push(item!)
      const call = input.at(-1)!
      if (round === 1)
        input.push({
          type: 'function_call_output',
          call_id: call.call_id,
          output: `file-${turn}.txt`,
        })
    }
  }
  const [conversation, ...others] = await history.conversations()
  expect(others).toEqual([])
  expect(conversation).toMatchObject({
    conversation: `codex:${headers['thread-id']}`,
    threads: [{ branch: 'main' }],
  })
  const thread = history.thread(conversation!.conversation)
  expect((await thread.turns()).map(({ status }) => status)).toEqual(Array(30).fill('completed'))
  const messages = await thread.messages()
  const of = (role: string) =>
    messages.filter(message => message.role === role).map(({ content }) => content)
  expect(of('tool')).toEqual(Array.from({ length: 30 }, (_, at) => `file-${at + 1}.txt`))
  expect(of('user').slice(1)).toEqual(Array.from({ length: 30 }, (_, at) => `question ${at + 1}`))
  expect(of('assistant').filter(content => content !== '')).toHaveLength(30)
})

it('keeps no answer of Codex that could be named', async () => {
  const { url } = await startServer({ upstream: agent() })
  const { events } = await send(url, JSON.stringify(bodyOf([said('user', 'hi')])))
  const { id } = events.at(-1)!.response!
  expect((await fetch(`${url}/v1/responses/${id}`)).status).toBe(404)
})

const compacting = { 'x-codex-turn-metadata': '{"request_kind":"compaction"}' }

it.each(['item', 'address'])(
  'compacts for Codex by %s: the next request goes on where the log is, and nothing is lost',
  async way => {
    const { url, history } = await startServer({ upstream: agent() })
    let input: Item[] = [said('developer', 'Ask before you write.')]
    const ask = async () => {
      const { status, events } = await send(url, JSON.stringify(bodyOf(input)))
      expect([status, events.at(-1)!.type]).toEqual([200, 'response.completed'])
      for (const { type, item } of events)
        if (type === 'response.output_item.done') input.push(item!)
    }
    const answer = () =>
      input.push({
        type: 'function_call_output',
        call_id: input.at(-1)!.call_id,
        output: `file-${input.length}`,
      })
    /** As Codex does: the user's messages stay, and the compaction stands for the rest. */
    const compact = async () => {
      const users = input.filter(({ role }) => role === 'user' || role === 'developer')
      if (way === 'item') {
        const body = bodyOf([...input, { type: 'compaction_trigger' }])
        const { events } = await send(url, JSON.stringify(body), compacting)
        const items = events.filter(({ type }) => type === 'response.output_item.done')
        expect([items.length, events.at(-1)!.type]).toEqual([1, 'response.completed'])
        input = [...users, items[0]!.item!]
      } else {
        const { model, instructions } = bodyOf([])
        const response = await fetch(`${url}/v1/responses/compact`, {
          ...{ method: 'POST', headers: { ...headers, ...compacting } },
          body: JSON.stringify({ model, instructions, input }),
        })
        const { object, output } = (await response.json()) as { object: string; output: Item[] }
        expect([response.status, object]).toEqual([200, 'response.compaction'])
        input = [said('developer', 'Ask before you write.'), ...output]
      }
      expect(input.at(-1)).toMatchObject({
        type: 'compaction',
        encrypted_content: expect.any(String),
      })
    }
    input.push(said('user', 'question 1'))
    await ask()
    answer()
    await ask()
    await compact()
    input.push(said('user', 'question 2'))
    await ask()
    answer()
    // In the middle of a turn: the log has no result of the last call yet.
    await compact()
    await ask()
    await compact()
    await compact()
    input.push(said('user', 'question 3'))
    await ask()
    answer()
    await ask()
    const [conversation, ...others] = await history.conversations()
    expect(others).toEqual([])
    expect(conversation!.threads).toMatchObject([{ branch: 'main' }])
    const messages = await history.thread(conversation!.conversation).messages()
    expect(messages.map(({ role }) => role)).toEqual(
      [1, 2, 3].flatMap(() => ['user', 'assistant', 'tool', 'assistant']),
    )
  },
)

it('sends the summary of a Codex that compacts by itself in place of the rounds, not behind them', async () => {
  const upstream = agent()
  const sent: string[] = []
  const { url, history } = await startServer({
    upstream: {
      ...upstream,
      model: name => ({
        ...upstream.model(name),
        async *stream(request) {
          sent.push(JSON.stringify(request.messages))
          yield* upstream.model(name).stream(request)
        },
      }),
    },
  })
  const kept = [
    said('developer', 'Ask before you write.'),
    said('user', '<environment_context>\n  <cwd>/work</cwd>\n</environment_context>'),
    said('user', 'question 1'),
  ]
  const wish = said(
    'user',
    'You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary.',
  )
  let input = kept
  for (const part of ['one file', 'two files', 'three files']) {
    const { events } = await send(url, JSON.stringify(bodyOf(input)))
    const done = events.flatMap(({ type, item }) =>
      type === 'response.output_item.done' ? [item!] : [],
    )
    const result = {
      type: 'function_call_output',
      call_id: done.at(-1)!.call_id,
      output: 'old-file.txt',
    }
    await send(url, JSON.stringify(bodyOf([...input, ...done, result, wish])), compacting)
    const summary = `Another language model started to solve this problem and produced a summary: ${part}.`
    input = [...kept, said('user', summary)]
    const after = await send(url, JSON.stringify(bodyOf(input)))
    expect([after.status, after.events.at(-1)!.type]).toEqual([200, 'response.completed'])
    expect(sent.at(-1)).toContain(`produced a summary: ${part}`)
    expect(sent.at(-1)).not.toMatch(/interrupted|call_|old-file/i)
    input = [
      ...input,
      ...after.events.flatMap(({ type, item }) =>
        type === 'response.output_item.done' ? [item!] : [],
      ),
    ]
    input.push({
      type: 'function_call_output',
      call_id: input.at(-1)!.call_id,
      output: 'old-file.txt',
    })
  }
  const conversations = await history.conversations()
  expect(
    conversations.find(({ conversation }) => conversation.startsWith('codex:'))!.threads,
  ).toHaveLength(4)
})

it('compacts for a client that names its last response and sends no list', async () => {
  const { url, history } = await startServer()
  const post = async (path: string, body: object) => {
    const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) })
    return { status: response.status, body: await response.json() }
  }
  const told = await post('/v1/responses', { model: 'reader', input: 'My boat is called Heron.' })
  const previous_response_id = told.body.id
  for (const input of [undefined, null, []]) {
    const { status, body } = await post('/v1/responses/compact', {
      model: 'reader',
      ...{ previous_response_id, input },
    })
    expect([status, body.object]).toEqual([200, 'response.compaction'])
    const next = [...body.output, said('user', 'What is my boat called?')]
    const answer = await post('/v1/responses', { model: 'reader', input: next })
    expect(JSON.stringify(answer.body.output)).toContain('Heron')
  }
  expect(await history.conversations()).toHaveLength(1)
  const nothing = await post('/v1/responses/compact', { model: 'reader' })
  expect(nothing.status).toBe(400)
})

it('lets OpenAI compact by itself, and reads no compaction that is not there', async () => {
  const passed: string[] = []
  const upstream: Upstream = {
    ...agent(),
    ...{ address: 'https://api.openai.com', forms: new Map([['responses', {} as never]]) },
    async pass({ path, body }) {
      passed.push(`${path} ${Buffer.from(body as Uint8Array).toString()}`)
      return { status: 200, headers: {}, body: (async function* () {})() }
    },
  }
  const ours = await startServer({ upstream })
  const body = JSON.stringify({ model: 'gpt-5', input: [said('user', 'hi')] })
  const post = (url: string, path: string, text: string) =>
    fetch(`${url}${path}`, { method: 'POST', body: text })
  expect((await post(ours.url, '/v1/responses/compact', body)).status).toBe(200)
  expect(passed).toEqual([`/v1/responses/compact ${body}`])

  const { url } = await startServer({ upstream: agent() })
  const past = { conversation: 'gone', actor: 'assistant', branch: 'main', at: 3 }
  const pack = (value: unknown) =>
    `throughline:${Buffer.from(JSON.stringify(value)).toString('base64url')}`
  for (const [packed, status] of [
    [pack({ past, items: [] }), 404],
    [pack({ past: { ...past, actor: 'throughline:prompts' }, items: [] }), 404],
    [pack({ past: 7, items: [] }), 400],
    [pack({ items: [{ type: 'message', role: 'user', content: 7 }] }), 400],
    [pack({ items: 7 }), 400],
    ['throughline:!', 400],
    // Another server's stands for a past that nobody else can read.
    ['gAAAAA', 400],
  ] as const) {
    const input = [{ type: 'compaction', encrypted_content: packed }, said('user', 'hi')]
    const response = await post(url, '/v1/responses', JSON.stringify({ model: 'm', input }))
    expect([packed, response.status]).toEqual([packed, status])
  }
})

describe('the newest form of Codex, which has its tools in the list', () => {
  const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: /[\\s\\S]+/' }
  const parameters = {
    type: 'object',
    properties: { target: { type: 'string' } },
    required: ['target'],
  }
  const offered: Item = {
    type: 'additional_tools',
    id: 'at_1',
    role: 'developer',
    tools: [
      {
        type: 'namespace',
        name: 'functions',
        description: '',
        tools: [
          {
            type: 'custom',
            name: 'exec',
            description: `Runs JavaScript. ${'More. '.repeat(300)}`,
            format: grammar,
          },
          { type: 'function', name: 'wait', description: 'Waits.', strict: false, parameters },
        ],
      },
      {
        type: 'namespace',
        name: 'collaboration',
        tools: [
          { type: 'function', name: 'list_agents', parameters: { type: 'object', properties: {} } },
        ],
      },
    ],
  }
  const newest = (input: readonly Item[]) => ({
    model: 'gpt-5.6',
    stream: true,
    input: [offered, said('developer', 'You are Codex.'), ...input],
    tool_choice: 'auto',
    parallel_tool_calls: false,
    reasoning: { effort: 'low', context: 'all_turns' },
    store: false,
    include: ['reasoning.encrypted_content'],
    client_metadata: { turn_id: '1' },
  })
  type ChatBody = {
    readonly tools: readonly { function: Item }[]
    readonly messages: readonly Item[]
  }

  it('keeps its tools on an upstream that speaks only chat, and gets its own kinds of calls back', async () => {
    const call = { name: 'functions__exec', arguments: '{"input": "text(\\"é\\\\n\\")"}' }
    const upstream = await startUpstream(({ body }) => {
      const isAnswer = (body as ChatBody).messages?.at(-1)?.role === 'tool'
      if (isAnswer) return openaiAnswer([{ content: 'Done.' }])
      return openaiAnswer(
        [{ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] }],
        {
          finish: 'tool_calls',
        },
      )
    })
    onTestFinished(upstream.close)
    const { url, history } = await startServer({
      upstream: openaiUpstream({ url: upstream.url, window: 8192, responses: 'converted' }),
    })
    const input: Item[] = [said('user', 'look')]
    for (const question of ['one', 'two']) {
      const first = await send(url, JSON.stringify(newest(input)))
      expect([question, first.status]).toEqual([question, 200])
      const done = first.events.filter(({ type }) => type === 'response.output_item.done')
      const made = done.at(-1)!.item!
      expect(made).toMatchObject({
        ...{ type: 'custom_tool_call', namespace: 'functions', name: 'exec', call_id: 'call_1' },
        input: 'text("é\\n")',
      })
      const types = first.events.map(({ type }) => type)
      expect(types).toContain('response.custom_tool_call_input.delta')
      expect(first.events.at(-1)!.response!.output).toEqual([made])
      input.push(made, { type: 'custom_tool_call_output', call_id: 'call_1', output: 'seen' })
      const second = await send(url, JSON.stringify(newest(input)))
      for (const { type, item } of second.events)
        if (type === 'response.output_item.done') input.push(item!)
      input.push(said('user', question))
    }
    const bodies = upstream.requests
      .map(({ body }) => body as ChatBody)
      .filter(({ messages }) => messages)
    for (const { tools, messages } of bodies) {
      expect(tools.map(tool => tool.function.name)).toEqual([
        'functions__exec',
        'functions__wait',
        'collaboration__list_agents',
      ])
      expect(JSON.stringify(tools[0])).toContain('start: ')
      expect(messages[0]).toEqual({ role: 'system', content: 'You are Codex.' })
    }
    const [conversation, ...others] = await history.conversations()
    expect(others).toEqual([])
    expect(conversation!.threads).toHaveLength(1)
  })

  it('is counted with its tools, and never loses them where a native prompt is cut', async () => {
    const upstream = await startUpstream(() => ({
      chunks: [
        `data: ${JSON.stringify({
          type: 'response.completed',
          response: {
            id: 'resp_1',
            status: 'completed',
            output: [
              {
                type: 'message',
                role: 'assistant',
                content: [{ type: 'output_text', text: 'Yes.' }],
              },
            ],
          },
        })}\n\n`,
      ],
      headers: { 'content-type': 'text/event-stream' },
    }))
    onTestFinished(upstream.close)
    const open = (window: number) =>
      startServer({
        window,
        upstream: openaiUpstream({ url: upstream.url, window, responses: 'native' }),
      })
    const tokensOf = async (url: string, body: object) => {
      const response = await fetch(`${url}/v1/responses`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      await response.text()
      return Number(response.headers.get('x-throughline-tokens'))
    }
    const body = newest([said('user', 'look')])
    const { url } = await open(32_768)
    const withTools = await tokensOf(url, body)
    expect(upstream.requests.at(-1)!.text).toBe(JSON.stringify(body))
    const { input: _, ...rest } = body
    const without = await tokensOf((await open(32_768)).url, {
      ...rest,
      input: body.input.slice(1),
    })
    expect(withTools - without).toBeGreaterThan(600)

    const long = Array.from({ length: 30 }, (_, at) => [
      said('user', `Question ${at}. ${'word '.repeat(90)}`),
      said('assistant', `Answer ${at}.`),
    ]).flat()
    // What a search found later stands in the middle, where the list is cut.
    const later = { ...offered, id: 'at_2', tools: [{ type: 'custom', name: 'late' }] }
    const cut = newest([...long.slice(0, 6), later, ...long.slice(6), said('user', 'And now?')])
    await tokensOf((await open(2048)).url, cut)
    const sent = (upstream.requests.at(-1)!.body as { readonly input: readonly Item[] }).input
    expect(sent.length).toBeLessThan(cut.input.length)
    expect(sent.filter(({ type }) => type === 'additional_tools')).toEqual([offered, later])
  })

  it('has a search of tools, whose tools can be called from then on', async () => {
    const upstream = await startUpstream(() =>
      openaiAnswer(
        [
          {
            tool_calls: [
              {
                index: 0,
                id: 'c1',
                function: { name: 'tool_search', arguments: '{"query":"sea"}' },
              },
            ],
          },
        ],
        { finish: 'tool_calls' },
      ),
    )
    onTestFinished(upstream.close)
    const { url } = await startServer({
      upstream: openaiUpstream({ url: upstream.url, window: 8192 }),
    })
    const search = {
      type: 'tool_search',
      execution: 'client',
      description: 'Searches.',
      parameters,
    }
    const first = { ...newest([said('user', 'look')]), tools: [search, { type: 'web_search' }] }
    const response = await fetch(`${url}/v1/responses`, {
      method: 'POST',
      headers,
      body: JSON.stringify(first),
    })
    // The client is told of what cannot be sent.
    expect(response.headers.get('x-throughline-left-out-kinds')).toBe('web_search')
    expect(await response.text()).toContain('"type":"tool_search_call"')
    const call = {
      type: 'tool_search_call',
      call_id: 'c1',
      execution: 'client',
      arguments: { query: 'sea' },
    }
    const tide = {
      type: 'namespace',
      name: 'sea',
      tools: [{ type: 'function', name: 'tide', parameters }],
    }
    const output = { type: 'tool_search_output', call_id: 'c1', execution: 'client', tools: [tide] }
    const next = { ...first, input: [...first.input, call, output] }
    expect((await send(url, JSON.stringify(next))).status).toBe(200)
    const { tools, messages } = upstream.requests.at(-1)!.body as ChatBody
    expect(tools.map(tool => tool.function.name)).toContain('sea__tide')
    expect(messages.at(-1)).toMatchObject({ role: 'tool', content: 'Tools found: sea' })
  })
})
