import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { onTestFinished } from 'vitest'
import { createHistory, type History } from '../../src/history/index.ts'
import { createServer, type ServerOptions } from '../../src/server/create-server.ts'
import type { Served } from '../../src/server/routes/chat-route.ts'
import { readerUpstream } from '../../src/server/upstream/reader-upstream.ts'
import { memoryStore } from '../../src/stores/memory/memory-store.ts'
import type { Store } from '../../src/stores/store.ts'

export interface StartedServer {
  readonly url: string
  readonly store: Store
  readonly history: History
  /** What became of the requests, in order. */
  readonly served: readonly Served[]
}

/** A server on a port of its own, with the reader as its model unless another upstream is given. */
export async function startServer(options: Partial<ServerOptions> = {}): Promise<StartedServer> {
  const { store = memoryStore(), upstream = readerUpstream() } = options
  const served: Served[] = []
  const server = createServer({ ...options, store, upstream, onServed: one => void served.push(one) })
  const http = createAdaptorServer({ fetch: server.fetch, overrideGlobalObjects: false })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(async () => {
    http.close()
    await upstream.close()
  })
  const { port } = http.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, store, history: createHistory({ store }), served }
}
