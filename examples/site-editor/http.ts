/** The few things that both servers need of HTTP. Both listen on this machine only. */
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Listening {
  readonly port: number
  close(): Promise<void>
}

export async function listen(answer: Answer, port: number): Promise<Listening> {
  const server = createServer(guarded(answer))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

export type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
) => Promise<void>

/** Answers only those who know this machine by its own name: another name may be that of a foreign page, led here by its DNS. */
function guarded(answer: Answer): RequestListener {
  return (request, response) => {
    const isOurs = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(request.headers.host ?? '')
    if (!isOurs) return send(response, 421, 'This is another host.')
    const path = (request.url ?? '/').split('?', 1)[0]!
    answer(request, response, path).catch(error => {
      console.error(error)
      if (response.headersSent) response.destroy()
      else send(response, 500, 'Something went wrong: see the terminal.')
    })
  }
}

export function send(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...headers,
  })
  response.end(body)
}

/** The type of a file by its ending. What is unknown is shown as text. */
export function typeOf(path: string): string {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  return types[ending] ?? 'text/plain; charset=utf-8'
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  ico: 'image/x-icon',
}
