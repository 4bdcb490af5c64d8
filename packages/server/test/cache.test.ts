import { type StartedServer, startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import type { ServerOptions } from '../src/create-server.ts'
import { ollamaUpstream, openaiUpstream } from '../src/upstream/model-servers.ts'
import { type CachingOptions, type Read, startLlama, startOllama } from './caching-upstream.ts'

type Message = { readonly role: string; readonly content: string }

/** A client with a conversation of its own, which sends its whole list. */
function createClient({ url }: StartedServer, name: string, path = '/v1/chat/completions') {
  const said: Message[] = [{ role: 'system', content: `You are kind to ${name}. `.repeat(60) }]
  const post = async (messages: readonly Message[]) => {
    const response = await fetch(`${url}/c/${name}${path}`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', messages, stream: false }),
    })
    expect(response.status).toBe(200)
    const body = (await response.json()) as { choices?: { message: Message }[]; message?: Message }
    return (body.choices?.[0]?.message ?? body.message)!
  }
  return {
    async say(text: string) {
      said.push({ role: 'user', content: text })
      const { role, content } = await post(said)
      said.push({ role, content })
    },
    title: () =>
      post([{ role: 'user', content: `### Task:\nGenerate a title. ${'chat '.repeat(200)}` }]),
  }
}

async function withLlama(given: CachingOptions, options: Partial<ServerOptions>) {
  const llama = await startLlama(given)
  const upstream = openaiUpstream({ url: llama.url, window: 8192 })
  const server = await startServer({ slots: 'auto', quietMs: 1, ...options, upstream })
  return { llama, server, of: (name: string) => createClient(server, name) }
}

async function withOllama(given: CachingOptions, options: Partial<ServerOptions>) {
  const ollama = await startOllama(given)
  const upstream = ollamaUpstream({ url: ollama.url, window: options.window ?? 8192 })
  const server = await startServer({ quietMs: 1, ...options, upstream })
  return { ollama, server, of: (name: string) => createClient(server, name, '/api/chat') }
}

const metricsOf = async ({ url }: StartedServer) => (await fetch(`${url}/metrics`)).text()

/** Until nobody is answered, and nothing is read ahead any more. */
const untilIdle = (server: StartedServer) =>
  expect
    .poll(() => metricsOf(server))
    .toMatch(/throughline_open_replies 0\n.*\nthroughline_reading_ahead 0\n/)

/** The share of a prompt that was read again. */
const shareOf = ({ prompt, evaluated }: Read) => evaluated / prompt

const lastOf = (reads: readonly Read[]) => reads.filter(({ isAhead }) => !isAhead).at(-1)!

describe('what was really reused', () => {
  async function callsAfter(slots: ServerOptions['slots'], count: number) {
    const { server, of } = await withLlama({ slots: count }, { slots: slots! })
    const [ada, bob] = [of('ada'), of('bob')]
    for (const client of [ada, bob, ada, bob]) await client.say('Hello there, how are you today?')
    const response = await fetch(`${server.url}/throughline/v1/conversations/ada/calls`)
    const { calls } = (await response.json()) as { calls: Record<string, unknown>[] }
    return { call: calls[0]!, server }
  }

  it('is told of every call, and in the metrics', async () => {
    const { call, server } = await callsAfter('auto', 2)
    expect(call.cached).toBeGreaterThan(200)
    expect(call).not.toHaveProperty('cacheLost')
    expect(call.warnings).toEqual([])
    expect(await metricsOf(server)).toMatch(
      /tokens_total\{model="m",kind="reusable",upstream="openai"\} \d+/,
    )
  })

  it('is a warning with a reason where another conversation took the slot', async () => {
    const { call } = await callsAfter('off', 1)
    expect(call).toMatchObject({
      cacheLost: 'something else used this slot',
      warnings: ['cache_lost'],
    })
    expect(call.cached).toBeLessThan(50)
  })
})

