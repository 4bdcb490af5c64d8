import { openaiAnswer, startUpstream } from '@throughline/test-tools/scripted-upstream'
import { type StartedServer, startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ServerOptions } from '../src/create-server.ts'
import { openaiUpstream } from '../src/upstream/model-servers.ts'

type Message = Readonly<Record<string, unknown>> & { readonly role: string }

interface Body {
  readonly messages: readonly Message[]
  readonly n_predict?: number
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
  readonly id_slot?: number
}

/** A prompt that reached the model server. */
interface Read {
  readonly body: Body
  readonly headers: Readonly<Record<string, unknown>>
  readonly isAhead: boolean
  /** The characters of the prompt. */
  readonly prompt: number
  /** Those behind the longest beginning that it has in common with what its slot has read before. */
  readonly read: number
}

const textOf = ({ messages }: Body) => messages.map(message => JSON.stringify(message)).join('\n')

function sharedBy(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}

/** A model server with this many caches. It calls a tool whenever the user asks it to look something up, until it has looked nine times. */
async function startModel(slots: number) {
  const caches = new Map<number, string>()
  const reads: Read[] = []
  const server = await startUpstream(({ path, body: sent, headers }) => {
    // A server that does not tell its slots has one for all that anybody knows.
    if (path === '/props')
      return slots > 1 ? { status: 200, body: { total_slots: slots } } : { status: 404 }
    if (!path.endsWith('/chat/completions')) return { status: 404, body: {} }
    const body = sent as Body
    const prompt = textOf(body)
    const slot = body.id_slot ?? 0
    const read = prompt.length - sharedBy(prompt, caches.get(slot) ?? '')
    caches.set(slot, prompt)
    const isAhead =
      [body.max_tokens, body.max_completion_tokens].includes(1) || body.n_predict === 0
    reads.push({ body, headers, isAhead, prompt: prompt.length, read })
    const last = body.messages.findLastIndex(({ role }) => role === 'user')
    const rounds = body.messages.slice(last).filter(({ role }) => role === 'tool').length
    const isAgent = String(body.messages[last]?.content).startsWith('Look')
    if (isAhead || !isAgent || rounds >= 9) return openaiAnswer([{ content: 'All right.' }])
    const call = { name: 'read_file', arguments: JSON.stringify({ path: `src/part-${rounds}.ts` }) }
    return openaiAnswer(
      [{ tool_calls: [{ index: 0, id: `c${last}-${rounds}`, function: call }] }],
      {
        finish: 'tool_calls',
      },
    )
  })
  onTestFinished(() => server.close())
  return { ...server, reads }
}

const tools = [
  { type: 'function', function: { name: 'read_file', parameters: { type: 'object' } } },
]

/** A client with a conversation of its own, which sends its whole list. */
function createClient(
  { url }: StartedServer,
  name: string,
  more: object = {},
  headers: HeadersInit = {},
) {
  const list: Message[] = [{ role: 'system', content: `For ${name} you work. `.repeat(300) }]
  const address = `${url}/c/${name}/v1/chat/completions`
  return {
    async post() {
      const body = JSON.stringify({ model: 'm', messages: list, ...more })
      const response = await fetch(address, { method: 'POST', headers, body })
      expect(response.status).toBe(200)
      const { choices } = (await response.json()) as { choices: { message: Message }[] }
      const reply = choices[0]!.message
      list.push(reply)
      return (reply.tool_calls ?? []) as { readonly id: string }[]
    },
    add: (...messages: readonly Message[]) => void list.push(...messages),
    async say(content: string) {
      list.push({ role: 'user', content })
      return this.post()
    },
    /** A side request, which takes the cache of the conversation. */
    async title() {
      const content = `### Task:\nGenerate a title. ${'chat '.repeat(200)}`
      const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] })
      expect((await fetch(address, { method: 'POST', body })).status).toBe(200)
    },
  }
}

/** The results of a program's tools. */
const resultsOf = (calls: readonly { readonly id: string }[]): readonly Message[] =>
  calls.map(({ id }) => ({
    role: 'tool',
    tool_call_id: id,
    content: `${id}: ${'const a = 1 '.repeat(40)}`,
  }))

/** Until nobody is answered, and nothing is read ahead any more: as long as any tool may take. */
const untilIdle = ({ url }: StartedServer) =>
  expect
    .poll(async () => (await fetch(`${url}/metrics`)).text())
    .toMatch(/throughline_open_replies 0\n.*\nthroughline_reading_ahead 0\n/)

async function start({
  slots = 1,
  ...options
}: Partial<Omit<ServerOptions, 'slots'>> & { slots?: number }) {
  const model = await startModel(slots)
  const upstream = openaiUpstream({ url: model.url, window: 32_768 })
  const server = await startServer({
    readAhead: 'local',
    slots: 'auto',
    quietMs: 1,
    ...options,
    upstream,
  })
  const ahead = () => model.reads.filter(({ isAhead }) => isAhead)
  return { server, reads: model.reads, ahead, of: createClient.bind(undefined, server) }
}

/** A chat that is over, then an agent whose tools take their time: what the model server reads for the agent. */
async function workBeside(options: Parameters<typeof start>[0]) {
  const { server, reads, ahead, of } = await start(options)
  await of('chat').say('Hello!')
  await untilIdle(server)
  const agent = of('agent', { tools })
  let calls = await agent.say('Look at the parts, please.')
  while (calls.length > 0) {
    await untilIdle(server)
    agent.add(...resultsOf(calls))
    calls = await agent.post()
  }
  const own = reads.filter(({ body, isAhead }) => !isAhead && textOf(body).includes('For agent'))
  return {
    read: own.reduce((sum, one) => sum + one.read, 0),
    last: own.at(-1)!.prompt,
    ahead: ahead().length,
  }
}

