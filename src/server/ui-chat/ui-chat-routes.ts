import { type Context, Hono } from 'hono'
import { toUIMessages, type UIStoredMessage } from '../../chat/index.ts'
import { createReply } from '../../chat/reply.ts'
import { toChunks, toEvent, uiMessageStreamHeaders } from '../../chat/to-ui-message-stream.ts'
import { present } from '../../log/present.ts'
import { LeaseError } from '../../stores/store-error.ts'
import type { TurnPart, TurnResult } from '../../turn/index.ts'
import type { ServerEnv } from '../auth/caller.ts'
import { requireScope } from '../auth/require-scope.ts'
import { BadRequestError } from '../bad-request-error.ts'
import type { Log } from '../exchange/asked.ts'
import { inPieces } from '../exchange/in-pieces.ts'
import { NotFoundError } from '../not-found-error.ts'
import type { ChatRoute } from '../routes/chat-route.ts'
import { bodyOf } from '../routes/pass-on.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { readUiBody, type UiRequest } from './read-ui-body.ts'
import { createRunningReplies, type RunningReply } from './running-replies.ts'
import { findUiBranch, markUi, newestBranch } from './ui-place.ts'
import { answerUi, toUiTurn } from './ui-turn.ts'

export interface UiChatOptions extends ChatRoute {
  /** How long a reply goes on whose client has left: a page that was loaded again comes back for it. Default 30 s. */
  readonly lingerMs?: number | undefined
}

/** The routes of `useChat`: its default transport finds everything here when its `api` is the address of these routes. */
export function uiChatRoutes(given: UiChatOptions): Hono<ServerEnv> {
  const { maxBodyBytes, parse, unreadMs, keepAliveMs, newId, cancels, lingerMs = 30_000 } = given
  const replies = createRunningReplies({ lingerMs, unreadMs, keepAliveMs })
  const app = new Hono<ServerEnv>()
  const mayChat = requireScope('chat')

  app.post('/', mayChat, async context => {
    const { log, requestId, caller } = context.var
    const { raw: request } = context.req
    const asked = readUiBody(parse(await bodyOf(request, maxBodyBytes), caller.keyId))
    const name = nameOf(log, asked.conversation)
    await untilFree(replies.get(name))
    const branch = await findUiBranch(log, asked, newId)
    const { running, begun } = await start(
      given,
      { log, keyId: caller.keyId, asked, branch, requestId },
      (events, cancel) => replies.start(name, events, cancel),
    )
    const leave = running.join()
    request.signal.addEventListener('abort', leave, { once: true })
    // The answer begins when the model does: before that, a failure has its status.
    const first = await begun
    if (first?.type === 'error') {
      leave()
      throw first.error
    }
    return streamed(running, leave, {
      'x-request-id': requestId,
      'x-throughline-conversation': encodeURIComponent(asked.conversation),
      'x-throughline-branch': encodeURIComponent(branch),
    })
  })

  app.get('/:conversation', requireScope('read'), async context => {
    const { log } = context.var
    const conversation = context.req.param('conversation')
    const branch = context.req.query('branch') ?? (await newestBranch(log, conversation))
    const thread = log.history.thread(conversation, { branch })
    if (!(await log.store.head(thread.key)))
      throw new NotFoundError(
        'no_conversation',
        'There is no such conversation, or no such branch of it.',
        'conversation',
      )
    const messages = toUIMessages(await thread.display())
    return context.json({ conversation, branch, messages: messages.map(one => withBranch(one, branch)) })
  })

  app.get('/:conversation/stream', mayChat, context => {
    const running = replies.get(nameIn(context))
    return running ? streamed(running, running.join()) : context.body(null, 204)
  })

  app.delete('/:conversation/stream', mayChat, async context => {
    const running = replies.get(nameIn(context))
    await running?.cancel()
    if (!running) await cancels.cancel(context.var.log, { conversation: context.req.param('conversation') })
    return context.body(null, 204)
  })

  return app
}

/** A message that goes back says itself where it was answered. */
const withBranch = (message: UIStoredMessage, branch: string) =>
  message.role === 'user' ? message : { ...message, metadata: { branch, usage: {} } }

