import { readMessage } from '@throughline/core/messages'
import { inCounts, partsInModel, shownWindow, toModelTokens } from '@throughline/core/tokens'
import type { Thread, ThreadCall } from '@throughline/history'
import {
  type Plan,
  predictedIn,
  readPlan,
  roomOf,
  sentIn,
  stretchesOf,
  toolsIn,
} from '@throughline/history/calls'
import { z } from 'zod'
import { notFound } from '../auth/refusals.ts'
import { callsBack } from './calls-back.ts'
import { stretch } from './context-answer.ts'
import { factorField, toldFactor, windowField } from './model-tokens.ts'
import { toRequestBody } from './request-body.ts'
import { type ApiCall, defineRoute, threadOf } from './route.ts'
import { callStatus, count, limitOf, message, name, threadFields, time } from './schemas.ts'
import { sentRow, textsField, toSentRows } from './sent-rows.ts'
import { shadow, toShadow } from './shadow.ts'

export const call = z.object({
  id: name,
  turn: count,
  time,
  model: z.string(),
  status: callStatus,
  error: z.string().optional(),
  predicted: count.describe('the tokens of the prompt as we counted them, calibrated'),
  reported: z.number().optional().describe('the tokens that the provider says it read'),
  reused: count.optional().describe('the tokens that were the same as in the call before'),
  cached: count
    .optional()
    .describe('the tokens that the model server did not read again, where it told'),
  cacheLost: z.string().optional().describe('why these were far fewer, as far as can be told'),
  window: windowField,
  reserve: count,
  reserveWhy: z.string().optional().describe('how the reserve was found; absent where it was set'),
  mostReply: count
    .optional()
    .describe('the most tokens of the reply that the model was asked for; absent without a limit'),
  toolsSaved: count.optional().describe('the tokens that shorter descriptions of tools saved'),
  factor: factorField,
  shadow,
  policy: z.string(),
  counter: z.string(),
  warnings: z
    .array(z.string())
    .describe('codes: `prompt_truncated`, `cache_lost`, `trimmed`, `over`, or that of its error'),
})

const account = {
  parts: z.record(z.string(), z.number()),
  stretches: z.array(stretch),
}

export const callRoutes = [
  defineRoute('get', '/conversations/:conversation/calls', {
    scope: 'inspect',
    summary: 'Lists model calls, newest first, also those that failed or were cancelled.',
    query: {
      ...threadFields,
      limit: limitOf(100, 5000),
      stretches: z
        .boolean()
        .optional()
        .describe('whether each call is told with the fates of all entries'),
    },
    answer: z.object({
      calls: z.array(call.extend(z.object(account).partial().shape)),
      readAhead: z
        .object({ time, outcome: z.enum(['read', 'cancelled', 'failed']), tokens: count })
        .optional()
        .describe('when this server last had the next prompt read before it was asked for'),
    }),
    async handle(apiCall) {
      const { limit, stretches = false } = apiCall.query
      const thread = await threadOf(apiCall)
      const calls = await thread.calls({ limit })
      return {
        calls: calls.map(one => ({ ...toCall(one), ...(stretches && toAccount(one)) })),
        readAhead: apiCall.parts.cache.latest(thread),
      }
    },
  }),
  defineRoute('get', '/conversations/:conversation/calls/:call', {
    scope: 'inspect',
    summary: 'Shows one call: its model, its settings, its tools and the messages that were sent.',
    query: { ...threadFields, texts: textsField },
    answer: call.extend({
      ...account,
      settings: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('how the model was asked to answer'),
      tools: z.array(z.unknown()).optional().describe('the tools that were offered'),
      messages: z.array(message),
      request: z
        .object({
          form: z.string().describe('chat, messages, responses or ollama'),
          isExact: z
            .boolean()
            .describe(
              'whether it is what was sent, value for value; else messages or tools stood there in other words of the same form',
            ),
          body: z.record(z.string(), z.unknown()),
        })
        .optional()
        .describe(
          'the body that a model server was sent; absent where none was asked, and for a shadow',
        ),
      sent: z.array(sentRow).describe('the messages with their parts, tokens and entries'),
    }),
    async handle(apiCall) {
      const thread = await threadOf(apiCall)
      const stored = await findCall(apiCall, thread, apiCall.params.call)
      const messages = await thread.replay(stored)
      const { texts: isWithTexts = true } = apiCall.query
      const plan = readPlan(stored.plan)
      const tokensAt = (place: number) =>
        apiCall.looking.count.message(readMessage(messages[place]!, place))
      const account = toAccount(stored)
      const sent = sentIn(plan, tokensAt)
      const tools = isWithTexts
        ? await toolsIn({ store: apiCall.log.store, key: thread.key }, plan)
        : undefined
      const hasBody = isWithTexts && plan.sent && !plan.shadow
      return {
        ...toCall(stored),
        ...account,
        settings: plan.settings,
        tools,
        request: hasBody ? await toRequestBody(plan.sent, { messages, tools }) : undefined,
        messages: isWithTexts ? messages : [],
        sent: await toSentRows(messages, sent, {
          ...apiCall,
          thread,
          isWithTexts,
          factor: roomOf(plan).factor,
          stretches: account.stretches,
        }),
      }
    },
  }),
  defineRoute('get', '/conversations/:conversation/calls/:call/dump', {
    scope: 'inspect',
    summary: 'Prints what the model was sent in one call as plain text.',
    query: threadFields,
    kind: 'text',
    async handle(apiCall) {
      const thread = await threadOf(apiCall)
      return thread.dump(await findCall(apiCall, thread, apiCall.params.call))
    },
  }),
]