describe('slots of llama.cpp', () => {
  const shared = 'We all have this long system prompt in common. '.repeat(40)

  it('have a conversation each, also where the prompts are alike', async () => {
    const { llama, of } = await withLlama({ slots: 3 }, {})
    const clients = ['ada', 'bob', 'cy'].map(of)
    for (const client of clients) await client.say(shared)
    for (const client of clients) {
      await client.say('And what else?')
      expect(shareOf(lastOf(llama.reads))).toBeLessThan(0.1)
    }
    expect(new Set(llama.reads.map(({ slot }) => slot)).size).toBe(3)
  })

  it('are saved and restored where there are more conversations', async () => {
    const { llama, of } = await withLlama({ slots: 2, canSave: true }, {})
    const clients = ['ada', 'bob', 'cy'].map(of)
    for (let turn = 0; turn < 3; turn++)
      for (const client of clients) await client.say(`Turn ${turn}, please.`)
    expect(Math.max(...llama.reads.slice(3).map(shareOf))).toBeLessThan(0.2)
    expect(llama.actions).toContain('restore 0')
  })

  it('are simply given up where the server cannot save them, and it is asked once', async () => {
    const { llama, of } = await withLlama({ slots: 2 }, {})
    const clients = ['ada', 'bob', 'cy'].map(of)
    for (let turn = 0; turn < 3; turn++)
      for (const client of clients) await client.say(`Turn ${turn}, please.`)
    expect(shareOf(lastOf(llama.reads))).toBeGreaterThan(0.5)
    expect(llama.requests.filter(({ path }) => path.startsWith('/slots/'))).toHaveLength(1)
  })

  it('are left to a server that keeps idle conversations itself, and to one that is no llama.cpp', async () => {
    for (const given of [{ build: 'b8664-abc' }, { slots: 0 }]) {
      const { llama, of } = await withLlama(given, {})
      await of('ada').say('Hello!')
      expect(llama.reads.map(({ body }) => body.id_slot)).toEqual([undefined])
    }
  })
})

describe('a side request', () => {
  it('has a slot of its own at llama.cpp', async () => {
    const { llama, of } = await withLlama({}, {})
    const ada = of('ada')
    for (let turn = 0; turn < 3; turn++) {
      await ada.say(`Turn ${turn}, please.`)
      await ada.title()
    }
    const chats = llama.reads.filter(({ body }) => body.messages.length > 1)
    expect(Math.max(...chats.slice(1).map(shareOf))).toBeLessThan(0.2)
    expect(new Set(chats.map(({ slot }) => slot)).size).toBe(1)
  })

  it('takes the cache of the chat at Ollama, unless it has a model of its own', async () => {
    const shares = async (options: Partial<ServerOptions>) => {
      const { ollama, of } = await withOllama({}, options)
      const ada = of('ada')
      await ada.say('Hello!')
      await ada.title()
      await ada.say('And again.')
      return {
        share: shareOf(lastOf(ollama.reads)),
        models: ollama.reads.map(({ body }) => body.model),
      }
    }
    expect((await shares({})).share).toBe(1)
    const moved = await shares({ sideModel: 'small' })
    expect(moved.models).toEqual(['m', 'small', 'm'])
    expect(moved.share).toBeLessThan(0.2)
  })

  it('lets the chat be read again when nobody waits', async () => {
    const { ollama, server, of } = await withOllama({}, { readAhead: 'local' })
    const ada = of('ada')
    await ada.say('Hello!')
    await ada.title()
    await untilIdle(server)
    await ada.say('And again.')
    expect(shareOf(lastOf(ollama.reads))).toBeLessThan(0.2)
    expect(ollama.reads.map(({ isAhead }) => isAhead)).toEqual([false, false, true, false])
    expect(await metricsOf(server)).toMatch(
      /read_ahead_total\{upstream="[^"]+",outcome="read"\} 1\n/,
    )
    const response = await fetch(`${server.url}/throughline/v1/conversations/ada/calls`)
    expect(await response.json()).toMatchObject({ readAhead: { outcome: 'read' } })
  })
})