describe('an agent beside a chat that is over', () => {
  it('reads as much as without reading ahead where the model server has one cache', async () => {
    const off = await workBeside({ readAhead: 'off' })
    const on = await workBeside({})
    expect(on).toEqual(off)
    // Every round reads what it adds.
    expect(on.read).toBeLessThanOrEqual(on.last)
  })

  it('keeps its slot where there are several', async () => {
    const { read, last } = await workBeside({ slots: 2 })
    expect(read).toBeLessThanOrEqual(last)
  })
})

describe('while the tools of an agent run', () => {
  /** An agent that has called a tool, then a chat that lost the cache to a side request. */
  async function chatBeside(options: Parameters<typeof start>[0]) {
    const started = await start(options)
    const [agent, chat] = [started.of('agent', { tools }), started.of('chat')]
    expect(await agent.say('Look at the parts, please.')).toHaveLength(1)
    await chat.say('Hello!')
    await chat.title()
    return started
  }

  it('nothing is read ahead, not even for the chat that was answered last', async () => {
    const { server, ahead } = await chatBeside({})
    await untilIdle(server)
    expect(ahead()).toEqual([])
  })

  it('nor where they run in a page with useChat', async () => {
    const { server, of, ahead } = await start({})
    const response = await fetch(`${server.url}/throughline/v1/ui-chat`, {
      method: 'POST',
      body: JSON.stringify({
        ...{
          id: 'page',
          model: 'm',
          tools: [{ name: 'read_file', inputSchema: { type: 'object' } }],
        },
        messages: [
          { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Look at the parts, please.' }] },
        ],
      }),
    })
    expect(await response.text()).toContain('tool-input-available')
    const chat = of('chat')
    await chat.say('Hello!')
    await chat.title()
    await untilIdle(server)
    expect(ahead()).toEqual([])
  })

  it('a chat waits only until the agent counts as gone', async () => {
    const { ahead } = await chatBeside({ openTurnMs: 1 })
    await expect.poll(() => ahead().length).toBe(1)
    expect(textOf(ahead()[0]!.body)).toContain('For chat you work')
  })

  it('no result and no message of its own conversation is made up', async () => {
    const { server, of, reads, ahead } = await start({ openTurnMs: 1 })
    const agent = of('agent', { tools })
    await agent.say('Hello!')
    await agent.say('Look at the parts, please.')
    await agent.title()
    await untilIdle(server)
    expect(ahead()).toEqual([])
    expect(reads.map(({ body }) => textOf(body)).join()).not.toContain('interrupted')
  })

  it('nothing is made up either where another server has opened the turn', async () => {
    const { server, of, ahead } = await start({})
    const chat = of('chat')
    await chat.say('Hello!')
    await server.history.thread('chat').begin([{ role: 'user', content: 'Look, please.' }])
    await chat.title()
    await untilIdle(server)
    expect(ahead()).toEqual([])
  })
})

describe('a conversation that another one followed', () => {
  it('is not read ahead, and the newest one is', async () => {
    const { server, of, ahead } = await start({})
    await of('first').say('Hello!')
    const second = of('second')
    await second.say('Hello!')
    await second.title()
    await untilIdle(server)
    expect(ahead().map(({ body }) => textOf(body).includes('For second'))).toEqual([true])
  })

  it('also where the other one came through the API', async () => {
    const { server, of, ahead } = await start({})
    const chat = of('chat')
    await chat.say('Hello!')
    const response = await fetch(`${server.url}/throughline/v1/conversations/other/send`, {
      method: 'POST',
      body: JSON.stringify({ input: 'Hello!', model: 'm' }),
    })
    expect(await response.text()).toContain('completed')
    await chat.title()
    await untilIdle(server)
    expect(ahead()).toEqual([])
  })
})

describe('what is sent ahead', () => {
  it('is a whole prompt with the tools of the client, and no request of the client once more', async () => {
    const own = {
      tools,
      store: true,
      metadata: { run: '7' },
      max_completion_tokens: 500,
      temperature: 0.5,
    }
    const { server, of, ahead } = await start({})
    const headers = { 'idempotency-key': 'once', 'x-stainless-retry-count': '1', 'x-team': 'blue' }
    const agent = of('agent', own, headers)
    let calls = await agent.say('Look at the parts, please.')
    while (calls.length > 0) {
      agent.add(...resultsOf(calls))
      calls = await agent.post()
    }
    await agent.title()
    await untilIdle(server)
    const [{ body, headers: sent }] = ahead() as [Read]
    expect(body).toMatchObject({ tools, temperature: 0.5, max_completion_tokens: 1 })
    expect(body).not.toHaveProperty('store')
    expect(body).not.toHaveProperty('metadata')
    expect(body).not.toHaveProperty('max_tokens')
    expect(sent).toMatchObject({ 'x-team': 'blue' })
    expect(sent).not.toHaveProperty('idempotency-key')
    expect(sent).not.toHaveProperty('x-stainless-retry-count')
    const roles = body.messages.map(({ role }) => role)
    expect(roles).toEqual(['system', 'user', ...rounds(9), 'assistant', 'user'])
    expect(textOf(body)).not.toContain('interrupted')
  })
})

const rounds = (count: number) => Array.from({ length: count }, () => ['assistant', 'tool']).flat()
