import { checkedCounter } from '@throughline/core/counters'
import { BadRequestError } from '@throughline/core/errors'
import { parseBody, readBody as readFields } from '@throughline/core/fields'
import { type MessageLike, readMessage } from '@throughline/core/messages'
import { createRests, listLog } from '@throughline/history/log'
import {
  type Adapter,
  geminiCountAdapter,
  geminiCountPath,
  messagesAdapter,
  responsesAdapter,
  toGeminiCount,
  toResponse,
  toTokenCount,
} from '@throughline/models/dialects'
import { replyOfResponse, unknownId } from '@throughline/models/ids'
import { type Context, Hono } from 'hono'
import type { ServerEnv } from '../../auth/caller.ts'
import { refuseExperiment, refuseInner, requireScope } from '../../auth/refusals.ts'
import { findPlace } from '../../exchange/find-place.ts'
import { type Inquiry, sourceOf } from '../../exchange/inquiry.ts'
import { type FoundReply, findReply, forgetReply, fromKept } from '../../exchange/kept-reply.ts'
import { knownClient } from '../../identity/known-client.ts'
import type { Upstreams } from '../../upstream/upstreams.ts'
import { modelIn, withAddress } from '../chat-route.ts'
import { passBody } from '../pass-on.ts'
import { readBody } from '../read-body.ts'
import type { ServerParts } from '../server-parts.ts'
import { conversationRoutes } from './conversation-routes.ts'
import { itemsOf, pageOf, readPageQuery } from './items.ts'

/** What the APIs of OpenAI, Anthropic and Google have beside the routes that answer: stored responses, conversations, counts. */
export function responsesRoutes({
  upstreams,
  newId,
  now,
  maxBodyBytes,
  json,
}: ServerParts): Hono<ServerEnv> {
  const routes = new Hono<ServerEnv>()
  const mayChat = requireScope('chat')
  const read = async (request: Request) => {
    const bytes = await readBody(request, maxBodyBytes)
    return { bytes, body: bytes.length === 0 ? undefined : parseBody(bytes, json) }
  }

  async function count(
    context: Context<ServerEnv>,
    adapter: Adapter,
    body: unknown,
    defaults: object,
  ) {
    const { raw } = context.req
    const { log, caller } = context.var
    const headers = Object.fromEntries(raw.headers)
    const request = adapter.read({ ...defaults, ...readFields(body ?? {}) }, headers)
    const { keyId } = caller
    const named = knownClient(request, headers)
    refuseInner(named)
    await refuseExperiment(log, named?.conversation, caller)
    const inquiry = {
      log,
      adapter: adapter.name,
      request,
      headers,
      keyId,
      signal: raw.signal,
      newId,
      now,
    }
    return countRequest(inquiry, upstreams)
  }

  /** An upstream of the same form counts what its client wrote; else we do. */
  function counting(
    path: string,
    adapter: Adapter,
    defaults: object,
    toAnswer: (tokens: number) => object,
  ) {
    routes.post(path, mayChat, async context => {
      const { raw } = context.req
      const { bytes, body: sent } = await read(raw)
      const body = withAddress(sent, adapter, raw)
      const upstream = upstreams.find(modelIn(body))?.upstream
      if (upstream && adapter.form && (await upstream.speaks?.(adapter.form, raw.signal))) {
        const counted = await passBody(upstream, raw, path, bytes)
        // Servers of other makers speak the form and do not count.
        if (counted.status !== 404 && counted.status !== 405) return counted
        await counted.body?.cancel()
      }
      return context.json(toAnswer(await count(context, adapter, body, defaults)))
    })
  }

  counting('/v1/messages/count_tokens', messagesAdapter, {}, toTokenCount)
  counting(geminiCountPath, geminiCountAdapter, {}, toGeminiCount)
  counting('/v1/responses/input_tokens', responsesAdapter, { model: '', input: [] }, tokens => ({
    object: 'response.input_tokens',
    input_tokens: tokens,
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

/** The tokens of a request with the past that it names, before fitting: exact where the upstream counts, else by our own count. */
async function countRequest(inquiry: Inquiry, upstreams: Upstreams): Promise<number> {
  const { request, log, signal } = inquiry
  const { system, tools, model } = request
  const messages = [
    ...(system === undefined ? [] : [{ role: 'system', content: system }]),
    ...(await saidBefore(inquiry)),
  ]
  const exact = await upstreams.count(model, { messages, tools, signal }).catch(() => undefined)
  if (exact !== undefined) return exact
  const count = checkedCounter(log.history.count)
  const rest = createRests()
  let sum = count.tools(tools) + count.prompt
  for (const [at, message] of messages.entries()) {
    const read = readMessage(message, at)
    sum += count.message(read)
    const pause = rest(read.text.length)
    if (pause) await pause
  }
  return sum
}

/** The messages of a request, behind those that it goes on from. */
async function saidBefore(inquiry: Inquiry): Promise<readonly MessageLike[]> {
  const { log, request } = inquiry
  const { previous, conversation } = request.named
  if (previous === undefined && conversation === undefined) return request.messages
  const place = await findPlace(inquiry)
  if (place.kind === 'again') return request.messages
  const key = place.fork?.of ?? place.thread
  const to = place.fork?.at ?? (await log.store.head(key))?.head ?? 0
  const past = await listLog(sourceOf(log, key), { to })
  return [
    ...past.map(({ view }) => view),
    ...place.messages.slice(place.from).map(({ source }) => source),
  ]
}

/** The routes below `/v1/responses/{id}`: what becomes of a response after it was sent. */
function replyRoutes(): Hono<ServerEnv> {
  const routes = new Hono<ServerEnv>()

  routes.get('/:id', async context => {
    if (context.req.query('stream') === 'true')
      throw new BadRequestError(
        '"stream" must be false: a response that is over comes whole',
        'stream',
      )
    const { entry, kept } = await replyOf(context)
    const { start, end } = fromKept(entry, kept)
    return context.json(toResponse(start, end))
  })

  routes.delete('/:id', async context => {
    const reply = await replyOf(context)
    await forgetReply(context.var.log, reply)
    return context.json({ id: context.req.param('id'), object: 'response', deleted: true })
  })

  routes.get('/:id/input_items', async context => {
    const query = readPageQuery(name => context.req.query(name))
    const { thread, entry, kept } = await replyOf(context)
    // What stands in the log before the reply, from the first message of its request on.
    const items = itemsOf(sourceOf(context.var.log, thread), query.order, {
      from: kept.from,
      to: entry.seq - 1,
    })
    return context.json(await pageOf(items, query))
  })

  routes.post('/:id/cancel', async context => {
    await replyOf(context)
    throw new BadRequestError('Cannot cancel a synchronous response.')
  })

  return routes
}

async function replyOf(context: Context<ServerEnv>): Promise<FoundReply> {
  const id = context.req.param('id') ?? ''
  const reply = await findReply(context.var.log, replyOfResponse(id))
  if (reply) return reply
  throw unknownId('Response', id)
}
