import { anthropicAnswer } from '@throughline/models/fixtures'
import { memoryStore } from '@throughline/stores/memory'
import { apiClient } from '@throughline/test-tools/api-client'
import { openaiAnswer, startUpstream } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { anthropicUpstream, openaiUpstream } from '../src/upstream/model-servers.ts'
import { chatPair } from './native/chat-pair.ts'
import { messagesPair } from './native/messages-pair.ts'
import { ollamaPair } from './native/ollama-pair.ts'
import { startPair, written } from './native/pair.ts'
import { responsesPair } from './native/responses-pair.ts'

const pairs = [chatPair, messagesPair, responsesPair, ollamaPair]
const ways = pairs.flatMap(pair =>
  [true, false].map(isStreamed => ({ pair, isStreamed, name: pair.name })),
)
const prose = 'The tide came in over the mud flats and the boats rose slowly at their chains. '

/** The body of a long conversation, which does not fit the window. */
const longBody = ({ body, list, turn, question }: (typeof pairs)[number], isStreamed: boolean) =>
  written(
    {
      ...body,
      [list]: [
        ...Array.from({ length: 30 }, (_, at) => turn(at, prose)).flat(),
        question('And now?'),
      ],
    },
    isStreamed,
  )

describe.each(ways)('$name, streamed: $isStreamed', ({ pair, isStreamed }) => {
  const answer = isStreamed ? pair.stream : { chunks: [pair.whole], headers: { 'x-odd': '1' } }

  it('passes all bytes of what does not fit, and shows what would have been sent', async () => {
    const { ask, got, url, history } = await startPair(pair, answer, 1000, { shadow: true })
    const text = longBody(pair, isStreamed)
    const response = await ask(text, {}, '?odd=%20')
    expect([response.status, await response.text()]).toEqual([200, answer.chunks.join('')])
    expect(got().map(({ text: sent, path }) => [path, sent])).toEqual([
      [`${pair.path}?odd=%20`, text],
    ])
    const names = [...response.headers.keys()].filter(name => name.startsWith('x-throughline'))
    expect(names.toSorted()).toEqual(['x-throughline-branch', 'x-throughline-conversation'])
    const [{ conversation } = { conversation: '' }] = await history.conversations()
    const { body } = await apiClient(url).get(`/conversations/${conversation}/calls`)
    const [{ shadow, window, predicted, status }] = body.calls
    expect([status, window]).toEqual(['completed', 1000])
    expect(shadow.tokens).toBe(predicted)
    expect(shadow.tokens).toBeGreaterThan(1500)
    expect(shadow.messages).toBeGreaterThan(90)
    expect(shadow.wouldTokens).toBeLessThan(1000)
    expect(shadow.wouldMessages).toBeLessThan(shadow.messages)
    expect(shadow.tail.tokens).toBeLessThan(1000)
    // The newest messages are the tail.
    const logged = await history.thread(conversation).messages({ limit: 500 })
    expect(shadow.tail.runs.at(-1).last).toBe(
      logged.findLastIndex(({ role }) => role === 'user') + 1,
    )
  })

  it('asks the upstream again when the same request comes again, and files both', async () => {
    const { ask, got, history } = await startPair(pair, answer, 1000, { shadow: true })
    const text = longBody(pair, isStreamed)
    const headers = { 'idempotency-key': 'one', 'x-stainless-retry-count': '1' }
    for (const _ of [1, 2]) expect((await ask(text, headers)).status).toBe(200)
    // Another body with the same key is for the upstream to refuse.
    expect((await ask(text.replace('And now?', 'And then?'), headers)).status).toBe(200)
    expect(got()).toHaveLength(3)
    const filed = (await history.conversations()).flatMap(({ threads }) => threads)
    expect(filed).toHaveLength(3)
  })

  it('passes what it cannot read, and the answer to it', async () => {
    const refusal = { status: 422, body: { error: { message: 'no' } }, headers: { 'x-odd': '2' } }
    const { ask, got } = await startPair(pair, refusal, 1000, { shadow: true })
    for (const text of [
      `{"model": "m", "${pair.list}": [ 7 ] }`,
      `{"model": "m", "${pair.list}": [ ] }`,
      '{"model": "m",',
    ]) {
      const response = await ask(text)
      expect([response.status, await response.json()]).toEqual([422, refusal.body])
      expect(got().at(-1)?.text).toBe(text)
    }
  })
})

const user = (content: string) => ({ role: 'user', content })

async function startChat(options: Parameters<typeof startServer>[0] = {}, window = 600) {
  const model = await startUpstream(({ path, text, body }) => {
    if (!path.endsWith('/chat/completions')) return { status: 404, body: {} }
    sent.push(text)
    const { messages } = body as { readonly messages: readonly object[] }
    return openaiAnswer([{ content: `Answer to ${messages.length} messages.` }])
  })
  const sent: string[] = []
  onTestFinished(() => model.close())
  const upstream = openaiUpstream({ url: model.url, window })
  const server = await startServer({ upstream, shadow: true, ...options })
  async function ask(messages: readonly object[], headers: Readonly<Record<string, string>> = {}) {
    const text = JSON.stringify({ model: 'm', messages, stream: false })
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: text,
    })
    expect(sent.at(-1)).toBe(text)
    return response
  }
  return { ...server, model, sent, ask }
}

