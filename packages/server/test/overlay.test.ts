import type { MessageLike } from '@throughline/core/messages'
import { openaiAnswer, startUpstream } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openaiUpstream } from '../src/upstream/model-servers.ts'

type Headers = Readonly<Record<string, string>>

/** A server in front of a model that gives the same answer to everybody, and the bodies that reached the model. */
async function start(answer: (asked: readonly MessageLike[]) => string = () => 'I see.') {
  const bodies: string[] = []
  const model = await startUpstream(({ path, text, body }) => {
    if (!path.endsWith('/chat/completions')) return { status: 404, body: {} }
    bodies.push(text)
    return openaiAnswer([
      { content: answer((body as { messages: readonly MessageLike[] }).messages) },
    ])
  })
  onTestFinished(() => model.close())
  const server = await startServer({ upstream: openaiUpstream({ url: model.url, window: 32_768 }) })
  async function ask(
    messages: readonly object[],
    headers: Headers = {},
    path = '/v1/chat/completions',
  ) {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'm', messages, stream: false }),
    })
    expect(response.status).toBe(200)
    const body = (await response.json()) as {
      readonly choices?: readonly [{ readonly message: MessageLike }]
      readonly message?: MessageLike
    }
    const place = ['conversation', 'branch'].map(name =>
      response.headers.get(`x-throughline-${name}`),
    )
    return { message: (body.message ?? body.choices?.[0].message)!, place: place.join('/') }
  }
  return { ...server, ask, bodies, sent: () => bodies.at(-1)! }
}

const user = (content: string) => ({ role: 'user', content })
const system = (content: string) => ({ role: 'system', content })
const reply = (content: string) => ({ role: 'assistant', content })

/** A chat of a client that keeps its list. */
function chat(ask: Awaited<ReturnType<typeof start>>['ask'], headers: Headers = {}, path?: string) {
  const list: object[] = []
  return {
    list,
    async say(text: string, around: (list: readonly object[]) => readonly object[] = all => all) {
      list.push(user(text))
      const { message, place } = await ask(around(list), headers, path)
      list.push(message)
      return place
    },
  }
}

const names: readonly (readonly [string, Headers])[] = [
  ['unnamed', {}],
  ['named', { 'x-throughline-conversation': 'c' }],
  [
    'named, all of the list',
    { 'x-throughline-conversation': 'c', 'x-throughline-history': 'full' },
  ],
  ['by the chat id of Open WebUI', { 'x-openwebui-chat-id': 'w1' }],
]
const faces = ['/v1/chat/completions', '/api/chat'] as const

describe.each(names)('%s', (_, headers) => {
  it.each(faces)('sends nothing of an exchange that was deleted, on %s', async path => {
    const { ask, sent, history } = await start()
    const { list, say } = chat(ask, headers, path)
    for (const text of ['Hello.', 'My PIN is 7731.', 'Thanks.', 'What is new?']) await say(text)
    expect(sent()).toContain('7731')
    list.splice(2, 2)
    await say('What was my PIN?')
    expect(sent()).not.toContain('7731')
    expect(sent()).toContain('What is new?')
    await say('And the PIN?')
    expect(sent()).not.toContain('7731')
    // The log keeps it.
    const [{ conversation, threads } = { conversation: '', threads: [] }] =
      await history.conversations()
    expect(threads).toHaveLength(1)
    const thread = history.thread(conversation)
    expect(JSON.stringify(await thread.messages())).toContain('7731')
    const { receipt } = await thread.context({ window: 8192 })
    expect(
      receipt.entries.filter(({ seq }) => seq === 3 || seq === 4).map(({ why }) => why),
    ).toEqual(['deleted by its client at turn 5', 'deleted by its client at turn 5'])
  })

  it('sends it again when the client brings it back', async () => {
    const { ask, sent } = await start()
    const { list, say } = chat(ask, headers)
    for (const text of ['Hello.', 'My PIN is 7731.', 'Thanks.']) await say(text)
    const deleted = list.splice(2, 2)
    await say('What was my PIN?')
    expect(sent()).not.toContain('7731')
    list.splice(2, 0, ...deleted)
    await say('And now?')
    expect(sent()).toContain('7731')
    expect(JSON.parse(sent()).messages.map((one: MessageLike) => one.content)).toEqual(
      list.slice(0, -1).map(one => (one as MessageLike).content),
    )
  })

  it('sends nothing of the last exchange once it was taken away, nor of an answer that was redacted', async () => {
    const { ask, sent } = await start(
      ([{ content } = { content: '' }]) => `It is ${String(content)}`,
    )
    const { list, say } = chat(ask, headers)
    await say('secret-1')
    await say('secret-2')
    list.splice(-2, 2)
    await say('Hello.')
    expect(sent()).not.toContain('secret-2')
    list[1] = reply('[removed]')
    await say('And?')
    expect(sent()).not.toContain('It is secret-1"},{"role":"user","content":"Hello."')
    expect(JSON.parse(sent()).messages[1].content).toBe('[removed]')
    list[0] = user('edited')
    await say('Well?')
    expect(JSON.parse(sent()).messages.map((one: MessageLike) => one.content)).toEqual(
      list.slice(0, -1).map(one => (one as MessageLike).content),
    )
  })

  it.each([
    [
      'before the question, as a system message',
      (text: string, list: readonly object[]) => list.toSpliced(-1, 0, system(text)),
    ],
    [
      'behind the question, as a system message',
      (text: string, list: readonly object[]) => [...list, system(text)],
    ],
    [
      'before the question, as a message of the user',
      (text: string, list: readonly object[]) => list.toSpliced(-1, 0, user(text)),
    ],
    [
      'deep in the list, as a system message',
      (text: string, list: readonly object[]) => list.toSpliced(-3, 0, system(text)),
    ],
    [
      'after the first message',
      (text: string, list: readonly object[]) => list.toSpliced(1, 0, system(text)),
    ],
  ])('sends only the documents of this request: %s', async (where, add) => {
    const { ask, bodies, history } = await start()
    const { list, say } = chat(ask, headers)
    for (let version = 1; version <= 5; version++) {
      let all: readonly object[] = []
      await say(`Question ${version}?`, before => {
        all = add(`PRICES, version ${version}`, before)
        return all
      })
      const { messages } = JSON.parse(bodies.at(-1)!) as { messages: readonly MessageLike[] }
      expect(messages.map(one => `${one.role}: ${one.content}`)).toEqual(
        all.map(one => `${(one as MessageLike).role}: ${(one as MessageLike).content}`),
      )
    }
    expect(list).toHaveLength(10)
    // A document that another turn's stands in for looks like an edit.
    const [{ threads } = { threads: [] }] = await history.conversations()
    if (where !== 'deep in the list, as a system message') expect(threads).toHaveLength(1)
  })
})

