/**
 * One server process. run.ts starts two of them. Neither remembers anything from one request to the next: what it needs is
 * in the request, or in the log that both share.
 */
import { serve } from '@hono/node-server'
import { convertToModelMessages, safeValidateUIMessages, type UIMessage } from 'ai'
import { type Reply, toUIMessageStreamResponse, toUIMessages } from 'throughline/chat'
import { StoreError } from 'throughline/stores'
import { z } from 'zod'
import { createAgent, openModel } from './agent.ts'
import { historyOpener } from './open-history.ts'

const { number, store, ollama, host } = JSON.parse(process.argv[2]!) as InstanceOptions

export interface InstanceOptions {
  readonly number: number
  readonly store: string
  /** The name of a model of Ollama's, and where Ollama is. Without a name, rules answer. */
  readonly ollama?: string | undefined
  readonly host?: string | undefined
}

const model = openModel(ollama, host)
const openHistory = historyOpener(store)

/** In your application: the project of whoever is logged in. Never taken from the request's body. */
const projectId = 'demo-shop'

const bodySchema = z.object({
  /** The conversation. In your application: check that it belongs to whoever is logged in. */
  id: z.string().min(1).max(100),
  keptBy: z.enum(['browser', 'store']),
  messages: z.array(z.unknown()).min(1).max(1000),
})

async function answer(request: Request): Promise<Response> {
  const body = bodySchema.safeParse(await request.json().catch(() => undefined))
  if (!body.success) return new Response(z.prettifyError(body.error), { status: 400 })
  const { id, keptBy } = body.data
  const messages = await safeValidateUIMessages<UIMessage>({ messages: body.data.messages })
  if (!messages.success) return new Response(messages.error.message, { status: 400 })
  return keptBy === 'browser' ? answerCarried(messages.data) : answerStored(id, messages.data.at(-1)!)
}

/** The browser has sent the whole conversation, and gets what is new. Nothing is stored. */
async function answerCarried(messages: UIMessage[]): Promise<Response> {
  const conversation = await convertToModelMessages(messages, { ignoreIncompleteToolCalls: true })
  return stream(createAgent(model).respond(conversation, { projectId }))
}

/** The browser has sent only the new message: the log has the rest. Its id as a key: sent twice, it is answered once. */
async function answerStored(conversation: string, { id: key, parts }: UIMessage): Promise<Response> {
  const text = parts.map(part => (part.type === 'text' ? part.text : '')).join('')
  const { history, done } = await openHistory()
  const reply = createAgent(model, history).send(text, { conversation, key, projectId })
  const over = () => done()
  reply.result().then(over, over)
  return stream(reply)
}

/** The answer for `useChat`, with the instance in the message's metadata: the page shows it. */
const stream = (reply: Reply) =>
  toUIMessageStreamResponse(reply, {
    messageMetadata: { instance: number, pid: process.pid, model: model.name },
  })

/** What the page begins with when it is loaded again. */
async function stored(conversation: string): Promise<Response> {
  const { history, done } = await openHistory()
  try {
    return Response.json(toUIMessages(await history.thread(conversation).display()))
  } finally {
    await done()
  }
}

async function handle(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  const id = searchParams.get('id')
  try {
    if (request.method === 'POST' && pathname === '/api/chat') return await answer(request)
    if (request.method === 'GET' && pathname === '/api/chat' && id) return await stored(id)
    return new Response('Not found', { status: 404 })
  } catch (error) {
    const isBusy = error instanceof StoreError && error.code === 'store_locked'
    if (!isBusy) console.error(error)
    const text = isBusy ? 'The log is busy with another answer: try again.' : 'Something went wrong.'
    return new Response(text, { status: isBusy ? 503 : 500 })
  }
}

/** The front is told the port, and passes requests on. When the front is gone, so is this process. */
serve({ fetch: handle, hostname: '127.0.0.1', port: 0 }, ({ port }) => process.send?.({ port }))
process.on('disconnect', () => process.exit())
