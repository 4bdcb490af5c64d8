import { type Chat, type ChatPart, createChat, type Reply } from '@throughline/chat'
import { nextContext, readThread, setUpAsking } from '@throughline/chat/turn'
import { parts as partNames } from '@throughline/core/explain'
import { shownWindow, toModelTokens } from '@throughline/core/tokens'
import { present } from '@throughline/core/values'
import { readPlan } from '@throughline/history/calls'
import { mainBranch } from '@throughline/history/log'
import { readMedia } from '@throughline/models/model'
import { z } from 'zod'
import { notFound } from '../auth/refusals.ts'
import { checkRoom } from '../exchange/check-room.ts'
import { logOfSpeaker } from '../exchange/inquiry.ts'
import { errorBody, toFault } from '../to-fault.ts'
import type { ServerEvent } from './event-stream.ts'
import { type FitFields, fitFields, policyOf } from './fit-thread.ts'
import { factorField, toFigures, windowField } from './model-tokens.ts'
import { type ApiCall, defineRoute, type ThreadRequest, threadOf } from './route.ts'
import { type AnswerOf, count, errorAnswer, message, name, place, threadFields } from './schemas.ts'

const inputSchema = z.union([z.string(), message]).describe('a text, or a user message')

const { window, reserve, policy, effort } = fitFields

/** How a turn is answered; without these, as the server is set up. */
const asking = {
  model: name.optional().describe('a model of the upstream; default: its first one'),
  system: z.string().optional(),
  key: name.optional().describe('an idempotency key: the same again gives the same answer'),
  temperature: z.number().optional(),
  maxTokens: z.int().min(1).optional(),
  seed: z.int().optional(),
  notes: z
    .boolean()
    .optional()
    .describe('false: no notes in the stream, also for a key that may see them'),
}

const tokens = z.number().optional()
const usage = z.object({ promptTokens: tokens, replyTokens: tokens, cachedTokens: tokens })

/** The parts of a reply as a client gets them. `note` and `context` come only to keys with the scope inspect. */
const replyPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('reply'), id: name.describe('for cancelling') }),
  z.object({ type: z.literal('text-delta'), text: z.string() }),
  z.object({ type: z.literal('thinking-delta'), text: z.string() }),
  z.object({
    type: z.literal('tool-call'),
    id: z.string(),
    name: z.string(),
    arguments: z.string(),
  }),
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
    window: windowField,
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

type ReplyPart = AnswerOf<typeof replyPart>

