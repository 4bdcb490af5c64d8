import { type Context, Hono } from 'hono'
import { readBody as readFields } from '../../../log/fields.ts'
import { type Adapter, messagesAdapter, responsesAdapter, toTokenCount } from '../../adapters/index.ts'
import type { ServerEnv } from '../../auth/caller.ts'
import { refuseExperiment, refuseInner } from '../../auth/refuse-hidden.ts'
import { requireScope } from '../../auth/require-scope.ts'
import { parseBody } from '../../guard/parse-body.ts'
import { knownClient } from '../../identity/known-client.ts'
import { modelIn } from '../chat-route.ts'
import { passBody } from '../pass-on.ts'
import { readBody } from '../read-body.ts'
import type { ServerParts } from '../server-parts.ts'
import { conversationRoutes } from './conversation-routes.ts'
import { countRequest } from './count-route.ts'
import { replyRoutes } from './reply-routes.ts'

/** What OpenAI's and Anthropic's APIs have beside the routes that answer: stored responses, conversations, counts. */
export function responsesRoutes({ upstreams, newId, now, maxBodyBytes, json }: ServerParts): Hono<ServerEnv> {
  const routes = new Hono<ServerEnv>()
  const mayChat = requireScope('chat')
  const read = async (request: Request) => {
    const bytes = await readBody(request, maxBodyBytes)
    return { bytes, body: bytes.length === 0 ? undefined : parseBody(bytes, json) }
  }

  async function count(context: Context<ServerEnv>, adapter: Adapter, body: unknown, defaults: object) {
    const { raw } = context.req
    const { log, caller } = context.var
    const headers = Object.fromEntries(raw.headers)
    const request = adapter.read({ ...defaults, ...readFields(body ?? {}) }, headers)
    const { keyId } = caller
    const named = knownClient(request, headers)
    refuseInner(named?.actor)
    await refuseExperiment(log, named?.conversation, caller)
    const inquiry = { log, adapter: adapter.name, request, headers, keyId, signal: raw.signal, newId, now }
    return countRequest(inquiry, upstreams)
  }

  /** An upstream of the same form counts what its client wrote; else we do. */
  function counting(path: string, adapter: Adapter, defaults: object, toAnswer: (tokens: number) => object) {
    routes.post(path, mayChat, async context => {
      const { raw } = context.req
      const { bytes, body } = await read(raw)
      const upstream = upstreams.find(modelIn(body))?.upstream
      if (!upstream?.forms?.has(adapter.form))
        return context.json(toAnswer(await count(context, adapter, body, defaults)))
      return passBody(upstream, raw, path, bytes)
    })
  }

  counting('/v1/messages/count_tokens', messagesAdapter, {}, toTokenCount)
  counting('/v1/responses/input_tokens', responsesAdapter, { model: '', input: [] }, tokens => ({
    ...{ object: 'response.input_tokens', input_tokens: tokens },
  }))
  for (const [path, inner] of [
    ['/v1/responses', replyRoutes()],
    ['/v1/conversations', conversationRoutes(async request => (await read(request)).body, newId)],
  ] as const) {
    routes.use(`${path}/*`, mayChat)
    routes.route(path, inner)
  }
  return routes
}