/** A call by its id: of a thread, or of the branch that its past is shared with. */
export async function findCall({ log }: Pick<ApiCall, 'log'>, { key }: Thread, id: string) {
  for await (const call of callsBack(log.store, key)) if (call.id === id) return call
  throw notFound('call', id)
}

export function toCall(one: ThreadCall) {
  const { id, turn, time, model, status, error, reported } = one
  const plan = readPlan(one.plan)
  const { window, reserve, policy, counter, cached, cacheLost, toolsSaved, reused, reply } = plan
  const room = roomOf(plan)
  return {
    id,
    turn,
    time,
    model,
    status,
    reserve,
    policy,
    counter,
    ...toldFactor(room),
    window: shownWindow(window),
    predicted: predictedIn(one),
    toolsSaved: toolsSaved ? toModelTokens(toolsSaved, room.factor) : undefined,
    reused: reused === undefined ? undefined : reusedIn(one, plan, reused),
    error,
    reported,
    cached,
    cacheLost,
    reserveWhy: reply?.why,
    mostReply: reply?.most,
    warnings: warningsOf(one, plan),
    shadow: toShadow(plan),
  }
}

/** What was the same as before, in the tokens that the provider counted. A report may leave out what was cached. */
function reusedIn(one: ThreadCall, plan: Plan, reused: number): number {
  const { cached = 0, tokens } = plan
  // What was reported is of another prompt.
  if (plan.shadow) return toModelTokens(reused, roomOf(plan).factor)
  const { reported = 0 } = one
  const whole = reported > cached ? reported : predictedIn(one)
  return Math.round((whole * reused) / Math.max(1, tokens))
}

/** What is wrong with a call, as far as it was stored. */
function warningsOf({ error }: ThreadCall, plan: Plan): readonly string[] {
  const { warnings = [], margin = 0, tokens, verdicts } = plan
  const { window, reserve } = inCounts(roomOf(plan))
  return [
    ...(error === undefined ? [] : [error]),
    ...warnings,
    ...(verdicts.some(([fate, rule]) => fate === 'altered' && rule === 'trim') ? ['trimmed'] : []),
    ...(tokens > window - reserve - margin ? ['over'] : []),
  ]
}

export function toParts(plan: Plan): Readonly<Record<string, number>> {
  const { factor } = roomOf(plan)
  return partsInModel(plan.parts, toModelTokens(plan.tokens, factor), factor)
}

export function verdictIn(plan: Plan, entry: number) {
  const match = stretchesOf(plan).find(({ first, last }) => first <= entry && entry <= last)
  const { fate, rule, why } = match ?? { fate: 'omitted', rule: plan.policy, why: 'not sent' }
  return { fate, rule, why }
}

function toAccount({ plan: text }: ThreadCall) {
  const plan = readPlan(text)
  return { parts: toParts(plan), stretches: stretchesOf(plan) }
}
