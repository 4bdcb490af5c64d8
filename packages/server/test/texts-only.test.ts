import type { MessageLike } from '@throughline/core/messages'
import { openaiAnswer, startUpstream } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { generateText, isStepCount, type ModelMessage, tool } from 'ai-7'
import { createOpenAICompatible } from 'ai-sdk-openai-compatible-3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { openaiUpstream } from '../src/upstream/model-servers.ts'

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

/** A server before a model that looks twice for every message that asks it to look, and then gives a short answer. */
async function start(answer = (turn: number) => `Answer ${turn}.`) {
  const bodies: Body[] = []
  const model = await startUpstream(({ path, body }) => {
    if (!path.endsWith('/chat/completions')) return { status: 404, body: {} }
    bodies.push(body as Body)
    const { messages } = body as Body
    const last = messages.findLastIndex(({ role }) => role === 'user')
    const rounds = messages.slice(last).filter(({ role }) => role === 'tool').length
    const turn = messages.filter(({ role }) => role === 'user').length
    if (rounds >= 2 || !String(messages[last]!.content).includes('ook'))
      return openaiAnswer([{ content: answer(turn) }])
    const call = { name: 'look', arguments: JSON.stringify({ at: `${turn}-${rounds}` }) }
    const calls = [{ index: 0, id: `c${bodies.length}`, type: 'function', function: call }]
    return openaiAnswer([{ content: `Let me look, ${rounds}.` }, { tool_calls: calls }], {
      finish: 'tool_calls',
    })
  })
  onTestFinished(() => model.close())
  const server = await startServer({ upstream: openaiUpstream({ url: model.url, window: 32_768 }) })

  /** The lines of the log, one for each branch of each conversation. */
  async function lines() {
    const all: (readonly MessageLike[])[] = []
    for (const { conversation, threads } of await server.history.conversations())
      for (const { actor, branch } of threads)
        all.push(await server.history.thread(conversation, { actor, branch }).messages())
    return all
  }
  return { ...server, lines, sent: () => bodies.at(-1)!.messages }
}

type Started = Awaited<ReturnType<typeof start>>

const rolesOf = (messages: readonly { readonly role: string }[]) =>
  messages.map(({ role }) => role[0]).join('')
/** A user's message, two rounds of tools, the answer. */
const turn = 'uatata'

describe('the AI SDK 7, which gives only the last step of a turn back', () => {
  function createClient({ url }: Started, seen = (at: string) => `seen ${at}`, headers = {}) {
    const model = createOpenAICompatible({ name: 'throughline', baseURL: `${url}/v1`, headers })(
      'm',
    )
    const look = tool({
      description: 'Looks.',
      inputSchema: z.object({ at: z.string() }),
      execute: async ({ at }) => seen(at),
    })
    const messages: ModelMessage[] = []
    return async (content: string, steps = 5) => {
      messages.push({ role: 'user', content })
      const { response, text } = await generateText({
        ...{ model, messages, tools: { look }, stopWhen: isStepCount(steps) },
      })
      messages.push(...response.messages)
      return text
    }
  }

  it.each([
    ['the rounds from the log, where it names the conversation', { 'x-openwebui-chat-id': 'w1' }],
    ['what it sends, where it does not', {}],
  ])('goes on in its conversation, and the model gets %s', async (_, headers) => {
    const server = await start()
    const say = createClient(server, undefined, headers)
    for (const text of ['Look there.', 'Look here.', 'Thanks.', 'Look again.']) await say(text)
    const lines = await server.lines()
    expect(lines.map(rolesOf)).toEqual([`${turn}${turn}ua${turn}`])
    const isNamed = Object.keys(headers).length > 0
    expect(JSON.stringify(server.sent()).includes('seen 1-0')).toBe(isNamed)
    expect(JSON.stringify(server.sent())).toContain('seen 4-1')
  })

  it('also where its last step was a call', async () => {
    const server = await start()
    const say = createClient(server)
    await say('Look there.', 2)
    await say('What was it?')
    expect((await server.lines()).map(rolesOf)).toEqual(['uatatua'])
  })

  it('is a new conversation where two differ in nothing but what it left out', async () => {
    const server = await start()
    const [one, other] = [createClient(server, () => 'rain'), createClient(server, () => 'snow')]
    await one('Look there.')
    await other('Look there.')
    await one('Thanks.')
    const lines = await server.lines()
    expect(lines.map(rolesOf).toSorted()).toEqual([turn, turn, 'uaua'])
    // Nobody knows which of the two it is: the model gets neither.
    expect(JSON.stringify(server.sent())).not.toMatch(/rain|snow/)
  })
})

