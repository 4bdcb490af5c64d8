import type { MessageLike } from '@throughline/core/messages'
import { upstreamWith } from '@throughline/models/fixtures'
import type { Store } from '@throughline/stores/store'
import { apiClient } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { ollamaAnswer, type UpstreamAnswer } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { ollamaUpstream } from '../src/upstream/model-servers.ts'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'
import type { Upstream } from '../src/upstream/upstream.ts'
import { startScripted } from './scripted-server.ts'

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })
const busy: UpstreamAnswer = { status: 500, body: { error: 'runner has crashed' } }
const answer = (text: string) => ollamaAnswer([{ content: text }])
const part = (text: string): UpstreamAnswer => ({
  chunks: answer(text).chunks.slice(0, 1),
  headers: answer(text).headers,
  ending: 'reset',
})

/** A server whose model answers by a script, and what its model and its log have. */
async function start(script: UpstreamAnswer[], store?: Store) {
  const server = await startScripted(() => script.shift() ?? answer('Done.'), store && { store })
  /** Sends a list; gives the text of the answer, undefined if it failed. */
  async function ask(
    messages: readonly MessageLike[],
    { path = '', headers = {} }: { path?: string; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<string | undefined> {
    const response = await fetch(`${server.url}${path}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'm', messages }),
    })
    const { choices } = (await response.json()) as { choices?: { message: MessageLike }[] }
    return choices?.[0]?.message.content as string | undefined
  }
  /** What the model was asked, request by request. */
  const asked = () =>
    server.scripted.requests
      .filter(({ path }) => path === '/api/chat')
      .map(({ body }) =>
        (body as { messages: MessageLike[] }).messages.map(({ content }) => content),
      )
  return { ...server, ask, asked }
}

/** How clients name their conversation, or not. */
const ways = {
  'whose client does not name it': {},
  'whose client names it in a header': { headers: { 'thread-id': 't-1' } },
  'with a name of the user': { path: '/c/kitchen' },
} as const

describe.each(Object.entries(ways))('a message that fails, in a conversation %s', (_, way) => {
  it('is one turn and one branch, however often it is sent, and the model is asked once each time', async () => {
    const { ask, asked, lines } = await start([answer('Hello.'), ...Array(30).fill(busy)])
    const isDelta = 'path' in way
    const past = isDelta ? [] : [user('hi'), assistant('Hello.')]
    await ask([user('hi')], way)
    const list = [...past, user('go on')]
    for (let n = 0; n < 30; n++) expect(await ask(list, way)).toBeUndefined()
    expect(await lines()).toEqual([
      { said: ['hi', 'Hello.', 'go on'], turns: ['completed', 'failed'] },
    ])
    expect(await ask(list, way)).toBe('Done.')
    expect(asked()).toHaveLength(32)
    for (const messages of asked().slice(1)) expect(messages).toEqual(['hi', 'Hello.', 'go on'])
    const said = ['hi', 'Hello.', 'go on', 'Done.']
    expect(await lines()).toEqual([{ said, turns: ['completed', 'completed'] }])
    await ask(isDelta ? [user('thanks')] : [...list, assistant('Done.'), user('thanks')], way)
    expect(asked().at(-1)).toEqual([...said, 'thanks'])
    expect(await lines()).toHaveLength(1)
  })

  it('keeps the part that was shown until it is answered, and does not send it to the model', async () => {
    const { ask, asked, lines } = await start([part('One'), part('Two')])
    for (const text of ['One', 'Two']) {
      expect(await ask([user('count')], way)).toBeUndefined()
      expect(await lines()).toEqual([{ said: ['count', text], turns: ['interrupted'] }])
    }
    expect(await ask([user('count')], way)).toBe('Done.')
    expect(asked()).toEqual([['count'], ['count'], ['count']])
    expect(await lines()).toEqual([{ said: ['count', 'Done.'], turns: ['completed'] }])
    const next = 'path' in way ? [user('on')] : [user('count'), assistant('Done.'), user('on')]
    await ask(next, way)
    expect(asked().at(-1)).toEqual(['count', 'Done.', 'on'])
    expect(await lines()).toHaveLength(1)
  })

  it('goes on where it is though the answer begins like the part that broke off', async () => {
    const { ask, asked, lines } = await start([
      answer('Hi.'),
      part('One'),
      answer('One, two, three.'),
    ])
    const isDelta = 'path' in way
    await ask([user('hi')], way)
    const list = [...(isDelta ? [] : [user('hi'), assistant('Hi.')]), user('count')]
    expect(await ask(list, way)).toBeUndefined()
    expect(await ask(list, way)).toBe('One, two, three.')
    await ask(isDelta ? [user('on')] : [...list, assistant('One, two, three.'), user('on')], way)
    expect(asked().at(-1)).toEqual(['hi', 'Hi.', 'count', 'One, two, three.', 'on'])
    expect(await lines()).toHaveLength(1)
  })

  it('is told to the model if something else is said next, where only what is new is sent', async () => {
    const { ask, asked, lines } = await start([busy])
    await ask([user('count')], way)
    await ask('path' in way ? [user('on')] : [user('count'), user('on')], way)
    const told = 'path' in way ? ['[This turn failed: model_unavailable.]'] : []
    expect(asked().at(-1)).toEqual(['count', ...told, 'on'])
    expect(await lines()).toEqual([
      { said: ['count', 'on', 'Done.'], turns: ['failed', 'completed'] },
    ])
  })

  it('is told to the model as its client tells it, and by the log where only what is new is sent', async () => {
    for (const kept of [[], ['One']]) {
      const { ask, asked, lines } = await start([part('One')])
      await ask([user('count')], way)
      await ask(
        'path' in way ? [user('on')] : [user('count'), ...kept.map(assistant), user('on')],
        way,
      )
      const told = 'path' in way ? ['One\n\n[Interrupted.]'] : kept
      expect(asked().at(-1)).toEqual(['count', ...told, 'on'])
      expect(await lines()).toEqual([
        { said: ['count', 'One', 'on', 'Done.'], turns: ['interrupted', 'completed'] },
      ])
    }
  })
})

describe.each(await someStores())('a message that fails, on %s', (_, create) => {
  it('is answered in its turn, between the results of tools and the reply', async () => {
    const call = { id: 'c1', function: { name: 'look', arguments: {} } }
    const { ask, asked, lines } = await start(
      [ollamaAnswer([{ tool_calls: [call] }]), busy, part('I see'), busy],
      create(),
    )
    const calls = [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }]
    await ask([user('look')])
    const list = [
      user('look'),
      { role: 'assistant', content: '', tool_calls: calls },
      { role: 'tool', tool_call_id: 'c1', content: 'a boat' },
    ]
    for (let n = 0; n < 3; n++) expect(await ask(list)).toBeUndefined()
    expect(await ask(list)).toBe('Done.')
    for (const messages of asked().slice(1)) expect(messages).toEqual(['look', '', 'a boat'])
    expect(await lines()).toEqual([{ said: ['look', '', 'a boat', 'Done.'], turns: ['completed'] }])
    await ask([...list, assistant('Done.'), user('and?')])
    expect(asked().at(-1)).toEqual(['look', '', 'a boat', 'Done.', 'and?'])
    expect(await lines()).toHaveLength(1)
  })

  it('is answered by another process, and every try is a call of its turn', async () => {
    const store = create()
    const first = await start([busy, part('One')], store)
    for (let n = 0; n < 2; n++)
      await first.ask([user('count')], ways['whose client names it in a header'])
    const second = await start([], store)
    expect(await second.ask([user('count')], ways['whose client names it in a header'])).toBe(
      'Done.',
    )
    const thread = second.history.thread('codex:t-1')
    const calls = (await thread.calls()).map(({ status, turn, error }) => ({ status, turn, error }))
    expect(calls).toEqual([
      { status: 'completed', turn: 1, error: undefined },
      { status: 'failed', turn: 1, error: 'model_stream_broken' },
      { status: 'failed', turn: 1, error: 'model_unavailable' },
    ])
    const entries = await thread.entries()
    expect(entries.map(({ message, isBroken = false }) => [message.content, isBroken])).toEqual([
      ['count', false],
      ['One', true],
      ['Done.', false],
    ])
    // A client library that lost the answer gets it, and not the part before it.
    const lost = { headers: { 'thread-id': 't-1', 'x-stainless-retry-count': '1' } }
    expect(await second.ask([user('count')], lost)).toBe('Done.')
    expect(second.asked()).toHaveLength(1)
    const found = await second.history.search('One')
    expect(found).toEqual([])
    const { receipt } = await thread.context({ window: 4096 })
    expect(receipt.entries[1]).toMatchObject({
      fate: 'omitted',
      why: 'broke off, and was tried again',
    })
  })
})

it('is one turn where it names the reply that it goes on from', async () => {
  const { asked, lines, url } = await start([answer('Hello.'), busy, part('One'), busy])
  const respond = async (body: object) => {
    const response = await fetch(`${url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', ...body }),
    })
    return (await response.json()) as { readonly id?: string }
  }
  const { id } = await respond({ input: 'hi' })
  for (let n = 0; n < 4; n++) await respond({ input: 'go on', previous_response_id: id })
  for (const messages of asked().slice(1)) expect(messages).toEqual(['hi', 'Hello.', 'go on'])
  const said = ['hi', 'Hello.', 'go on', 'Done.']
  expect(await lines()).toEqual([{ said, turns: ['completed', 'completed'] }])
})

it('is one turn where its client left and asks again', async () => {
  const stalled: UpstreamAnswer = { ...part('One'), ending: 'stall' }
  const { ask, lines, scripted, url } = await start([stalled])
  const leaving = new AbortController()
  const request = { model: 'm', messages: [user('count')], stream: true }
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify(request),
    signal: leaving.signal,
  })
  const reader = response.body!.getReader()
  let text = ''
  while (!text.includes('One')) text += Buffer.from((await reader.read()).value!).toString()
  leaving.abort()
  await scripted.requests.find(({ path }) => path === '/api/chat')!.ended
  await expect.poll(lines).toEqual([{ said: ['count', 'One'], turns: ['cancelled'] }])
  expect(await ask([user('count')])).toBe('Done.')
  expect(await lines()).toEqual([{ said: ['count', 'Done.'], turns: ['completed'] }])
})

