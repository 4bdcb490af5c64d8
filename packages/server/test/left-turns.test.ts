import type { MessageLike } from '@throughline/core/messages'
import { ModelError } from '@throughline/models/model'
import { type RulesAnswer, rules } from '@throughline/models/reader'
import { memoryStore } from '@throughline/stores/memory'
import type { Store } from '@throughline/stores/store'
import { startServer } from '@throughline/test-tools/start-server'
import { UiChat } from '@throughline/test-tools/ui-chat'
import { describe, expect, it } from 'vitest'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'

type Said = () => RulesAnswer | Promise<RulesAnswer>

/** A server whose model says what `say` gives, and how often it was asked. */
async function start(say: Said, store: Store = memoryStore()) {
  let asked = 0
  const model = rules(
    () => {
      asked += 1
      return say()
    },
    { window: 4096 },
  )
  const server = await startServer({ store, upstream: { ...readerUpstream(), model: () => model } })
  async function post(path: string, body: object, headers: Readonly<Record<string, string>> = {}) {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'm', ...body }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return { ...server, post, asked: () => asked }
}

const messages: readonly MessageLike[] = [{ role: 'user', content: 'hello' }]

/** A store of which nothing can be read for once, after the next turn has begun. */
function failingAfterBegin() {
  const store = memoryStore()
  let isArmed = false
  let isFailing = false
  const failing: Store = {
    ...store,
    async begin(...given) {
      const begun = await store.begin(...given)
      isFailing = isArmed
      isArmed = false
      return begun
    },
    async *entries(...given) {
      if (isFailing) {
        isFailing = false
        throw new Error('the disk cannot be read')
      }
      yield* store.entries(...given)
    },
  }
  return {
    store: failing,
    arm: () => {
      isArmed = true
    },
  }
}

describe('a turn whose thread cannot be read after it has begun', () => {
  it('is left by an adapter, and answered when it is sent again', async () => {
    const { store, arm } = failingAfterBegin()
    const server = await start(() => 'Hello.', store)
    arm()
    expect((await server.post('/c/kitchen/v1/chat/completions', { messages })).status).toBe(500)
    expect((await server.history.thread('kitchen').status()).state).toBe('interrupted')
    expect((await server.post('/c/kitchen/v1/chat/completions', { messages })).status).toBe(200)
    expect((await server.history.thread('kitchen').turns()).map(({ status }) => status)).toEqual([
      'completed',
    ])
  })

  it('is left by useChat, so that the next message is answered', async () => {
    const { store, arm } = failingAfterBegin()
    const server = await start(() => 'Hello.', store)
    const ui = new UiChat(`${server.url}/throughline/v1/ui-chat`, { id: 'kitchen' })
    arm()
    await ui.say('hello')
    expect(ui.status).toBe('error')
    expect((await server.history.thread('kitchen').status()).state).not.toBe('open')
    await ui.say('hello again')
    expect([ui.status, ui.answer]).toEqual(['ready', 'Hello.'])
  })
})

it('a prompt that the model refuses as too long closes its turn', async () => {
  const server = await start(() => {
    throw new ModelError('context_too_long', 'Too long.', { status: 400 })
  })
  expect((await server.post('/c/kitchen/v1/chat/completions', { messages })).status).toBe(400)
  const thread = server.history.thread('kitchen')
  expect((await thread.status()).state).toBe('idle')
  expect((await thread.messages()).map(({ content }) => content)).toEqual([
    'hello',
    '[This turn failed: context_too_long.]',
  ])
})

describe('what goes on from a reply, with an idempotency key', () => {
  it.each([
    ['a response that it names', async () => ({})],
    ['a conversation that it names', async () => ({ 'x-throughline-conversation': 'kitchen' })],
  ])('is answered once for each key, where it names %s', async (_, headersOf) => {
    let said = 0
    const server = await start(() => `Answer ${++said}`)
    const named = await headersOf()
    const first = await server.post('/v1/responses', { input: 'hello' }, named)
    const previous = Object.keys(named).length === 0 ? { previous_response_id: first.body.id } : {}
    const ask = async (key: string) => {
      const body = { input: 'on', ...previous }
      const { body: answer } = await server.post('/v1/responses', body, {
        ...named,
        'idempotency-key': key,
      })
      return JSON.stringify(answer.output).match(/Answer \d+/)?.[0]
    }
    expect([await ask('k1'), await ask('k1')]).toEqual(['Answer 2', 'Answer 2'])
    expect([await ask('k2'), await ask('k2')]).toEqual(['Answer 3', 'Answer 3'])
    expect(await ask('k1')).toBe('Answer 2')
    expect(server.asked()).toBe(3)
  })

  it('is another request than one that waits for the results of its tools', async () => {
    let said = 0
    const server = await start(() => ({ calls: [{ name: 'look', arguments: { at: ++said } }] }))
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
    const ask = async (key: string) => {
      const { body } = await server.post(
        '/c/kitchen/v1/chat/completions',
        { messages, tools },
        { 'idempotency-key': key },
      )
      return JSON.stringify(body).match(/at\\":(\d)/)?.[1]
    }
    expect([await ask('k1'), await ask('k1'), await ask('k2')]).toEqual(['1', '1', '2'])
  })
})
