import { type Context, Hono } from 'hono'
import { BadRequestError } from '../../../log/bad-request-error.ts'
import { NotFoundError } from '../../../log/not-found-error.ts'
import { replyOfResponse } from '../../adapters/responses/item-id.ts'
import { toResponse } from '../../adapters/responses/to-response.ts'
import type { ServerEnv } from '../../auth/caller.ts'
import { sourceOf } from '../../exchange/inquiry.ts'
import { type FoundReply, findReply, forgetReply, fromKept } from '../../exchange/kept-reply.ts'
import { itemsOf, pageOf, readPageQuery } from './items.ts'

/** The routes below `/v1/responses/{id}`: what becomes of a response after it was sent. */
export function replyRoutes(): Hono<ServerEnv> {
  const routes = new Hono<ServerEnv>()

  routes.get('/:id', async context => {
    if (context.req.query('stream') === 'true')
      throw new BadRequestError('"stream" must be false: a response that is over comes whole', 'stream')
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
  throw new NotFoundError('response_not_found', `Response with id '${id.slice(0, 100)}' not found.`)
}
