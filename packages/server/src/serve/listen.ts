import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { ThroughlineError } from '@throughline/core/errors'
import { inPieces } from '../exchange/reply-writer.ts'

export async function listen(
  fetch: (request: Request) => Promise<Response>,
  { host, port, requestTimeoutMs }: { host: string; port: number; requestTimeoutMs: number },
) {
  const server = createAdaptorServer({
    fetch: async (request, { outgoing }) =>
      withoutErrors(await fetch(request), () => outgoing.destroy()),
    overrideGlobalObjects: false,
    serverOptions: { connectionsCheckingInterval: Math.min(requestTimeoutMs, 5000) },
  }) as HttpServer
  server.requestTimeout = requestTimeoutMs
  server.headersTimeout = Math.min(requestTimeoutMs, 20_000)
  // Larger headers than these are no client's.
  server.maxHeadersCount = 200
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    const advice =
      code === 'EADDRINUSE' ? ': it is in use, choose another with --port' : ` (${code})`
    throw new ThroughlineError('cannot_listen', `Cannot listen on ${host} port ${port}${advice}.`, {
      cause: error,
    })
  }
  const { address, port: taken, family } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`,
    /** Takes no more requests; cuts off what has not ended after a while. */
    async close(graceMs: number): Promise<void> {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      const late = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearTimeout(late)
    },
  }
}

/** Cuts the connection of a failing stream, so that its client sees it; `@hono/node-server` would send the error's message. */
function withoutErrors(response: Response, cut: () => void): Response {
  const { body, status, headers } = response
  if (!body || headers.get('transfer-encoding') !== inPieces['transfer-encoding']) return response
  const reader = body.getReader()
  // At once, also where the client reads nothing, so that nothing more is asked for.
  reader.closed.catch(cut)
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        } catch {
          controller.close()
        }
      },
      cancel: reason => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return new Response(stream, { status, headers })
}
