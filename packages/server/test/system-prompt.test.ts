import { homePrompt, linesInView } from '@throughline/core/fixtures'
import { inCounts } from '@throughline/core/tokens'
import { createHistory, type ThreadCall } from '@throughline/history'
import { givenPrompt, readPlan } from '@throughline/history/calls'
import { anthropicEvents } from '@throughline/models/fixtures'
import { memoryStore } from '@throughline/stores/memory'
import type { Store } from '@throughline/stores/store'
import { isLong } from '@throughline/test-tools/is-long'
import { openaiAnswer, startUpstream } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { o200k } from 'throughline/tokens/o200k'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ServerOptions } from '../src/create-server.ts'
import { promptPlace } from '../src/exchange/answer.ts'
import { anthropicUpstream, openaiUpstream } from '../src/upstream/model-servers.ts'

type Message = { readonly role: string; readonly content: string }
type Body = { readonly messages: readonly Message[]; readonly tools?: readonly unknown[] }

const window = 4096

/** A model server that remembers what it was asked. */
async function startModel() {
  const scripted = await startUpstream((_, at) =>
    openaiAnswer([{ content: `It is done (${at}).` }]),
  )
  onTestFinished(() => scripted.close())
  return { url: scripted.url, bodies: () => scripted.requests.map(({ body }) => body as Body) }
}

const serverFor = (url: string, store: Store, options: Partial<ServerOptions> = {}) =>
  startServer({
    steadyPrompt: 'on',
    ...options,
    store,
    window,
    upstream: openaiUpstream({ url, window }),
  })

/** A client that sends its whole list with a fresh system prompt, as Home Assistant does. */
function createClient() {
  const chat: Message[] = []
  return async (url: string, prompt: string, text: string, more: object = {}) => {
    chat.push({ role: 'user', content: text })
    const messages = [{ role: 'system', content: prompt }, ...chat]
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', messages, ...more }),
    })
    expect(response.status).toBe(200)
    const { choices } = (await response.json()) as {
      readonly choices: readonly { readonly message: Message }[]
    }
    chat.push({ role: 'assistant', content: choices[0]!.message.content })
    return response.headers.get('x-throughline-conversation')!
  }
}

const asked = [
  'Is the kitchen light on?',
  'Turn on the hall switch.',
  'How warm is it?',
  'And the garage?',
]
const textOf = (turn: number) => `${asked[turn % asked.length]} (${turn})`
const sorted = (lines: readonly string[]) => [...lines].sort()

const count = o200k()
const costOf = ({ content }: Message) => count.text(content) + 4

/** The tokens of the messages behind the common beginning with the prompt before. */
function readIn({ messages }: Body, before: Body): number {
  const same = messages.findIndex((message, at) => message.content !== before.messages[at]?.content)
  return messages.slice(same).reduce((sum, message) => sum + costOf(message), 0)
}

describe("a client whose system prompt is Home Assistant's", () => {
  it('never shows the model an old time or state, and lets it read little again, over many turns', async () => {
    const { url, bodies } = await startModel()
    const store = memoryStore()
    const turns = isLong ? 100 : 60
    // Two instances take turns, and after half of them others take over: all that is known is in the log.
    const first = [await serverFor(url, store), await serverFor(url, store)]
    const later = [await serverFor(url, store), await serverFor(url, store)]
    const send = createClient()
    const prompts = Array.from({ length: turns }, (_, turn) => homePrompt(turn))
    let conversation = ''
    for (const [turn, prompt] of prompts.entries())
      conversation = await send(
        (turn < turns / 2 ? first : later)[turn % 2]!.url,
        prompt,
        textOf(turn),
      )
    for (const [turn, { messages }] of bodies().entries()) {
      expect(sorted(linesInView(messages))).toEqual(sorted(prompts[turn]!.split('\n')))
      expect(messages.at(-1)!.content).toBe(textOf(turn))
      const late = messages.filter(({ content }) => content.startsWith('[From the system prompt'))
      expect(late.map(({ role }) => role)).toEqual(turn < 2 ? [] : ['system'])
    }
    const reads = bodies().flatMap((body, turn) =>
      turn === 0 ? [] : [readIn(body, bodies()[turn - 1]!)],
    )
    expect(reads.reduce((sum, read) => sum + read) / reads.length).toBeLessThan(280)

    const thread = createHistory({ store }).thread(conversation)
    const calls = (await thread.calls()).toReversed()
    expect(calls).toHaveLength(turns)
    for (const [turn, call] of calls.entries()) {
      // The log keeps what was sent to the model, and the prompt that the client gave.
      const replayed = await thread.replay(call)
      const sent = replayed.map(({ role, content }) => ({ role, content }))
      expect(sent).toEqual(bodies()[turn]!.messages)
      expect(givenPrompt(readPlan(call.plan), replayed[0])).toBe(prompts[turn])
      // Anybody who has the log makes the same context.
      const again = await thread.context({
        ...roomIn(call),
        at: 2 * turn + 1,
        system: prompts[turn]!,
      })
      expect(again.messages.map(({ role, content }) => ({ role, content }))).toEqual(sent)
    }
  })

  it('stays as it came in a new conversation, whatever others have shown', async () => {
    const { url, bodies } = await startModel()
    const server = await serverFor(url, memoryStore())
    const send = createClient()
    for (let turn = 0; turn < 12; turn++) await send(server.url, homePrompt(turn), textOf(turn))
    expect(bodies().at(-1)!.messages[0]!.content.split('This changes')).toHaveLength(8)
    await createClient()(server.url, homePrompt(40), 'Another conversation begins.')
    expect(bodies().at(-1)!.messages[0]).toEqual({ role: 'system', content: homePrompt(40) })
  })
})