/** Turns that the server answers. Closing the stream cancels one. */
export const chatRoutes = [
  defineRoute('post', '/conversations/:conversation/send', {
    scope: 'chat',
    summary:
      'Answers a user message. The conversation may be new. Closing the stream cancels the turn.',
    query: threadFields,
    body: { input: inputSchema, ...asking },
    kind: 'events',
    answer: replyPart,
    handle: call =>
      answer(call, call.query.branch ?? mainBranch, (chat, options) =>
        chat.send(call.body.input, options),
      ),
  }),
  defineRoute('post', '/conversations/:conversation/edit', {
    scope: 'chat',
    summary: 'Answers an edited user message on a new branch. The old branch stays as it is.',
    query: threadFields,
    body: { input: inputSchema, at: place.describe('the seq of the user message'), ...asking },
    kind: 'events',
    answer: replyPart,
    async handle(call) {
      await threadOf(call)
      const { input, at } = call.body
      return answer(call, undefined, (chat, options) => chat.edit(input, { ...options, at }))
    },
  }),
  defineRoute('post', '/conversations/:conversation/regenerate', {
    scope: 'chat',
    summary: 'Answers a turn once more on a new branch.',
    query: threadFields,
    body: {
      at: place.optional().describe('any entry of the turn; default: the last turn'),
      ...asking,
      window,
      reserve,
      policy,
      effort,
    },
    kind: 'events',
    answer: replyPart,
    async handle(call) {
      await threadOf(call)
      const { at } = call.body
      return answer(call, undefined, (chat, options) => chat.regenerate({ ...options, at }))
    },
  }),
  defineRoute('post', '/conversations/:conversation/cancel', {
    scope: 'chat',
    summary:
      'Cancels what is being answered in a conversation, by any server on the same database.',
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
  defineRoute('post', '/conversations/:conversation/forecast', {
    scope: 'inspect',
    summary: 'Counts what `send` would send, without other conversations. Asks and stores nothing.',
    query: threadFields,
    body: { input: z.string(), model: name.optional() },
    answer: z.object({
      tokens: count.describe("the prompt, in the model's tokens"),
      reused: count.describe('the tokens that are the same as at the beginning of the last call'),
      window: windowField,
    }),
    async handle(call) {
      const { input, model: wanted } = call.body
      const thread = await threadOf(call)
      const { model, options } = await modelFor(call, wanted)
      const asking = await setUpAsking({ ...options, model }, { signal: call.signal, specs: [] })
      const [last] = await thread.calls({ limit: 1 })
      // Another model has read nothing of it.
      const previous =
        last?.model === model.name
          ? {
              messages: await thread.replay(last),
              receipt: { parts: { tools: readPlan(last.plan).parts.tools ?? 0 } },
            }
          : { messages: [] }
      const log = readThread(call.looking, thread)
      // As the log would stamp it: a pause before it changes what is recalled.
      const next = { role: 'user', content: input, time: Date.now() }
      const fitting = {
        ...log,
        context: fit => log.context({ ...fit, next, previous }),
      } satisfies typeof log
      const { context, room } = await nextContext({ ...asking, log: fitting })
      const { tokens, receipt } = context
      const inModel = (count: number) => toModelTokens(count, room.factor)
      return {
        tokens: inModel(tokens),
        reused: inModel(receipt.prefix?.tokens ?? 0),
        window: shownWindow(room.window),
      }
    },
  }),
]

type TurnBody = z.output<z.ZodObject<typeof asking>> &
  Pick<FitFields, 'window' | 'reserve' | 'policy' | 'effort'> & {
    /** The user's message, unless it is in the log already. */
    readonly input?: z.output<typeof inputSchema>
  }

async function modelFor({ parts: { upstreams, options } }: ApiCall, wanted: string | undefined) {
  // The page asks again with the name that the record of the call has.
  const name =
    wanted === undefined ? (await upstreams.models())[0]?.name : upstreams.plainName(wanted)
  if (name === undefined) throw notFound('model', '')
  return {
    name,
    model: upstreams.model(name),
    options: { ...options, ...upstreams.of(name).options },
  }
}

/** Asks the model of a request. The scopes of the client decide what it gets. `branch`: where the reply goes, if that exists. */
async function answer(
  call: ThreadRequest & { readonly body: TurnBody },
  branch: string | undefined,
  ask: (chat: Chat, options: NonNullable<Parameters<Chat['send']>[1]>) => Reply,
): Promise<AsyncIterable<ServerEvent<ReplyPart>>> {
  const { parts, caller, signal: left, has, requestId, query } = call
  const {
    model: wanted,
    system,
    key,
    temperature,
    maxTokens,
    seed,
    notes = true,
    input,
  } = call.body
  const messages =
    input === undefined
      ? []
      : [typeof input === 'string' ? { role: 'user', content: input } : input]
  // A file that cannot be read is refused before the answer begins, so that the refusal has its status.
  for (const message of messages) readMedia(message, 0)
  const { history } = logOfSpeaker(call.log, parts.about.person)
  const { conversation } = call.params
  const { name, model, options: general } = await modelFor(call, wanted)
  const { window = general.window, reserve = general.reserve } = call.body
  const options = { ...general, window, reserve, policy: policyOf(call.body) ?? general.policy }
  const settings = present({ temperature, maxTokens, seed })
  const chat = createChat({ ...options, history, model, system, settings })
  const thread = history.thread(conversation, query)
  await checkRoom({
    options,
    model,
    system,
    settings,
    tools: [],
    signal: left,
    count: history.count,
    messages,
    calibration: () => thread.calibration(model.name),
  })
  const id = parts.newId()
  const run = parts.runner.open({ requestId, adapter: 'api' })
  run.asks(name)
  run.enter(left)
  // Also if the events are never read.
  left.addEventListener('abort', run.over, { once: true })
  async function* events() {
    const { actor = 'assistant' } = query
    run.answersIn({ tenant: caller.tenant, conversation, actor, branch, id })
    yield toEvent({ type: 'reply', id })
    for await (const part of run.follow(
      ask(chat, { ...query, conversation, key, signal: run.signal }),
    )) {
      const shown = toReplyPart(part, has('inspect'))
      if (shown && (notes || shown.type !== 'note')) yield toEvent(shown)
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
      return { type: 'context', tokens, window, free, policy, parts, factor }
    }
    case 'error':
      return { type: 'error', ...errorBody(toFault(part.error)) }
    default:
      return part
  }
}
