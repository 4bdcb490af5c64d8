import { BadRequestError, NotFoundError } from '@throughline/core/errors'
import { type Fields, optional, readBody, readMetadata } from '@throughline/core/fields'
import type { SeenMessage } from '@throughline/history'
import { isExperiment, listLog } from '@throughline/history/log'
import { readInput } from '@throughline/models/dialects'
import { unknownId } from '@throughline/models/ids'
import type { ConversationInfo } from '@throughline/stores/store'
import { type Context, Hono } from 'hono'
import type { ServerEnv } from '../../auth/caller.ts'
import { type Log, sourceOf } from '../../exchange/inquiry.ts'
import { seenFromClient } from '../../exchange/take-place.ts'
import { clientMessages } from '../../identity/client-message.ts'
import { itemsOf, listOf, pageOf, readPageQuery, toItems } from './items.ts'

/** `/v1/conversations`: those made here. Names of other clients' conversations can be guessed, so only our own API lists them. */
export function conversationRoutes(
  bodyOf: (request: Request) => Promise<unknown>,
  newId: () => string,
) {
  const routes = new Hono<ServerEnv>()

  routes.post('/', async context => {
    const { history } = context.var.log
    const body = readBody((await bodyOf(context.req.raw)) ?? {})
    const metadata = optional(body.metadata, 'metadata', readMetadata)
    const messages = body.items === undefined || body.items === null ? [] : readItems(body.items)
    const id = `${prefix}${newId()}`
    await history.thread(id).seed(...messages)
    if (metadata) await history.describe(id, { metadata })
    return context.json(toConversation(await infoOf(context.var.log, id)))
  })

  routes.get('/:id', async context =>
    context.json(toConversation(await infoOf(context.var.log, context.req.param('id')))),
  )

  routes.post('/:id', async context => {
    const [log, id] = await named(context)
    const body = readBody(await bodyOf(context.req.raw))
    const metadata = optional(body.metadata, 'metadata', readMetadata) ?? null
    await log.history.describe(id, { metadata })
    return context.json(toConversation(await infoOf(log, id)))
  })

  routes.delete('/:id', async context => {
    const [log, id] = await named(context)
    await log.history.delete(id)
    return context.json({ id, object: 'conversation.deleted', deleted: true })
  })

  routes.get('/:id/items', async context => {
    const query = readPageQuery(name => context.req.query(name))
    const [log, id] = await named(context)
    return context.json(await pageOf(itemsOf(mainOf(log, id), query.order), query))
  })

  routes.post('/:id/items', async context => {
    const [log, id] = await named(context)
    const messages = readItems(readBody(await bodyOf(context.req.raw)).items)
    const source = mainOf(log, id)
    const head = (await log.store.head(source.key))?.head ?? 0
    await log.history.thread(id).seed(...messages)
    const added = await listLog(source, { from: head + 1, to: head + messages.length })
    return context.json(listOf(added.flatMap(toItems)))
  })

  routes.get('/:id/items/:item', async context => {
    const [log, id] = await named(context)
    for await (const item of itemsOf(mainOf(log, id), 'desc'))
      if (item.id === context.req.param('item')) return context.json(item)
    throw new NotFoundError('item_not_found', 'There is no such item in this conversation.')
  })

  routes.delete('/:id/items/:item', () => {
    throw new BadRequestError(
      'Items of a conversation are never removed one by one: the log keeps all of it. Delete the conversation, or go on from an earlier response with "previous_response_id".',
    )
  })

  return routes
}

/** Begins the names of the conversations that are made here; the rest of a name cannot be guessed. */
const prefix = 'conv_'

/** The log and the name of the conversation that a request is about, which is there. */
async function named({ var: { log }, req }: Context<ServerEnv>): Promise<[Log, string]> {
  const id = req.param('id') ?? ''
  await infoOf(log, id)
  return [log, id]
}

async function infoOf({ history }: Log, id: string): Promise<ConversationInfo> {
  const [info] = id.startsWith(prefix) ? await history.conversations({ only: id }) : []
  // An experiment may have any name.
  if (info && !isExperiment(info)) return info
  throw unknownId('Conversation', id)
}

const toConversation = ({ conversation, createdAt, metadata = {} }: ConversationInfo) => ({
  id: conversation,
  object: 'conversation' as const,
  created_at: Math.floor(createdAt / 1000),
  metadata,
})

const mainOf = (log: Log, conversation: string) =>
  sourceOf(log, { tenant: log.tenant, conversation, actor: 'assistant', branch: 'main' })

function readItems(value: Fields[string]): readonly SeenMessage[] {
  const { system, messages } = readInput(value, '')
  const all = system === undefined ? messages : [{ role: 'system', content: system }, ...messages]
  if (all.length > mostItems)
    throw new BadRequestError(`"items" may hold ${mostItems} items at a time`, 'items')
  return clientMessages(all).map(seenFromClient)
}

/** As at OpenAI a few at a time; a call of a function takes a limited number of arguments. */
const mostItems = 1000
