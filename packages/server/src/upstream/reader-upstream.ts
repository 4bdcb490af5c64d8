import { buffer } from 'node:stream/consumers'
import { openReader, readerServer } from '../reader/reader-server.ts'
import type { Upstream } from './upstream.ts'

/** The built-in model. `delayMs`: the pause between two words. */
export function readerUpstream({ window = 4096, delayMs = 0 } = {}): Upstream {
  const options = { window, delayMs, isStandIn: true }
  const answer = readerServer(options)
  return {
    kind: 'reader',

    model: name => openReader(name, ['reader'], options),

    async pass({ method, path, body, signal }) {
      const bytes = body && (body instanceof Uint8Array ? Buffer.from(body) : await buffer(body))
      const response = await answer(
        new Request(new URL(path, 'http://reader'), { method, body: bytes, signal }),
      )
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: response.body ?? new Blob().stream(),
      }
    },

    models: async () => [{ name: 'reader', window }],
    close: async () => {},
  }
}