describe('reading ahead', () => {
  /** A chat that is cut several times. */
  async function chatFor(readAhead: 'off' | 'local') {
    let clock = 1_700_000_000_000
    const { ollama, server, of } = await withOllama(
      {},
      { readAhead, window: 1200, reserve: 100, now: () => clock },
    )
    const ada = of('ada')
    for (let turn = 0; turn < 30; turn++) {
      await ada.say(`Turn ${turn}: ${'we talk about apples and pears '.repeat(3)}`)
      await untilIdle(server)
      clock += 1000
    }
    const thread = server.history.thread('ada')
    const calls = await thread.calls()
    const replays = await Promise.all(calls.map(call => thread.replay(call)))
    const log = (await thread.entries()).map(({ seq, message }) => ({ seq, message }))
    const chats = ollama.reads.filter(({ isAhead }) => !isAhead)
    return { chats, replays, log, plans: calls.map(({ plan }) => plan), reads: ollama.reads }
  }

  it('reads a cut before anybody waits for it, and changes neither the log nor a replay', async () => {
    const off = await chatFor('off')
    const on = await chatFor('local')
    const costly = ({ chats }: typeof on) =>
      chats.slice(1).filter(read => shareOf(read) > 0.25).length
    expect(costly(off)).toBeGreaterThan(1)
    expect(costly(on)).toBeLessThan(costly(off) / 2)
    expect(on.reads.length).toBeGreaterThan(on.chats.length)
    expect(on.reads.length).toBeLessThan(on.chats.length * 1.5)
    expect(on.replays).toEqual(off.replays)
    expect(on.plans).toEqual(off.plans)
    expect(on.log).toEqual(off.log)
  })

  it('is given up at once when a request comes', async () => {
    const { ollama, server, of } = await withOllama({ isSlow: true }, { readAhead: 'local' })
    const ada = of('ada')
    await ada.say('Hello!')
    await ada.title()
    await expect.poll(() => ollama.reads.filter(({ isAhead }) => isAhead).length).toBe(1)
    await of('bob').say('Hello!')
    const [slow] = ollama.requests.filter(({ body }) => {
      const { options } = (body ?? {}) as { options?: { num_predict?: number } }
      return options?.num_predict === 1
    })
    expect(await slow!.ended).toBe('left')
    expect(await metricsOf(server)).toMatch(/outcome="cancelled"\} 1\n/)
  })

  it('waits for a pause: a client that goes on at once is never held up by it', async () => {
    const { ollama, server, of } = await withOllama({}, { readAhead: 'local', quietMs: 2 ** 30 })
    const ada = of('ada')
    for (let turn = 0; turn < 3; turn++) {
      await ada.say(`Turn ${turn}.`)
      await ada.title()
    }
    await expect
      .poll(() => metricsOf(server))
      .toMatch(/open_replies 0\n.*\nthroughline_reading_ahead 1\n/)
    expect(ollama.reads.filter(({ isAhead }) => isAhead)).toEqual([])
  })

  it('asks nothing that the server has, or where it is off', async () => {
    for (const readAhead of ['off', 'local'] as const) {
      const { ollama, server, of } = await withOllama({}, { readAhead })
      const ada = of('ada')
      for (let turn = 0; turn < 3; turn++) {
        await ada.say(`Turn ${turn}.`)
        await untilIdle(server)
      }
      expect(ollama.reads.map(({ isAhead }) => isAhead)).toEqual([false, false, false])
    }
  })

  it('writes nothing at llama.cpp, in the slot of the conversation', async () => {
    const { llama, server, of } = await withLlama(
      { slots: 1, build: 'b9000-x' },
      { readAhead: 'local', slots: 'auto' },
    )
    const ada = of('ada')
    await ada.say('Hello!')
    await ada.title()
    await untilIdle(server)
    expect(llama.reads.at(-1)).toMatchObject({ isAhead: true, body: { n_predict: 0 } })
    await ada.say('And again.')
    expect(shareOf(lastOf(llama.reads))).toBeLessThan(0.2)
  })
})
