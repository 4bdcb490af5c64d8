import { createHistory, type History } from '@throughline/history'
import { createServer, type Server, type ServerOptions } from '@throughline/server/create-server'
import type { Served } from '@throughline/server/exchange/runner'
import { listen } from '@throughline/server/serve/listen'
import { readerUpstream } from '@throughline/server/upstream/reader-upstream'
import { memoryStore } from '@throughline/stores/memory'
import type { Store } from '@throughline/stores/store'
import { onTestFinished } from 'vitest'

export interface StartedServer {
  readonly url: string
  readonly store: Store
  readonly history: History
  /** What became of the requests, in order. */
  readonly served: readonly Served[]
  readonly routes: Server['routes']
}

/** A busy machine makes any store slow: only tests of slow stores give one up soon. */
export const storeWaitMs = 60_000

/** A server on a port of its own, with the reader as its model unless another upstream is given. */
export async function startServer({
  requestTimeoutMs = 60_000,
  ...options
}: Partial<ServerOptions> & { readonly requestTimeoutMs?: number } = {}): Promise<StartedServer> {
  const { store = memoryStore(), upstream = readerUpstream() } = options
  const served: Served[] = []
  const server = createServer({
    storeWaitMs,
    ...options,
    store,
    upstream,
    onServed: one => void served.push(one),
  })
  const { url, close } = await listen(server.fetch, {
    host: '127.0.0.1',
    port: 0,
    requestTimeoutMs,
  })
  onTestFinished(async () => {
    await close(0)
    await server.close()
    await upstream.close()
  })
  return { url, store, history: createHistory({ store }), served, routes: server.routes }
}
