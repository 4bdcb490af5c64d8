import type { MessageLike } from '@throughline/core/messages'
import { openaiAnswer, startUpstream } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openaiUpstream } from '../src/upstream/model-servers.ts'

type Message = Readonly<Record<string, unknown>> & { readonly role: string }

const user = (content: string): Message => ({ role: 'user', content })
const result = (id: string, content: string): Message => ({
  role: 'tool',
  tool_call_id: id,
  content,
})
const callIn = ({ tool_calls: calls }: Message) =>
  (calls as readonly { readonly id: string }[])[0]!.id

/** A server whose model thinks, and looks three times for each question that asks it to look. */
async function start() {
  let asked = 0
  const sent: string[] = []
  const model = await startUpstream(({ path, text, body }) => {
    if (!path.endsWith('/chat/completions')) return { status: 404, body: {} }
    sent.push(text)
    asked += 1
    const { messages } = body as { readonly messages: readonly Message[] }
    const question = messages.findLastIndex(
      ({ role, content }) => role === 'user' && content === 'Look.',
    )
    const looked = messages.filter(({ role }) => role === 'tool').length
    const thought = { reasoning_content: `Thought ${asked}.` }
    if (question < 0 || looked >= 3 || messages.at(-1)?.content === 'Thanks.')
      return openaiAnswer([thought, { content: `Answer ${asked}.` }])
    const call = { index: 0, id: `call_${asked}`, type: 'function' }
    const named = { ...call, function: { name: 'look', arguments: `{"at":${asked}}` } }
    return openaiAnswer([thought, { tool_calls: [named] }], { finish: 'tool_calls' })
  })
  onTestFinished(() => model.close())
  const server = await startServer({ upstream: openaiUpstream({ url: model.url, window: 32_768 }) })
  const places: string[] = []
  async function ask(messages: readonly Message[]): Promise<Message> {
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages, tools }),
    })
    expect(response.status).toBe(200)
    const { choices } = (await response.json()) as { choices: [{ message: Message }] }
    places.push(
      ['conversation', 'branch']
        .map(name => response.headers.get(`x-throughline-${name}`))
        .join('/'),
    )
    return choices[0].message
  }
  return { ...server, ask, places, sent }
}

const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]

describe('one conversation without branches for a client', () => {
  it('that says something in the role of the system between a call and its result', async () => {
    const { ask, places, sent } = await start()
    const list: Message[] = [user('Look.')]
    let reply = await ask(list)
    while (reply.tool_calls) {
      const reminder = { role: 'system', content: `Round ${list.length}: be brief.` }
      list.push(reply, reminder, result(callIn(reply), `seen ${list.length}`))
      reply = await ask(list)
      expect((JSON.parse(sent.at(-1)!) as { messages: unknown }).messages).toEqual(list)
    }
    list.push(reply, user('Thanks.'))
    await ask(list)
    expect((JSON.parse(sent.at(-1)!) as { messages: unknown }).messages).toEqual(list)
    expect(new Set(places).size).toBe(1)
    expect(places).toHaveLength(5)
  })

  it('that moves its last question behind the newest result, as OpenClaw does', async () => {
    const { ask, places, history, sent } = await start()
    const list: Message[] = [{ role: 'system', content: 'You are a claw.' }, user('Hello.')]
    list.push(await ask(list))
    for (const question of ['Look.', 'Thanks.']) {
      const before = [...list]
      const asked = user(question)
      const rounds: Message[] = []
      let reply = await ask([...before, asked])
      while (reply.tool_calls) {
        rounds.push(reply, result(callIn(reply), `seen ${rounds.length}`))
        reply = await ask([...before, ...rounds, asked])
      }
      list.push(asked, ...rounds, reply)
    }
    expect(new Set(places).size).toBe(1)
    expect(places).toHaveLength(6)
    const [{ conversation, threads } = { conversation: '', threads: [] }] =
      await history.conversations()
    expect(threads).toHaveLength(1)
    const roles = (await history.thread(conversation).messages()).map(({ role }) => role)
    expect(roles.filter(role => role === 'user')).toHaveLength(3)
    expect(roles.filter(role => role === 'tool')).toHaveLength(3)
    expect(sent.at(-1)).toContain('seen 4')
  })

  it('that goes on with a new message behind a result, which no other list looks like', async () => {
    const { ask, history } = await start()
    const first = await ask([user('Look.')])
    await ask([
      user('Look.'),
      first,
      result(callIn(first), 'seen'),
      user('Stop: say it in one word.'),
    ])
    const [{ conversation } = { conversation: '' }] = await history.conversations()
    const said = (await history.thread(conversation).messages()).map(({ content }) => content)
    expect(said).toContain('Stop: say it in one word.')
  })

  it.each(['before', 'behind'])(
    'that puts a thought %s the text, as ai-sdk-ollama does',
    async where => {
      const { ask, places, sent } = await start()
      const list: Message[] = []
      for (const text of ['Hello.', 'How are you?', 'Fine.', 'Bye.']) {
        list.push(user(text))
        const { content, reasoning_content: thought } = await ask(list)
        const parts = where === 'before' ? [thought, content] : [content, thought]
        list.push({ role: 'assistant', content: parts.join('\n') })
      }
      expect(new Set(places).size).toBe(1)
      const { messages } = JSON.parse(sent.at(-1)!) as { readonly messages: readonly MessageLike[] }
      expect(messages.map(({ content }) => content)).toEqual(
        list.slice(0, -1).map(({ content }) => content),
      )
    },
  )

  it('that words results otherwise from the next message on, as VoltAgent does', async () => {
    const { ask, places, sent, history } = await start()
    const list: Message[] = []
    for (const text of ['Look.', 'Thanks.', 'Look.', 'Thanks.']) {
      list.push(user(text))
      let reply = await ask(list)
      const rounds: Message[] = []
      while (reply.tool_calls) {
        rounds.push(reply, result(callIn(reply), `seen ${rounds.length}`))
        reply = await ask([...list, ...rounds])
      }
      const later = rounds.map(one =>
        one.role === 'tool'
          ? { ...one, content: JSON.stringify({ type: 'text', value: one.content }) }
          : one,
      )
      list.push(...later, reply)
    }
    expect(new Set(places).size).toBe(1)
    expect((await history.conversations()).map(({ threads }) => threads.length)).toEqual([1])
    expect(sent.at(-1)).toContain('\\"value\\":\\"seen 0\\"')
    expect(sent.at(-1)).not.toContain('"content":"seen 0"')
  })
})