/** Says things as a client that keeps its list, and sends of it what `keep` says. */
function createClient(
  { url }: Started,
  keep: (all: readonly MessageLike[]) => readonly MessageLike[],
) {
  const list: MessageLike[] = []
  const ask = async () => {
    const last = list.findLastIndex(({ role }) => role === 'user')
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({
        model: 'm',
        messages: [...keep(list.slice(0, last)), ...list.slice(last)],
        tools,
      }),
    })
    expect(response.status).toBe(200)
    const { choices } = (await response.json()) as { choices: [{ message: MessageLike }] }
    list.push(choices[0].message)
    return (choices[0].message.tool_calls ?? []) as readonly { readonly id: string }[]
  }
  return async (content: string, result = 'seen') => {
    list.push({ role: 'user', content })
    for (let calls = await ask(); calls.length > 0; calls = await ask())
      for (const { id } of calls) list.push({ role: 'tool', tool_call_id: id, content: result })
  }
}

const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]

const replyOf = (content: string): MessageLike => ({ role: 'assistant', content })
const textOf = ({ content }: MessageLike) => String(content ?? '')

describe('a client that keeps texts only', () => {
  it.each<[string, (texts: readonly string[]) => readonly string[]]>([
    ['each as a reply', texts => texts],
    ['those of a turn in one reply', texts => [texts.join('\n\n')]],
    ['those of a turn in one reply, with nothing between', texts => [texts.join('')]],
    ['of a turn only the last', texts => texts.slice(-1)],
  ])('goes on in its conversation: %s', async (_, join) => {
    const server = await start()
    const say = createClient(server, all => {
      const kept: MessageLike[] = []
      let texts: string[] = []
      const flush = () => {
        if (texts.length > 0) kept.push(...join(texts).map(replyOf))
        texts = []
      }
      for (const message of all) {
        if (message.role === 'assistant') texts.push(textOf(message))
        if (message.role !== 'user') continue
        flush()
        kept.push(message)
      }
      flush()
      return kept
    })
    for (const text of ['Look there.', 'Look here.', 'Thanks.', 'Look again.']) await say(text)
    expect((await server.lines()).map(rolesOf)).toEqual([`${turn}${turn}ua${turn}`])
  })

  it('is a branch where it says something else, or the model answered otherwise', async () => {
    const server = await start()
    await createClient(server, all => all)('Look there.')
    const ask = (...messages: readonly MessageLike[]) =>
      fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: 'm', messages, tools }),
      })
    const there = { role: 'user', content: 'Look there.' }
    const thanks = { role: 'user', content: 'Thanks.' }
    const call = {
      function: { name: 'look', arguments: '{"at":"elsewhere"}' },
      id: 'x',
      type: 'function',
    }
    await ask(there, replyOf('Answer 7.'), thanks)
    await ask(there, thanks)
    await ask(there, { role: 'assistant', content: '', tool_calls: [call] })
    // The first line is as it was.
    const lines = (await server.lines()).map(rolesOf)
    expect(lines[0]).toBe(turn)
    expect(lines).toHaveLength(4)
  })
})

describe('a client that keeps the first exchange and the last one', () => {
  const ends = (all: readonly MessageLike[]) =>
    all.length > 4 ? [...all.slice(0, 2), ...all.slice(-2)] : all

  it('goes on in its conversation', async () => {
    const server = await start()
    const say = createClient(server, ends)
    for (let count = 1; count <= 8; count++) await say(`Question ${count}?`)
    expect((await server.lines()).map(rolesOf)).toEqual(['ua'.repeat(8)])
  })

  it('also where it says the same words again and again', async () => {
    const server = await start()
    const say = createClient(server, ends)
    for (let count = 1; count <= 8; count++) await say(count === 1 ? 'Hello!' : 'Go on.')
    expect((await server.lines()).map(rolesOf)).toEqual(['ua'.repeat(8)])
  })

  it('goes on in its own of two that begin alike', async () => {
    const server = await start()
    const [one, other] = [createClient(server, ends), createClient(server, ends)]
    for (const say of [one, other]) await say('Hello!')
    for (const count of [2, 3, 4, 5]) {
      await one(`Of the sea, ${count}?`)
      await other(`Of the hills, ${count}?`)
    }
    const lines = (await server.lines()).map(line => line.map(textOf).join('\n'))
    expect(lines.map(line => [line.includes('sea'), line.includes('hills')]).toSorted()).toEqual([
      [false, true],
      [true, false],
    ])
  })

  it('is joined with neither of two that begin and end alike', async () => {
    const server = await start(() => 'Done.')
    const [one, other] = [createClient(server, ends), createClient(server, ends)]
    for (const say of [one, other]) await say('Hello!')
    await one('Of the sea?')
    await other('Of the hills?')
    for (const say of [one, other]) await say('Light on.')
    await one('And now?')
    expect(server.sent().map(({ content }) => content)).toEqual([
      ...['Hello!', 'Done.', 'Light on.', 'Done.', 'And now?'],
    ])
    expect(server.served.at(-1)!.place).toMatchObject({
      kind: 'new',
      why: expect.stringContaining('fit 2 conversations'),
    })
  })
})