const nameOf = ({ tenant }: Log, conversation: string) => JSON.stringify([tenant, conversation])

const nameIn = (context: Context<ServerEnv>) =>
  nameOf(context.var.log, context.req.param('conversation') ?? '')

const streamed = (running: RunningReply, leave: () => void, headers: Readonly<Record<string, string>> = {}) =>
  new Response(running.read(leave), { headers: { ...uiMessageStreamHeaders, ...inPieces, ...headers } })

/** How long a message waits for a client that has stopped the reply before: it is gone as soon as its connection is closed. */
const shortPause = 2000

/** Waits until nobody reads the reply that is running, and cancels it: who stops a reply writes the next message at once. */
async function untilFree(running: RunningReply | undefined): Promise<void> {
  if (!running) return
  let late: NodeJS.Timeout | undefined
  const pause = new Promise<void>(resolve => {
    late = setTimeout(resolve, shortPause)
  })
  await Promise.race([running.whenLeft(), pause])
  clearTimeout(late)
  if (running.readers > 0)
    throw new LeaseError(
      'turn_open',
      'A reply in this conversation is still being read: stop it, or wait for it.',
    )
  await running.cancel()
}

interface ToStart {
  readonly log: Log
  readonly keyId: string
  readonly asked: UiRequest
  readonly branch: string
  readonly requestId: string
}

/** Begins a turn, or goes on with one, whose events are kept until it is over. `begun`: the first part that shows how it goes. */
async function start(
  given: UiChatOptions,
  { log, keyId, asked, branch, requestId }: ToStart,
  keep: (events: AsyncIterable<string>, cancel: () => void) => RunningReply,
) {
  const { upstream, gate, cancels, newId, onServed } = given
  const started = performance.now()
  const { conversation, isResults, last } = asked
  const { tenant } = log
  const thread = { tenant, conversation, actor: 'assistant', branch }
  const model = upstream.model(asked.model ?? (await firstModel(upstream)))
  const toAnswer = await toUiTurn(log, thread, asked, given.maxMessages)
  const stop = new AbortController()
  const leave = gate.enter()
  const reply = createReply(stop.signal, work =>
    answerUi(given, { ...toAnswer, log, keyId, thread, model }, work),
  )
  // The client goes on with the message whose tools it has run.
  const messageId = (isResults ? last.id : undefined) ?? newId()
  let tell: (part: TurnPart | undefined) => void = () => {}
  const begun = new Promise<TurnPart | undefined>(resolve => {
    tell = resolve
  })
  const done = cancels.watch(thread, () => stop.abort())

  async function* parts(): AsyncGenerator<TurnPart> {
    let isMarked = false
    let error: TurnResult['error']
    try {
      for await (const part of reply) {
        if (part.type !== 'error' && part.type !== 'end' && !isMarked) {
          isMarked = true
          if (!isResults) await mark(last.id)
        }
        // Before the client knows that the message is whole, it can be found.
        if (part.type === 'end' && isMarked) await mark(messageId)
        if (part.type === 'error') error = part.error
        if (part.type === 'end') tellServed({ ...part, text: '', messages: [], ...present({ error }) })
        if (part.type !== 'context' && part.type !== 'warning') tell(part)
        yield part
      }
    } finally {
      done()
      leave()
      tell(undefined)
    }
  }

  /** A message that cannot be found again is taken for the last one. */
  const mark = (id: string | undefined) => markUi(log, { conversation, branch }, id).catch(() => undefined)

  const tellServed = (result: TurnResult) =>
    onServed?.({
      ...{ requestId, face: 'ui-chat', model: model.name, answered: { result } },
      ms: performance.now() - started,
    })

  async function* events(): AsyncGenerator<string> {
    for await (const chunk of toChunks(parts(), { messageId })) yield toEvent(chunk)
  }

  return { running: keep(events(), () => stop.abort()), begun }
}

async function firstModel(upstream: Upstream): Promise<string> {
  const [first] = await upstream.models()
  if (first) return first.name
  throw new BadRequestError('The upstream has no model: name one as "model" in the body.', 'model')
}