describe('by default', () => {
  it('leaves the prompt alone while everything fits, and then moves what differs in numbers and times', async () => {
    const { url, bodies } = await startModel()
    const server = await serverFor(url, memoryStore(), { steadyPrompt: 'auto' })
    const send = createClient()
    const turns = 40
    for (let turn = 0; turn < turns; turn++)
      await send(server.url, homePrompt(turn), `${textOf(turn)} ${'Tell me all of it. '.repeat(8)}`)
    const isCut = ({ messages }: Body, turn: number) => messages.length < 2 * turn + 2
    const lateIn = ({ messages }: Body) =>
      messages.flatMap(({ content }) =>
        content.startsWith('[From the system prompt') ? [content] : [],
      )
    const cutAt = bodies().findIndex(isCut)
    expect(cutAt).toBeGreaterThan(5)
    expect(cutAt).toBeLessThan(turns - 10)
    for (const [turn, body] of bodies().entries()) {
      expect(sorted(linesInView(body.messages))).toEqual(sorted(homePrompt(turn).split('\n')))
      if (turn < cutAt) expect(body.messages[0]!.content).toBe(homePrompt(turn))
      const [late = '', ...more] = lateIn(body)
      expect(more).toEqual([])
      expect(late !== '').toBe(turn >= cutAt)
      // What is on or off is no number: it stays in its place.
      expect(late).not.toMatch(/'o(?:n|ff)'/)
      if (late !== '') expect(late).toContain('Current time is')
    }
  })

  it('moves nothing at a provider', () => {
    expect(promptPlace({}, false)).toBe('as sent')
    expect(promptPlace({}, true)).toBe('when cut')
    expect(promptPlace({ steadyPrompt: 'on' }, false)).toBe('stable')
  })
})

const roomIn = (call: ThreadCall) => {
  const { window: given, reserve, factor = 1 } = readPlan(call.plan)
  return {
    ...inCounts({ window: given, reserve, factor }),
    systemPrompt: 'stable',
    overflow: 'trim',
    notes: 'system',
  } as const
}

it('sends a prompt as it came where that is set', async () => {
  const { url, bodies } = await startModel()
  const server = await serverFor(url, memoryStore(), { steadyPrompt: 'off' })
  const send = createClient()
  for (const turn of [0, 1]) await send(server.url, homePrompt(turn), textOf(turn))
  expect(bodies().map(({ messages }) => messages[0]!.content)).toEqual([
    homePrompt(0),
    homePrompt(1),
  ])
})

it('leaves a prompt alone that its client has marked for caching', async () => {
  const { url, bodies } = await startModel()
  const server = await serverFor(url, memoryStore())
  const user = (content: string) => ({ role: 'user', content })
  const ask = async (path: string, body: object) => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', max_tokens: 100, ...body }),
    })
    expect(response.status).toBe(200)
    await response.text()
    return bodies().at(-1)!.messages[0]!.content
  }
  const cache_control = { type: 'ephemeral' }
  for (const [isMarked, name] of [
    [true, 'one'],
    [false, 'two'],
  ] as const) {
    const messages = [user(name)]
    for (const turn of [1, 2, 3]) {
      const text = `You are kind.\nCurrent time is 12:0${turn}.`
      const part = { type: 'text', text, ...(isMarked && { cache_control }) }
      const content = await ask('/v1/messages', { system: [part], messages })
      expect(content === text).toBe(isMarked || turn < 3)
      messages.push(
        { role: 'assistant', content: `It is done (${bodies().length - 1}).` },
        user(`${turn}`),
      )
    }
  }
  const marked = { type: 'text', text: 'You are kind.', cache_control }
  const leading = { role: 'system', content: [marked] }
  expect(await ask('/v1/chat/completions', { messages: [leading, user('three')] })).toEqual([
    marked,
  ])
})

