import type { Store } from '@throughline/stores/store'
import { someStores } from '@throughline/test-tools/every-store'
import { startServer } from '@throughline/test-tools/start-server'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'

/** What a process writes before it is killed: nothing more reaches the store once it has ended a turn. */
function killedAfterEnd(store: Store): Store {
  let isKilled = false
  const never = new Promise<never>(() => {})
  const dying = Object.fromEntries(
    Object.entries(store).map(([name, method]) => [
      name,
      (...args: readonly unknown[]) =>
        isKilled ? never : (method as (...given: unknown[]) => unknown)(...args),
    ]),
  ) as unknown as Store
  return {
    ...dying,
    async end(...args) {
      const ended = await dying.end(...args)
      isKilled = true
      return ended
    },
  }
}

/** The fault that the tests must find: marks are written after the entries that they belong to. */
const marksLater = (store: Store): Store => ({
  ...store,
  async end(thread, { marks = [], ...end }) {
    const { head } = await store.end(thread, end)
    await new Promise(setImmediate)
    await store.saveMarks(
      thread,
      marks.map(({ mark, at }) => ({ mark, at: at + end.expectedHead })),
    )
    return { head }
  },
})

const clientOf = (url: string) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 })

/** Asks a server that is killed as soon as it has stored the reply. Gives the id that the client has seen by then. */
async function askKilled(
  store: Store,
  wrap: (store: Store) => Store = one => one,
): Promise<string> {
  const { url } = await startServer({ store: wrap(killedAfterEnd(store)) })
  const left = new AbortController()
  const headers = { 'idempotency-key': 'first' }
  const stream = await clientOf(url).responses.create(
    { model: 'reader', input: 'The boat is blue.', stream: true },
    { headers, signal: left.signal },
  )
  let id = ''
  for await (const event of stream) {
    if (event.type === 'response.created') id = event.response.id
    // The end of the response never comes.
    if (event.type === 'response.output_text.delta') break
  }
  await expect.poll(async () => (await ended(store)).length).toBe(1)
  return id
}

async function ended(store: Store) {
  const [info] = await store.conversations('default')
  if (!info) return []
  const { actor, branch } = info.threads[0]!
  const turns = await store.turns({
    tenant: 'default',
    conversation: info.conversation,
    actor,
    branch,
  })
  return turns.filter(({ status }) => status === 'completed')
}

describe.each(await someStores())('the id of a response, on %s', (_, create) => {
  it('is known although the process was killed right after the reply was stored', async () => {
    const store = create()
    const id = await askKilled(store)
    const { url } = await startServer({ store })
    const client = clientOf(url)
    expect((await client.responses.retrieve(id)).id).toBe(id)
    await client.responses.create({
      model: 'reader',
      input: 'And the sail?',
      previous_response_id: id,
    })
    expect(await ended(store)).toHaveLength(2)
  })

  it('is found missing by this test where marks are written after the entry', async () => {
    const store = create()
    const id = await askKilled(store, marksLater)
    const { url } = await startServer({ store })
    await expect(clientOf(url).responses.retrieve(id)).rejects.toMatchObject({ status: 404 })
  })

  it('is known again as soon as a client asks for the stored answer', async () => {
    const store = create()
    const id = await askKilled(store, marksLater)
    const { url } = await startServer({ store })
    const client = clientOf(url)
    const headers = { 'idempotency-key': 'first' }
    const again = await client.responses.create(
      { model: 'reader', input: 'The boat is blue.' },
      { headers },
    )
    expect(again.id).toBe(id)
    expect((await client.responses.retrieve(id)).id).toBe(id)
  })
})
