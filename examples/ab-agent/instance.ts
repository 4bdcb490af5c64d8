/**
 * One server process. run.ts starts two of them. Neither remembers anything from one request to the next: what it needs is
 * in the request, or in the log that both share.
 */
import { serve } from '@hono/node-server'
import { convertToModelMessages, safeValidateUIMessages, type UIMessage } from 'ai'
import { createChat, createUIChatHandler, toUIMessageStreamResponse } from 'throughline/chat'
import { StoreError } from 'throughline/stores'
import { z } from 'zod'
import { agent, openModel } from './agent.ts'
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

/** In your application: the user who is logged in, and the project of the user. Never taken from the request's body. */
const user = () => 'demo'
const projectId = 'demo-shop'

/** The instance, in the message's metadata: the page shows it. */
const messageMetadata = { instance: number, pid: process.pid, model: model.name }

/** The database has the conversation: the handler does the rest. The page sends only the new message. */
async function answerStored(request: Request): Promise<Response> {
  const { history, done } = await openHistory()
  // The other instance may need the file of the log: a reply whose reader has left is not waited for.
  const chat = createUIChatHandler({
    ...{ ...agent, model, history, user, messageMetadata, lingerMs: 0 },
    perRequest: () => ({ projectId }),
  })
  try {
    return await chat(request)
  } finally {
    void chat.idle().then(done)
  }
}

/** The browser has sent the whole conversation, and gets what is new. Nothing is stored. */
async function answerCarried(request: Request): Promise<Response> {
  const body = bodySchema.safeParse(await request.json().catch(() => undefined))
  if (!body.success) return new Response(z.prettifyError(body.error), { status: 400 })
  const messages = await safeValidateUIMessages<UIMessage>({ messages: body.data.messages })
  if (!messages.success) return new Response(messages.error.message, { status: 400 })
  const conversation = await convertToModelMessages(messages.data, {
    ignoreIncompleteToolCalls: true,
  })
  const reply = createChat({ ...agent, model }).respond(conversation, { projectId })
  return toUIMessageStreamResponse(reply, { messageMetadata })
}

const bodySchema = z.object({ messages: z.array(z.unknown()).min(1).max(1000) })

async function handle(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  try {
    if (pathname === '/api/carried' && request.method === 'POST')
      return await answerCarried(request)
    return await answerStored(request)
  } catch (error) {
    const isBusy = error instanceof StoreError && error.code === 'store_locked'
    if (!isBusy) console.error(error)
    const text = isBusy
      ? 'The log is busy with another answer: try again.'
      : 'Something went wrong.'
    return new Response(text, { status: isBusy ? 503 : 500 })
  }
}

/** The front is told the port, and passes requests on. When the front is gone, so is this process. */
serve({ fetch: handle, hostname: '127.0.0.1', port: 0 }, ({ port }) => process.send?.({ port }))
process.on('disconnect', () => process.exit())
