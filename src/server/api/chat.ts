import { z } from 'zod'
import { type Chat, type ChatPart, createChat, type Reply } from '../../chat/index.ts'
import { parts as partNames } from '../../context/receipt.ts'
import { mainBranch } from '../../history/log/read-log.ts'
import { present } from '../../log/present.ts'
import { checkFiles } from '../../models/read-media.ts'
import { logOfSpeaker } from '../exchange/asked.ts'
import { checkRoom } from '../exchange/check-room.ts'
import { errorBody, notFound } from './api-error.ts'
import { threadOf } from './find-thread.ts'
import { modelFor } from './forecast.ts'
import { factorField, toFigures } from './model-tokens.ts'
import { type Call, defineRoute, type Told } from './route.ts'
import { count, errorAnswer, message, name, place, threadFields } from './schemas.ts'
import type { ServerEvent } from './server-event.ts'

const inputSchema = z.union([z.string(), message]).describe('a text, or a user message')

/** How a turn is answered; without these, as the server is set up. */
const asking = {
  model: name.optional().describe('a model of the upstream; default: its first one'),
  system: z.string().optional(),
  key: name.optional().describe('an idempotency key: the same again gives the same answer'),
  temperature: z.number().optional(),
  maxTokens: z.int().min(1).optional(),
  seed: z.int().optional(),
  notes: z.boolean().optional().describe('false: no notes in the stream, also for a key that may see them'),
}

const usage = z.object({
  promptTokens: z.number().optional(),
  replyTokens: z.number().optional(),
  cachedTokens: z.number().optional(),
})

/** The parts of a reply as a client gets them. `note` and `context` come only to keys with the scope inspect. */
const replyPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('reply'), id: name.describe('for cancelling') }),
  z.object({ type: z.literal('text-delta'), text: z.string() }),
  z.object({ type: z.literal('thinking-delta'), text: z.string() }),
  z.object({ type: z.literal('tool-call'), id: z.string(), name: z.string(), arguments: z.string() }),
  z.object({
    type: z.literal('tool-result'),
    id: z.string(),
    name: z.string(),
    text: z.string(),
    isError: z.boolean(),
  }),
  z.object({ type: z.literal('note'), text: z.string() }),
  z.object({
    type: z.literal('context'),
    tokens: count,
    window: count,
    free: count,
    policy: z.string(),
    parts: z.record(z.enum(partNames), count),
    factor: factorField,
  }),
  z.object({ type: z.literal('warning'), code: z.string(), message: z.string() }),
  errorAnswer.extend({ type: z.literal('error') }),
  z.object({
    type: z.literal('end'),
    status: z.enum(['completed', 'failed', 'cancelled', 'interrupted', 'open']),
    turn: count.optional(),
    branch: name.optional().describe('a new one after an edit or another try'),
    rounds: count,
    usage,
  }),
])

type ReplyPart = Told<z.input<typeof replyPart>>

/** Turns that the server answers. Closing the stream cancels one. */
export const chatRoutes = [
  defineRoute('post', '/conversations/:conversation/send', {
    scope: 'chat',
    summary:
      'Answers a user message, in a conversation that may be new. Closing the stream cancels the turn.',
    query: threadFields,
    body: { input: inputSchema, ...asking },
    kind: 'events',
    answer: replyPart,
    handle(call) {
      const { input } = call.body
      checkInput(input)
      return answer(
        { call, asked: call.body, input, branch: call.query.branch ?? mainBranch },
        (chat, options) => chat.send(input, { ...options, ...placeOf(call) }),
      )
    },
  }),
  defineRoute('post', '/conversations/:conversation/edit', {
    scope: 'chat',
    summary: 'Answers an edited user message on a new branch. The old branch stays as it is.',
    query: threadFields,
    body: {
      input: inputSchema,
      at: place.describe('the seq of the user message'),
      ...asking,
    },
    kind: 'events',
    answer: replyPart,
    async handle(call) {
      await threadOf(call)
      const { input, at } = call.body
      checkInput(input)
      return answer({ call, asked: call.body, input }, (chat, options) =>
        chat.edit(input, { ...options, ...placeOf(call), at }),
      )
    },
  }),
  defineRoute('post', '/conversations/:conversation/regenerate', {
    scope: 'chat',
    summary: 'Answers a turn once more on a new branch.',
    query: threadFields,
    body: {
      at: place.optional().describe('any entry of the turn; default: the last turn'),
      ...asking,
    },
    kind: 'events',
    answer: replyPart,
    async handle(call) {
      await threadOf(call)
      const { at } = call.body
      return answer({ call, asked: call.body }, (chat, options) =>
        chat.regenerate({ ...options, ...placeOf(call), ...(at !== undefined && { at }) }),
      )
    },
  }),
  defineRoute('post', '/conversations/:conversation/cancel', {
    scope: 'chat',
    summary: 'Cancels what is being answered in a conversation, by any server on the same database.',
    query: {
      actor: name.optional().describe('only in the thread of this actor'),
      branch: name.optional().describe('only on this branch'),
    },
    answer: z.object({
      is: z.enum(['done', 'asked']).describe('asked: another server does it within a second'),
    }),
    async handle({ params: { conversation }, query, log, parts: { cancels } }) {
      const is = await cancels.cancel(log, { conversation, ...query })
      if (!is) throw notFound('reply', conversation)
      return { is }
    },
  }),
  defineRoute('delete', '/replies/:reply', {
    scope: 'chat',
    summary: 'Cancels a reply that this server is giving.',
    kind: 'none',
    handle({ params: { reply }, caller, parts: { cancels } }) {
      if (!cancels.cancelReply(caller, reply)) throw notFound('reply', reply)
      return undefined
    },
  }),
]