it('restores nothing, also where the client names the conversation, and files one conversation', async () => {
  const { ask, history } = await startChat()
  const named = { 'x-throughline-conversation': 'c' }
  const list: object[] = []
  for (let turn = 0; turn < 12; turn++) {
    list.push(user(`${prose} ${turn}?`))
    const response = await ask(list.slice(-5), named)
    const { choices } = (await response.json()) as { choices: [{ message: object }] }
    list.push(choices[0].message)
  }
  const conversations = await history.conversations()
  expect(conversations.map(({ conversation }) => conversation)).toEqual(['c'])
  expect(await history.thread('c').messages({ limit: 100 })).toHaveLength(24)
})

it('answers while its log is away', async () => {
  const store = memoryStore()
  const { ask } = await startChat({ store })
  expect((await ask([user('Hello.')])).status).toBe(200)
  await store.close()
  for (const name of ['begin', 'findMarks', 'saveCall', 'append'] as const)
    Object.assign(store, { [name]: () => Promise.reject(new Error('the disk is gone')) })
  const response = await ask([user('Is anybody there?')])
  expect([response.status, await response.text()]).toEqual([
    200,
    expect.stringContaining('Answer to 1'),
  ])
})

it('tells clients the window of the upstream, and asks it nothing that no client asked', async () => {
  const facts = { object: 'list', data: [{ id: 'm', max_model_len: 8192 }] }
  const model = await startUpstream(({ path }) =>
    path.endsWith('/models') ? { status: 200, body: facts } : openaiAnswer([{ content: 'Yes.' }]),
  )
  onTestFinished(() => model.close())
  const { url } = await startServer({
    ...{ upstream: openaiUpstream({ url: model.url }), shadow: true, readAhead: 'on', quietMs: 0 },
  })
  expect(await (await fetch(`${url}/v1/models`)).json()).toEqual(facts)
  const body = JSON.stringify({ model: 'm', messages: [user('Yes?')], stream: false })
  for (const _ of [1, 2])
    await (await fetch(`${url}/v1/chat/completions`, { method: 'POST', body })).text()
  await new Promise(resolve => setTimeout(resolve, 50))
  expect(model.requests.filter(({ path }) => path.endsWith('/completions'))).toHaveLength(2)
})

it('sends the whole list to an upstream of another form', async () => {
  const model = await startUpstream(({ path }) =>
    path.endsWith('/messages') ? anthropicAnswer([{ text: 'Yes.' }]) : { status: 404, body: {} },
  )
  onTestFinished(() => model.close())
  const upstream = anthropicUpstream({ url: model.url, window: 600 })
  const { url } = await startServer({ upstream, shadow: true })
  const messages = Array.from({ length: 41 }, (_, at) =>
    at % 2 === 0 ? user(`${prose} ${at}`) : { role: 'assistant', content: `Answer ${at}` },
  )
  const body = JSON.stringify({ model: 'm', messages, stream: false })
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body })
  expect(response.status).toBe(200)
  const sent = model.requests.findLast(({ path }) => path.endsWith('/messages'))?.body as {
    messages: object[]
  }
  expect(sent.messages).toHaveLength(41)
})

it('says on the page whether it is a shadow, and what tokens cost', async () => {
  const { url } = await startServer({ shadow: true, price: '0.15 USD' })
  const { body } = await apiClient(url).get('/server')
  expect([body.shadow, body.price]).toEqual([true, { amount: 0.15, currency: 'USD' }])
  const plain = await apiClient((await startServer()).url).get('/server')
  expect([plain.body.shadow, plain.body.price]).toEqual([false, undefined])
})

it('tells of each answer whether its source would have been sent, and whether the tail had it', async () => {
  const model = await startUpstream(({ path, body }) => {
    if (!path.endsWith('/chat/completions')) return { status: 404, body: {} }
    const { messages } = body as { readonly messages: readonly { readonly content: string }[] }
    const isAsked = messages.at(-1)?.content.includes('boat')
    return openaiAnswer([
      { content: isAsked ? 'Your boat is called Heron.' : 'The tide will turn at noon.' },
    ])
  })
  onTestFinished(() => model.close())
  const upstream = openaiUpstream({ url: model.url, window: 900 })
  const { url } = await startServer({ upstream, shadow: true })
  const list: object[] = ['Good morning.', 'My boat is called Heron.'].flatMap(text => [
    user(text),
    { role: 'assistant', content: 'I see.' },
  ])
  for (let at = 0; at < 40; at++)
    list.push(user(`${prose} Page ${at}`), { role: 'assistant', content: `Noted, page ${at}.` })
  const body = JSON.stringify({
    ...{ model: 'm', stream: false },
    messages: [...list, user('What is my boat called?')],
  })
  const headers = { 'x-throughline-conversation': 'boat' }
  await (await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })).text()
  const { body: text } = await apiClient(url).get('/conversations/boat/shadow')
  const lines = String(text)
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(lines).toEqual([
    expect.objectContaining({
      used: expect.objectContaining({ entry: 3, fate: 'recalled', isOurs: true, isTail: false }),
    }),
  ])
})
