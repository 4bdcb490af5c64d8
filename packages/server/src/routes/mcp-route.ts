import { parseBody } from '@throughline/core/fields'
import { createHistory, type Hands, type Thread } from '@throughline/history'
import { shownStore } from '@throughline/history/log'
import type { ServerEnv } from '../auth/caller.ts'
import { manifest } from '../package.ts'
import { bodyOf } from './read-body.ts'
import type { ServerLimits } from './server-parts.ts'

/** Answers a request of the Model Context Protocol. Each stands for itself: there is no session to lose or to steal. */
export async function answerMcp(
  request: Request,
  { log, caller }: ServerEnv['Variables'],
  { maxBodyBytes, json }: ServerLimits,
  handsOf: (thread: Thread) => Hands,
): Promise<Response> {
  if (request.method !== 'POST')
    return Response.json(
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_000, message: 'Only POST: nothing is told unasked.' },
      },
      { status: 405, headers: { allow: 'POST' } },
    )
  const parsedBody = parseBody(await bodyOf(request, Math.min(maxBodyBytes, mostBytes)), json)
  // Loaded with the first request, so that the server starts faster.
  const { WebStandardStreamableHTTPServerTransport } = await import(
    '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
  )
  const { createMcpServer } = await import('../mcp/create-mcp-server.ts')
  const mayInspect = caller.scopes.includes('inspect')
  const { store, tenant } = log
  const { person } = log.history
  const history = mayInspect
    ? log.history
    : createHistory({ store: shownStore(store), tenant, person })
  const server = createMcpServer({
    history,
    version: manifest.version,
    mayInspect,
    handsOf: caller.scopes.includes('chat') ? handsOf : undefined,
  })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  return transport.handleRequest(request, { parsedBody })
}

/** A question is small. */
const mostBytes = 1024 ** 2
