import { secretsOf } from '../check-options.ts'
import type { ServerConnection } from './connection.ts'

/** A connection by `fetch`, for any platform. Timeouts and unpacking are those of `fetch`. */
export function fetchConnection(options: {
  readonly address: string
  headers(): Readonly<Record<string, string>>
  /** Default: the global one, at the time of a request. */
  readonly fetch?: typeof globalThis.fetch | undefined
}): ServerConnection {
  const { address, headers, fetch } = options
  return {
    address,
    secrets: () => secretsOf(headers()),
    async send({ method, path, headers: requestHeaders, body, signal }) {
      // A separate controller, so that an answer that is no longer read can be ended.
      const controller = new AbortController()
      const abort = () => controller.abort(signal?.reason)
      signal?.addEventListener('abort', abort)
      const unlink = () => signal?.removeEventListener('abort', abort)
      const send = fetch ?? globalThis.fetch
      const response = await send(address + path, {
        method,
        headers: toHeaders({ ...requestHeaders, ...headers() }),
        body,
        redirect: 'manual',
        signal: controller.signal,
      }).catch((error: unknown) => {
        unlink()
        throw error
      })
      const reader = response.body?.getReader()
      return {
        status: response.status,
        header: name => response.headers.get(name) ?? undefined,
        headers: Object.fromEntries(response.headers),
        bytes: chunksOf(reader),
        close(isWhole) {
          unlink()
          if (isWhole) void readToEnd(reader, controller)
          else controller.abort()
        },
      }
    },
  }
}

/** Of a name that is written in two ways, the later one counts: `fetch` would send both. */
function toHeaders(fields: Readonly<Record<string, string>>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(fields)) headers.set(name, value)
  return headers
}

type BytesReader = ReadableStreamDefaultReader<Uint8Array> | undefined

async function* chunksOf(reader: BytesReader): AsyncGenerator<Uint8Array> {
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read())
    yield read.value
}

/** Reads what follows a whole reply, so that the connection can be used again, but does not wait for long. */
async function readToEnd(reader: BytesReader, controller: AbortController): Promise<void> {
  const late = setTimeout(() => controller.abort(), longestEnd)
  try {
    for await (const _ of chunksOf(reader));
  } catch {
    // The reply was whole.
  } finally {
    clearTimeout(late)
  }
}

const longestEnd = 1000