it.each(['before', 'behind'])(
  'gives no person the file of another, %s the question',
  async where => {
    const { ask, bodies } = await start()
    const people = ['Ada', 'Bob'].map(name => ({ name, ...chat(ask) }))
    for (const text of ['Hello.', 'What do I earn?', 'Thanks.', 'And next year?'])
      for (const { name, say } of people) {
        await say(text, list =>
          where === 'before'
            ? list.toSpliced(-1, 0, system(`FILE OF ${name}`))
            : [...list, system(`FILE OF ${name}`)],
        )
        const other = people.find(one => one.name !== name)!
        expect(bodies.at(-1)).toContain(`FILE OF ${name}`)
        expect(bodies.at(-1)).not.toContain(`FILE OF ${other.name}`)
      }
  },
)

it('gives a client that names nothing only what it sends, and one that does what it cut off', async () => {
  for (const [headers, isRestored] of [
    [{}, false],
    [{ 'x-openwebui-chat-id': 'w1' }, true],
  ] as const) {
    const { ask, sent, history } = await start()
    const { say } = chat(ask, headers)
    const last = (list: readonly object[]) => list.slice(-5)
    for (const text of ['The code is 4471.', 'Two.', 'Three.', 'Four.', 'Five.', 'Six.'])
      await say(text, last)
    expect(sent().includes('4471')).toBe(isRestored)
    expect(await history.conversations()).toHaveLength(1)
    expect((await history.conversations())[0]!.threads).toHaveLength(1)
  }
})

describe('a body that holds only what is new', () => {
  const ways: readonly (readonly [
    string,
    (last: string | undefined) => Headers,
    (last: string | undefined) => object,
  ])[] = [
    ['by previous_response_id', () => ({}), last => (last ? { previous_response_id: last } : {})],
    ['by the name of its conversation', () => ({ 'x-throughline-conversation': 'c' }), () => ({})],
  ]
  it.each(ways)(
    'is sent with what was said before, %s, and with no document of an earlier request',
    async (...way) => {
      const [, headersOf, fieldsOf] = way
      const { url, sent } = await start()
      let last: string | undefined
      for (const version of [1, 2, 3]) {
        const input = [
          { role: 'developer', content: `PRICES, version ${version}` },
          { role: 'user', content: `Question ${version}?` },
        ]
        const response = await fetch(`${url}/v1/responses`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headersOf(last) },
          body: JSON.stringify({ model: 'm', input, ...fieldsOf(last) }),
        })
        expect(response.status).toBe(200)
        last = ((await response.json()) as { readonly id: string }).id
        for (let earlier = 1; earlier <= version; earlier++) {
          expect(sent()).toContain(`Question ${earlier}?`)
          expect(sent().includes(`version ${earlier}`)).toBe(earlier === version)
        }
      }
    },
  )
})
