import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { failureOf, partsOf, textOf } from '@throughline/models/fixtures'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readerServer } from '../reader/reader-server.ts'
import { ollamaUpstream, openaiUpstream } from './model-servers.ts'
import { readerUpstream } from './reader-upstream.ts'
import type { Upstream } from './upstream.ts'

/** The reader behind a port and inside of the process: whichever way it is spoken to, it says the same. */
const server = createAdaptorServer({
  fetch: readerServer({ window: 256, isStandIn: true }),
  overrideGlobalObjects: false,
})
let upstreams: readonly Upstream[] = []

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  upstreams = [
    ollamaUpstream({ url }),
    openaiUpstream({ url, window: 256 }),
    readerUpstream({ window: 256 }),
  ]
})
afterAll(async () => {
  for (const upstream of upstreams) await upstream.close()
  const closed = once(server, 'close')
  server.close()
  await closed
})

const users = (content: string, times = 1) =>
  Array.from({ length: times }, () => ({ role: 'user', content }))

it('answers the same through every upstream', async () => {
  const messages = [...users('My locker code is 4471.'), ...users('What is my locker code?')]
  for (const upstream of upstreams) {
    const parts = await partsOf(upstream.model('reader').stream({ messages }))
    expect(textOf(parts)).toBe('Stand-in, no AI: You said: "My locker code is 4471."')
    expect(parts.at(-1)).toMatchObject({ type: 'end', reason: 'stop' })
    expect(await upstream.model('reader').window()).toBe(256)
    expect((await upstream.models()).map(({ name }) => name.replace(':latest', ''))).toEqual([
      'reader',
    ])
  }
})

it('fails the same through every upstream', async () => {
  for (const upstream of upstreams) {
    const long = upstream
      .model('reader')
      .stream({ messages: users('The box is blue. Which box?', 90) })
    expect((await failureOf(long)).error.code).toBe('context_too_long')
    const missing = upstream.model('other').stream({ messages: users('hi') })
    expect((await failureOf(missing)).error).toMatchObject({ code: 'model_not_found', status: 404 })
  }
})