/** Refuses a file that nobody can read before the answer begins, so that the refusal has its status. */
function checkInput(input: z.output<typeof inputSchema>): void {
  if (typeof input !== 'string') checkFiles(input, 0)
}

type ThreadCall = Call<
  { readonly conversation: string },
  { readonly actor?: string | undefined; readonly branch?: string | undefined }
>

const placeOf = ({ params: { conversation }, query: { actor, branch } }: ThreadCall) => ({
  conversation,
  ...present({ actor, branch }),
})

type Asked = z.output<z.ZodObject<typeof asking>>

interface ToAnswer {
  readonly call: ThreadCall
  readonly asked: Asked
  /** The user's message, unless it is in the log already. */
  readonly input?: z.output<typeof inputSchema>
  /** Where the reply goes, if that branch is there. */
  readonly branch?: string
}

/** Asks the model of a request. What the client gets of it depends on its scopes. */
async function answer(
  {
    call,
    asked: { model: wanted, system, key, temperature, maxTokens, seed, notes = true },
    input,
    branch,
  }: ToAnswer,
  ask: (chat: Chat, options: { readonly signal: AbortSignal; readonly key?: string }) => Reply,
): Promise<AsyncIterable<ServerEvent<ReplyPart>>> {
  const { parts, caller, signal: left, has, requestId } = call
  const log = logOfSpeaker(call.log, parts.about.person)
  const { newId, runner } = parts
  const { tenant } = caller
  const { conversation } = call.params
  const { actor = 'assistant' } = call.query
  const { name, model, options: own } = await modelFor(call, wanted)
  const settings = present({ temperature, maxTokens, seed })
  const chat = createChat({
    ...present(own),
    ...{ history: log.history, model },
    ...present({ system }),
    settings,
  })
  const { conversation: _, ...place } = placeOf(call)
  const thread = log.history.thread(conversation, place)
  await checkRoom({
    ...{ options: own, model, system, settings, tools: [], signal: left, count: log.history.count },
    messages:
      input === undefined ? [] : [typeof input === 'string' ? { role: 'user', content: input } : input],
    calibration: () => thread.calibration(model.name),
  })
  const id = newId()
  const run = runner.open({ requestId, face: 'api' })
  run.asks(name)
  run.enter(left)
  // Also where nobody ever reads the events.
  left.addEventListener('abort', run.over, { once: true })
  async function* events() {
    run.answersIn({ tenant, conversation, actor, branch, id })
    yield toEvent({ type: 'reply', id })
    for await (const part of run.follow(ask(chat, { signal: run.signal, ...present({ key }) }))) {
      const told = toReplyPart(part, has('inspect'))
      if (told && (notes || told.type !== 'note')) yield toEvent(told)
    }
  }
  return events()
}

const toEvent = (data: ReplyPart): ServerEvent<ReplyPart> => ({ event: data.type, data })

/** Undefined for parts that the client may not see. */
function toReplyPart(part: ChatPart, canInspect: boolean): ReplyPart | undefined {
  switch (part.type) {
    case 'note':
      return canInspect ? part : undefined
    case 'context': {
      if (!canInspect) return undefined
      const { policy } = part.receipt
      const { tokens, window, free, parts, factor } = toFigures(part.receipt, part)
      return { type: 'context', tokens, window, free, policy, parts, ...present({ factor }) }
    }
    case 'error':
      return { type: 'error', ...errorBody(part.error) }
    default:
      return part
  }
}
