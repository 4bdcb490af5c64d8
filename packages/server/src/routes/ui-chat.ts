import { createReply, type ReplyWork } from '@throughline/chat/reply'
import { notesInReply, type TurnPart } from '@throughline/chat/turn'
import {
  createCallNames,
  createUIReplies,
  type EarlierMessage,
  markEarlier,
  readUIRequest,
  type UIRequest,
} from '@throughline/chat/ui'
import { BadRequestError, NotFoundError } from '@throughline/core/errors'
import { read } from '@throughline/core/fields'
import type { MessageLike } from '@throughline/core/messages'
import { shownArguments } from '@throughline/core/notes'
import { listLog, withRests } from '@throughline/history/log'
import { toToolSpec } from '@throughline/models/dialects'
import type { Model, ReplyCall, ToolSpec } from '@throughline/models/model'
import type { ThreadKey } from '@throughline/stores/store'
import { Hono } from 'hono'
import type { ServerEnv } from '../auth/caller.ts'
import { refuseExperiment, refuseInner, refuseOthers, requireScope } from '../auth/refusals.ts'
import { answer, orLeave } from '../exchange/answer.ts'
import { checkPlace } from '../exchange/check-room.ts'
import {
  type Inquiry,
  type Log,
  type LogPlace,
  logOfSpeaker,
  placeByName,
  sourceOf,
} from '../exchange/inquiry.ts'
import { withoutPatience, withPatience } from '../exchange/patient-store.ts'
import { inPieces, placeHeaders } from '../exchange/reply-writer.ts'
import { takePlace } from '../exchange/take-place.ts'
import { clientMessages } from '../identity/client-message.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import { bodyOf } from './read-body.ts'
import type { ServerParts } from './server-parts.ts'

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
    refuseInner(uiRequest)
    await refuseExperiment(log, uiRequest.conversation, caller)
    return withPatience(route.storeWaitMs, () =>
      replies.answer({
        history: log.history,
        uiRequest,
        signal: request.signal,
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
      }),
    )
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

/** What a client of the server may choose, beside what `useChat` sends. By default its model is the first of the upstream. */
export function readUIOptions(value: unknown) {
  const { model, system, tools } = read.body(value)
  return {
    model: read.optional(model, 'model', read.text),
    system: read.optional(system, 'system', read.text),
    tools: readUITools(tools),
  }
}

/** Tools as `{ name, description, parameters }`, or as OpenAI writes them. */
const readUITools = (value: unknown): readonly ToolSpec[] =>
  read.each(value, 'tools', (fields, where) => {
    if (fields.function !== undefined)
      return toToolSpec(read.fields(fields.function, `${where}.function`), `${where}.function`)
    return toToolSpec(
      fields,
      where,
      fields.inputSchema === undefined ? 'parameters' : 'inputSchema',
    )
  })

/** What a request brings to its thread. */
interface UITurn {
  readonly kind: LogPlace['kind']
  readonly messages: readonly MessageLike[]
  /** What the client has said before, where the log has nothing of it. */
  readonly earlier: readonly EarlierMessage[]
}

/** What a request brings: results for waiting calls, or the user's message, in a new conversation behind all that was said. */
export async function toUITurn(
  log: Log,
  thread: ThreadKey,
  uiRequest: UIRequest,
  maxMessages: number,
): Promise<UITurn> {
  const { messages, isResults } = uiRequest
  if (isResults) {
    const waiting = await waitingCalls(log, thread)
    const wanted = messages.flatMap(message => {
      const id = waiting.get(String(message.tool_call_id))
      return id === undefined ? [] : [{ ...message, tool_call_id: id }]
    })
    if (wanted.length === 0)
      throw new BadRequestError(
        'No call waits for these results: the turn has ended without them.',
        'messages',
      )
    return { kind: 'extends', messages: wanted, earlier: [] }
  }
  if (await log.store.head(thread)) return { kind: 'extends', messages, earlier: [] }
  const earlier = uiRequest.earlier()
  const all = [...earlier.flatMap(one => one.messages), ...messages]
  if (all.length > maxMessages)
    throw new BadRequestError(
      `A request may have ${maxMessages} messages: see "maxMessages".`,
      'messages',
    )
  return { kind: 'new', messages: all, earlier }
}

/** The ids of the calls of the open turn that have no result, by the names that the client has for them. */
async function waitingCalls(log: Log, thread: ThreadKey): Promise<ReadonlyMap<string, string>> {
  const nameOf = createCallNames()
  const names = new Map<string, string>()
  const waiting = new Map<string, string>()
  const { open } = (await log.store.head(thread)) ?? {}
  if (!open) return waiting
  for (const { reading } of await listLog(sourceOf(log, thread), { from: open.first })) {
    const { calls, results } = reading
    for (const { id } of calls) {
      if (id === undefined) continue
      names.set(id, nameOf(id))
      waiting.set(names.get(id)!, id)
    }
    for (const { callId = '' } of results) waiting.delete(names.get(callId) ?? '')
  }
  return waiting
}

interface UITurnTask extends UITurn, Omit<ReturnType<typeof readUIOptions>, 'model'> {
  readonly log: Log
  readonly keyId: string
  readonly thread: ThreadKey
  readonly marks: readonly string[]
  readonly upstream: Upstream
  readonly model: Model
}

/** Answers a turn. Its calls are the client's: they are told at its end, and it stays open for their results. */
export async function answerUI(
  { options, cache, newId, now }: ServerParts,
  {
    kind,
    messages,
    earlier,
    system,
    tools,
    log,
    keyId,
    thread,
    marks,
    upstream,
    model,
  }: UITurnTask,
  { emit, settle, signal }: ReplyWork,
): Promise<void> {
  const inquiry: Inquiry = {
    log,
    keyId,
    signal,
    newId,
    now,
    adapter: 'ui-chat',
    headers: {},
    request: {
      model: model.name,
      messages,
      system,
      tools,
      settings: {},
      stream: true,
      named: {},
      hints: {},
    },
  }
  const place = placeByName({
    ...{ kind, thread, marks, why: 'named by useChat' },
    messages: clientMessages(messages),
  })
  await checkPlace(inquiry, place, { options, model })
  const opened = await takePlace(inquiry, place)
  const notes = await orLeave(opened, async () => {
    await markEarlier(log.history, thread, earlier)
    return notesInReply(options, opened.thread)
  })
  const nameOf = createCallNames()
  for (const { reading } of opened.logged ?? [])
    for (const { id } of reading.calls) if (id !== undefined) nameOf(id)
  let calls: readonly ReplyCall[] = []
  const emitWithCalls = async (part: TurnPart) => {
    if (part.type === 'end' && part.status === 'open')
      for (const { id, name, arguments: json } of calls)
        await emit({
          type: 'tool-call',
          id: nameOf(id),
          name,
          arguments: notes ? shownArguments(json) : json,
        })
    await emit(part)
  }
  const cached = cache.open({
    upstream,
    model,
    history: log.history,
    thread: opened.thread,
    isSide: false,
  })
  const { result } = await withoutPatience(() =>
    answer(inquiry, opened, {
      model,
      options,
      cached,
      emit: emitWithCalls,
      dataOf(reply) {
        calls = reply.calls
        return undefined
      },
    }),
  )
  settle(result)
}