it('a beginning that the client wrote, and an answer that broke off behind it, leave the conversation as it was', async () => {
  const { ask, asked } = await start([part('"a"')])
  const begun = [user('Give me JSON.'), assistant('{')]
  expect(await ask(begun, { path: '/c/json' })).toBeUndefined()
  expect(await ask([user('Go on.')], { path: '/c/json' })).toBe('Done.')
  expect(asked().at(-1)!.slice(0, 2)).toEqual(['Give me JSON.', '{'])
})

it('the same key is the same request, also when its conversation has gone on', async () => {
  const { ask, asked } = await start([answer('Hello.')])
  const headers = { 'idempotency-key': 'k1' }
  expect(await ask([user('hi')], { headers })).toBe('Hello.')
  await ask([user('hi'), assistant('Hello.'), user('on')])
  expect(await ask([user('hi')], { headers })).toBe('Hello.')
  expect(asked()).toHaveLength(2)
})

describe('a model that no upstream has', () => {
  async function ask(upstream: Upstream) {
    const { url } = await startServer({ upstream })
    const body = JSON.stringify({ model: 'lama', messages: [user('Hello?')] })
    const { status } = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body })
    const { body: listed } = await apiClient(url).get(
      '/conversations?include=everything&latest=true',
    )
    return { status, listed: listed.conversations }
  }

  it('leaves nothing in the log where that is known before it is asked', async () => {
    expect(await ask(readerUpstream())).toEqual({ status: 404, listed: [] })
  })

  it('is the fault that the API tells where the upstream has refused it', async () => {
    const { url } = await upstreamWith(() => ({
      status: 404,
      body: { error: "model 'lama' not found" },
    }))
    const call = { status: 'failed', error: 'model_not_found' }
    expect(await ask(ollamaUpstream({ url }))).toMatchObject({
      status: 404,
      listed: [{ latest: { call } }],
    })
  })
})
