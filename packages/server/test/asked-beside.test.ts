import type { MessageLike } from '@throughline/core/messages'
import type { Store } from '@throughline/stores/store'
import { apiClient } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { ollamaAnswer } from '@throughline/test-tools/scripted-upstream'
import { describe, expect, it } from 'vitest'
import { startScripted } from './scripted-server.ts'

const model = 'm'
const user = (content: string) => ({ role: 'user', content })

/** How a client goes on: it sends its list, or the server knows what was said before. */
const ways = {
  'with its list': { path: '', isDelta: false },
  'with its list, and its name': { path: '', isDelta: false, headers: { 'thread-id': 't-1' } },
  'with what is new': { path: '/c/kitchen', isDelta: true },
} as const

/** A client that has asked twice, and the operator of the server, who looks on. */
async function start(store: Store, way: (typeof ways)[keyof typeof ways]) {
  let answers = 0
  const server = await startScripted(() => ollamaAnswer([{ content: `Answer ${++answers}.` }]), {
    store,
  })
  const list: MessageLike[] = []
  async function say(text: string): Promise<string> {
    list.push(user(text))
    const response = await fetch(`${server.url}${way.path}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...('headers' in way ? way.headers : {}) },
      body: JSON.stringify({ model, messages: way.isDelta ? list.slice(-1) : list }),
    })
    const body = (await response.json()) as { choices: readonly { message: MessageLike }[] }
    list.push({ role: 'assistant', content: body.choices[0]!.message.content as string })
    return response.headers.get('x-throughline-branch') ?? ''
  }
  await say('One.')
  const branch = await say('Two.')
  const [{ conversation } = { conversation: '' }] = await server.history.conversations()
  const asked = () => {
    const { body } = server.scripted.requests.findLast(({ path }) => path === '/api/chat')!
    return (body as { messages: MessageLike[] }).messages.map(({ content }) => content)
  }
  return {
    list,
    say,
    branch,
    asked,
    api: apiClient(server.url),
    path: `/conversations/${conversation}`,
  }
}

/** What a person does in the page. */
const acts = {
  'asks again': async ({ api, path }) => {
    for await (const _ of api.events(`${path}/regenerate`, { body: { model } }));
  },
  'asks an earlier message again': async ({ api, path }) => {
    for await (const _ of api.events(`${path}/regenerate`, { body: { model, at: 1 } }));
  },
  'edits a message': async ({ api, path }) => {
    for await (const _ of api.events(`${path}/edit`, { body: { model, at: 3, input: 'Else.' } }));
  },
  'asks on a branch': async ({ api, path }) => {
    const { body: fork } = await api.post(`${path}/fork`, { at: 4 })
    const branch = encodeURIComponent(fork.branch)
    for await (const _ of api.events(`${path}/send?branch=${branch}`, {
      body: { model, input: 'Beside.' },
    }));
  },
  'makes a branch': async ({ api, path }) => void (await api.post(`${path}/fork`, { at: 2 })),
} satisfies Record<string, (client: Awaited<ReturnType<typeof start>>) => Promise<void>>

describe.each(await someStores())('a person who looks on, on %s', (_, create) => {
  describe.each(Object.entries(ways))('at a client that goes on %s', (_how, way) => {
    it.each(Object.entries(acts))(
      '%s: the next request goes on where the client was',
      async (_what, act) => {
        const client = await start(create(), way)
        await act(client)
        const said = client.list.map(({ content }) => content)
        expect(await client.say('Three.')).toBe(client.branch)
        expect(client.asked()).toEqual([...said, 'Three.'])
      },
    )
  })
})

it('says which branches a client writes to', async () => {
  const [, create] = (await someStores())[0]!
  const client = await start(create(), ways['with what is new'])
  await acts['asks again'](client)
  const { body } = await client.api.get(`${client.path}/threads`)
  const owners = body.threads.map((one: { branch: string; isOfClient: boolean }) => [
    one.branch === client.branch,
    one.isOfClient,
  ])
  expect(owners.toSorted()).toEqual([
    [false, false],
    [true, true],
  ])
})
