import { Hono } from 'hono'
import { createReply } from '../../chat/reply.ts'
import { readUIRequest } from '../../chat/ui/read-ui-request.ts'
import { createUIReplies } from '../../chat/ui/ui-replies.ts'
import { withRests } from '../../history/log/rests.ts'
import { BadRequestError, NotFoundError } from '../../log/error.ts'
import type { ServerEnv } from '../auth/caller.ts'
import { refuseExperiment, refuseOthers, requireScope } from '../auth/refusals.ts'
import { logOfSpeaker } from '../exchange/inquiry.ts'
import { inPieces, placeHeaders } from '../exchange/reply-writer.ts'
import { bodyOf } from '../routes/read-body.ts'
import type { ServerParts } from '../routes/server-parts.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import { answerUI, readUIOptions, toUITurn } from './ui-turn.ts'

/** The routes of `useChat`: its default transport finds everything here when its `api` is the address of these routes. */
export function uiChatRoutes(route: ServerParts): Hono<ServerEnv> {
  const { upstreams, runner, maxBodyBytes, maxMessages, parse } = route
  const replies = createUIReplies({ ...route, headers: inPieces })
  const app = new Hono<ServerEnv>()
  const mayChat = requireScope('chat')

  app.post('/', mayChat, async context => {
    const { requestId, caller } = context.var
    const log = logOfSpeaker(context.var.log, route.person)
    const { raw: request } = context.req
    const run = runner.open({ requestId, adapter: 'ui-chat' })
    const body = await withRests(parse(await bodyOf(request, maxBodyBytes), caller.keyId))
    const uiRequest = readUIRequest(body)
    const chosen = readUIOptions(body)
    await refuseExperiment(log, uiRequest.conversation, caller)
    return replies.answer({
      ...{ history: log.history, uiRequest, signal: request.signal },
      headers: thread => placeHeaders(requestId, thread),
      async start({ thread, marks, signal }) {
        const name = chosen.model ?? (await firstModel(upstreams))
        const model = upstreams.model(name)
        const { upstream, options: upstreamOptions } = upstreams.of(name)
        const options = { ...route.options, ...upstreamOptions }
        const turn = await toUITurn(log, thread, uiRequest, maxMessages)
        run.asks(name)
        run.enter()
        const reply = createReply(signal, work =>
          answerUI(
            { ...route, options },
            { ...turn, ...chosen, log, keyId: caller.keyId, thread, marks, upstream, model },
            work,
          ),
        )
        return { parts: run.follow(reply) }
      },
    })
  })

  app.get('/:conversation', requireScope('read'), async context => {
    const { log, caller } = context.var
    const conversation = context.req.param('conversation')
    await refuseExperiment(log, conversation, caller)
    await refuseOthers(log, conversation)
    const messages = await replies.messages(log.history, conversation, context.req.query('branch'))
    if (messages) return context.json(messages)
    throw new NotFoundError(
      'no_conversation',
      'There is no such conversation, or no such branch of it.',
      'conversation',
    )
  })

  const speakerOf = ({ log }: ServerEnv['Variables']) => logOfSpeaker(log, route.person).history
  app.get('/:conversation/stream', mayChat, context =>
    replies.resume(speakerOf(context.var), context.req.param('conversation')),
  )
  app.delete('/:conversation/stream', mayChat, context =>
    replies.cancel(speakerOf(context.var), context.req.param('conversation')),
  )

  return app
}

async function firstModel(upstreams: Upstreams): Promise<string> {
  const [first] = await upstreams.models()
  if (first) return first.name
  throw new BadRequestError('The upstream has no model: name one as "model" in the body.', 'model')
}
