import { openReader } from '../reader/open-reader.ts'
import { readerServer } from '../reader/reader-server.ts'
import type { Upstream } from './upstream.ts'

export interface ReaderUpstreamOptions {
  /** In tokens. Default 4096. */
  readonly window?: number
  /** The pause between two words, in milliseconds. */
  readonly delayMs?: number
}

export function readerUpstream({ window = 4096, delayMs = 0 }: ReaderUpstreamOptions = {}): Upstream {
  const options = { window, delayMs, isStandIn: true }
  const answer = readerServer(options)
  return {
    kind: 'reader',

    model: name => openReader(name, ['reader'], options),

    async pass({ method, path, body, signal }) {
      const response = await answer(
        new Request(new URL(path, 'http://reader'), {
          method,
          ...(body === undefined ? {} : { body: await gather(body) }),
          ...(signal ? { signal } : {}),
        }),
      )
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: response.body ?? nothing(),
      }
    },

    models: async () => [{ name: 'reader', window }],
    close: async () => {},
  }
}

/** The body of a request, whose size the server has limited. */
async function gather(body: AsyncIterable<Uint8Array> | Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  if (body instanceof Uint8Array) chunks.push(body)
  else for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
