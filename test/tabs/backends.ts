import { createUIChatHandler } from '@throughline/chat'
import { createHistory } from '@throughline/history'
import { ollama } from '@throughline/models'
import { createServer } from '@throughline/server/create-server'
import { ollamaUpstream } from '@throughline/server/upstream/model-servers'
import type { Store } from '@throughline/stores/store'
import { storeWaitMs } from '@throughline/test-tools/start-server'

/** A backend of `useChat` on a store. Its model is asked at the address of an Ollama. */
export interface Backend {
  /** The path that the transport of `useChat` is given. */
  readonly api: string
  fetch(request: Request): Promise<Response>
  close(): Promise<void>
}

export const backendNames = ['createUIChatHandler', '/ui-chat'] as const
export type BackendName = (typeof backendNames)[number]

/** The handler in an application's own server, whose only user is Ada; or the route of `throughline serve`. */
export function openBackend(name: BackendName, store: Store, host: string): Backend {
  if (name === '/ui-chat') {
    const upstream = ollamaUpstream({ url: host })
    const server = createServer({ store, storeWaitMs, upstream })
    const close = async () => {
      await server.close()
      await upstream.close()
    }
    return { api: '/throughline/v1/ui-chat', fetch: request => server.fetch(request), close }
  }
  const history = createHistory({ store })
  const chat = createUIChatHandler({
    history,
    model: ollama({ model: 'scripted', host }),
    user: () => 'ada',
  })
  return { api: '/api/chat', fetch: chat, close: chat.idle }
}