describe('an upstream that takes system messages only at the front', () => {
  const clock = (turn: number) => `Current time is 12:0${turn}.\nYou are kind.\nBe brief.`

  it('gets the prompt as it came in the form of Anthropic, unless lines may be the text of the user', async () => {
    for (const steadyPrompt of ['on', 'as user'] as const) {
      const model = await startUpstream(() => ({
        chunks: anthropicEvents([{ type: 'text', text: 'Yes.' }]),
      }))
      onTestFinished(() => model.close())
      const upstream = anthropicUpstream({ url: model.url, apiKey: 'key', window })
      const server = await startServer({ upstream, window, steadyPrompt })
      const send = createClient()
      for (const turn of [1, 2, 3, 4]) await send(server.url, clock(turn), textOf(turn))
      const sent = model.requests.map(({ body }) => body as Body & { readonly system: unknown })
      const isMoved = (turn: number) => steadyPrompt === 'as user' && turn > 2
      for (const [at, { system, messages }] of sent.entries()) {
        expect(JSON.stringify(system).includes(JSON.stringify(clock(at + 1)))).toBe(
          !isMoved(at + 1),
        )
        expect(JSON.stringify(messages).includes('[From the system prompt')).toBe(isMoved(at + 1))
      }
    }
  })

  it('is asked again with the prompt as it came if its template refuses, and not once more', async () => {
    const isLate = ({ messages }: Body) => messages.slice(1).some(({ role }) => role === 'system')
    const refused = {
      error: { message: 'Jinja Exception: System message must be at the beginning.' },
    }
    const model = await startUpstream(({ body }) =>
      isLate(body as Body) ? { status: 500, body: refused } : openaiAnswer([{ content: 'Yes.' }]),
    )
    onTestFinished(() => model.close())
    const server = await serverFor(model.url, memoryStore())
    const send = createClient()
    for (const turn of [1, 2, 3, 4, 5]) await send(server.url, clock(turn), textOf(turn))
    const bodies = model.requests.map(({ body }) => body as Body)
    expect(bodies.map(isLate)).toEqual([false, false, true, false, false, false])
    const taken = bodies.filter(body => !isLate(body))
    expect(taken.map(({ messages }) => messages[0]!.content)).toEqual([1, 2, 3, 4, 5].map(clock))
  })
})

it('lets an agent with a date in its prompt read only what is new', async () => {
  const { url, bodies } = await startModel()
  const server = await serverFor(url, memoryStore(), { window: 65_536 })
  const system = {
    role: 'system',
    content: "You are a coding agent.\nToday's date: Wed Nov 18 2026\nBe brief.",
  }
  const chat: object[] = []
  for (let task = 0; task < 3; task++) {
    chat.push({ role: 'user', content: `Task ${task}: read the files.` })
    for (let round = 0; round < 4; round++) {
      const response = await fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: 'm', messages: [system, ...chat] }),
      })
      expect(response.status).toBe(200)
      await response.text()
      const id = `call_${task}_${round}`
      const call = { id, type: 'function', function: { name: 'read', arguments: '{}' } }
      if (round === 3) chat.push({ role: 'assistant', content: 'They are read.' })
      else
        chat.push(
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'tool', tool_call_id: id, content: `The text of file ${id}.` },
        )
    }
  }
  const prompts = bodies().map(({ messages }) => messages.map(message => JSON.stringify(message)))
  for (const [at, prompt] of prompts.slice(1).entries())
    expect(prompt.slice(0, prompts[at]!.length)).toEqual(prompts[at])
})

it('keeps tools in the order in which they came first', async () => {
  const { url, bodies } = await startModel()
  const server = await serverFor(url, memoryStore())
  const tool = (name: string) => ({
    type: 'function',
    function: { name, parameters: { type: 'object' } },
  })
  const send = createClient()
  await send(server.url, 'You are kind.', 'one', { tools: [tool('b'), tool('a')] })
  await send(server.url, 'You are kind.', 'two', { tools: [tool('a'), tool('b')] })
  const [first, second] = bodies().map(({ tools }) => JSON.stringify(tools))
  expect(first).toContain('"b"')
  expect(second).toBe(first)
})

it('shows in the API which message it was, and makes the same context again', async () => {
  const { url } = await startModel()
  const server = await serverFor(url, memoryStore())
  const send = createClient()
  let conversation = ''
  for (const turn of [0, 1, 2])
    conversation = await send(server.url, homePrompt(turn), textOf(turn))
  const base = `${server.url}/throughline/v1/conversations/${conversation}`
  const get = async (path: string) =>
    (await (await fetch(`${base}${path}`)).json()) as Record<string, never>
  const { calls } = (await get('/calls')) as unknown as { calls: readonly { id: string }[] }
  const call = (await get(`/calls/${calls[0]!.id}`)) as unknown as {
    sent: readonly { part: string }[]
  }
  const context = (await get('/context?at=5')) as unknown as {
    sent: readonly { part: string; text?: string }[]
    changing: { lines: readonly string[]; tokens: number }
  }
  expect(call.sent.map(({ part }) => part)).toEqual(context.sent.map(({ part }) => part))
  expect(call.sent.map(({ part }) => part)).toContain('changing')
  expect(context.changing.lines[0]).toBe(homePrompt(2).split('\n')[0])
})
