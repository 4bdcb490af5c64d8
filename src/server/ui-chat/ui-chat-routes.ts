import { Hono } from 'hono'
import { createReply } from '../../chat/reply.ts'
import { readUIRequest } from '../../chat/ui/read-ui-request.ts'
import { createUIReplies } from '../../chat/ui/ui-replies.ts'
import { BadRequestError } from '../../log/bad-request-error.ts'
import { NotFoundError } from '../../log/not-found-error.ts'
import { present } from '../../log/present.ts'
import type { TurnPart, TurnResult } from '../../turn/index.ts'
import type { ServerEnv } from '../auth/caller.ts'
import { refuseExperiment } from '../auth/refuse-hidden.ts'
import { requireScope } from '../auth/require-scope.ts'
import { inPieces } from '../exchange/in-pieces.ts'
import type { ChatRoute } from '../routes/chat-route.ts'
import { bodyOf } from '../routes/pass-on.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { readUIOptions } from './read-ui-options.ts'
import { answerUI, toUITurn } from './ui-turn.ts'

export interface UIChatRoute extends ChatRoute {
  /** How long a reply goes on whose client has left: a page that was loaded again comes back for it. Default 30 s. */
  readonly lingerMs?: number | undefined
}

/** The routes of `useChat`: its default transport finds everything here when its `api` is the address of these routes. */
export function uiChatRoutes(route: UIChatRoute): Hono<ServerEnv> {
  const { upstream, gate, maxBodyBytes, maxMessages, parse, onServed } = route
  const { newId, cancels, lingerMs, unreadMs, keepAliveMs } = route
  const replies = createUIReplies({
    ...{ cancels, newId, lingerMs, unreadMs, keepAliveMs, headers: inPieces },
  })
  const app = new Hono<ServerEnv>()
  const mayChat = requireScope('chat')

  app.post('/', mayChat, async context => {
    const { log, requestId, caller } = context.var
    const { raw: request } = context.req
    const started = performance.now()
    const body = parse(await bodyOf(request, maxBodyBytes), caller.keyId)
    const asked = readUIRequest(body)
    const chosen = readUIOptions(body)
    await refuseExperiment(log, asked.conversation, caller)
    return replies.answer({
      ...{ history: log.history, asked, signal: request.signal },
      headers: ({ conversation, branch }) => ({
        'x-request-id': requestId,
        'x-throughline-conversation': encodeURIComponent(conversation),
        'x-throughline-branch': encodeURIComponent(branch),
      }),
      async start({ thread, marks, signal }) {
        const model = upstream.model(chosen.model ?? (await firstModel(upstream)))
        const turn = await toUITurn(log, thread, asked, maxMessages)
        const leave = gate.enter()
        const reply = createReply(signal, work =>
          answerUI(route, { ...turn, ...chosen, log, keyId: caller.keyId, thread, marks, model }, work),
        )
        const parts = told(reply, leave, result =>
          onServed?.({
            ...{ requestId, face: 'ui-chat', model: model.name, answered: { result } },
            ms: performance.now() - started,
          }),
        )
        return { parts }
      },
    })
  })

  app.get('/:conversation', requireScope('read'), async context => {
    const { log, caller } = context.var
    const conversation = context.req.param('conversation')
    await refuseExperiment(log, conversation, caller)
    const found = await replies.messages(log.history, conversation, context.req.query('branch'))
    if (found) return context.json(found)
    throw new NotFoundError(
      'no_conversation',
      'There is no such conversation, or no such branch of it.',
      'conversation',
    )
  })

  app.get('/:conversation/stream', mayChat, context =>
    replies.resume(context.var.log.history, context.req.param('conversation')),
  )

  app.delete('/:conversation/stream', mayChat, context =>
    replies.cancel(context.var.log.history, context.req.param('conversation')),
  )

  return app
}

/** The parts of a reply. `onEnd` is told the result, without texts; `leave` is called when no more parts come. */
async function* told(
  reply: AsyncIterable<TurnPart>,
  leave: () => void,
  onEnd: (result: TurnResult) => void,
): AsyncGenerator<TurnPart> {
  let error: TurnResult['error']
  try {
    for await (const part of reply) {
      if (part.type === 'error') error = part.error
      if (part.type === 'end') onEnd({ ...part, text: '', messages: [], ...present({ error }) })
      yield part
    }
  } finally {
    leave()
  }
}

async function firstModel(upstream: Upstream): Promise<string> {
  const [first] = await upstream.models()
  if (first) return first.name
  throw new BadRequestError('The upstream has no model: name one as "model" in the body.', 'model')
}
