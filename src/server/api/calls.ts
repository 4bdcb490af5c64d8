import { z } from 'zod'
import {
  endOf,
  isRun,
  leadOf,
  type Plan,
  placesIn,
  predictedIn,
  readPlan,
  roomOf,
} from '../../history/calls/plan.ts'
import type { Thread, ThreadCall } from '../../history/index.ts'
import { placeInLog, seqInReceipt } from '../../history/log/places-in-log.ts'
import { present } from '../../log/present.ts'
import type { Head } from '../../stores/store.ts'
import { inCounts, partsInModel, toModelTokens } from '../../tokens/calibration.ts'
import { notFound } from './api-error.ts'
import { threadOf } from './find-thread.ts'
import { factorField, toldFactor, toRowFigures } from './model-tokens.ts'
import { type Call, defineRoute, type Told } from './route.ts'
import { count, inConversation, limitOf, message, name, threadFields, time } from './schemas.ts'
import { rowsField, rowsOfPlan, sentRow, textsField, withoutTexts } from './sent-rows.ts'
import { planStretches } from './timeline/fate-runs.ts'

/** How a call went; `interrupted` if its process died. */
export const callStatus = z.enum(['sent', 'completed', 'failed', 'cancelled', 'interrupted'])

export const call = z.object({
  id: name,
  turn: count,
  time,
  model: z.string(),
  status: callStatus,
  error: z.string().optional(),
  predicted: count.describe('the tokens of the prompt as we counted them, calibrated'),
  reported: z.number().optional().describe('the tokens that the provider says it read'),
  window: count.describe('as it was set'),
  reserve: count,
  factor: factorField,
  policy: z.string(),
  counter: z.string(),
  warnings: z
    .array(z.string())
    .describe('codes: `prompt_truncated`, `trimmed`, `over`, or that of the error of a failed call'),
})

/** What was sent in a call, in its compact form. */
const plan = z.object({
  messages: z
    .array(z.union([z.tuple([z.int(), z.int()]), z.looseObject({})]))
    .describe('entries in a row, by their first and last place, and messages that are no entries'),
  parts: z.record(z.string(), z.number()),
  verdicts: z.array(z.array(z.string())).describe('[fate, rule, why]'),
  fates: z
    .array(z.tuple([z.int(), z.int(), z.int()]))
    .describe('[first, last, verdict] of all that was not sent as it is; places as in `stretches`'),
})

const inCall = inConversation.extend({ call: name })

/** The model calls of a thread, with what was sent. */
export const callRoutes = [
  defineRoute({
    method: 'get',
    path: '/conversations/:conversation/calls',
    scope: 'inspect',
    summary: 'Lists model calls, newest first, also those that failed or were cancelled.',
    params: inConversation,
    query: z.strictObject({
      ...threadFields,
      limit: limitOf(100, 5000),
      plans: z.boolean().optional().describe('whether each call has its plan: the fates of all entries'),
    }),
    kind: 'json',
    answer: z.object({ calls: z.array(call.extend({ plan: plan.optional() })) }),
    async handle(given) {
      const { limit = 100, plans = false } = given.query
      const calls = await (await threadOf(given)).calls({ limit })
      return { calls: calls.map(one => ({ ...toCall(one), ...(plans && { plan: toPlanAnswer(one) }) })) }
    },
  }),
  defineRoute({
    method: 'get',
    path: '/conversations/:conversation/calls/:call',
    scope: 'inspect',
    summary: 'Shows one call with the messages that the model was sent, byte for byte.',
    params: inCall,
    query: z.strictObject({ ...threadFields, rows: rowsField, texts: textsField }),
    kind: 'json',
    answer: call.extend({
      plan,
      messages: z.array(message),
      rows: z.array(sentRow).optional().describe('the messages with their parts, tokens and entries'),
    }),
    async handle(given) {
      const thread = await threadOf(given)
      const found = await findCall(given, thread, given.params.call)
      const messages = await thread.replay(found)
      const { rows: isWithRows = false, texts = true } = given.query
      const told = toPlanAnswer(found)
      const answer = {
        ...toCall(found),
        plan: texts ? told : { ...told, messages: told.messages.filter(Array.isArray) },
        messages: texts ? messages : [],
      }
      if (!isWithRows) return answer
      const plan = readPlan(found.plan)
      const counted = rowsOfPlan(plan, messages, planStretches(plan), given.looking.count)
      const rows = toRowFigures(counted, roomOf(plan).factor)
      return { ...answer, rows: texts ? rows : withoutTexts(rows) }
    },
  }),
  defineRoute({
    method: 'get',
    path: '/conversations/:conversation/calls/:call/dump',
    scope: 'inspect',
    summary: 'Prints what the model was sent in one call as plain text.',
    params: inCall,
    query: z.strictObject(threadFields),
    kind: 'text',
    async handle(given) {
      const thread = await threadOf(given)
      return thread.dump(await findCall(given, thread, given.params.call))
    },
  }),
]

/** A call by its id: of a thread, or of the branch that its past is shared with. The newest ones are looked at first. */
export async function findCall(
  { log, looking }: Pick<Call, 'log' | 'looking'>,
  thread: Thread,
  id: string,
): Promise<ThreadCall> {
  const { conversation, actor, branch } = thread.key
  let upTo = Number.POSITIVE_INFINITY
  for (let name: string | undefined = branch; name !== undefined; ) {
    const own: Thread = looking.thread(conversation, { actor, branch: name })
    for (let limit = fewestCalls; ; limit *= 8) {
      const calls = await own.calls({ limit })
      const found = calls.find(one => one.id === id)
      // What another branch did after the fork is not part of this one.
      if (found && endOf(readPlan(found.plan)) <= upTo) return found
      if (found || calls.length < limit) break
    }
    const forkOf: Head['forkOf'] = (await log.store.head(own.key))?.forkOf
    upTo = Math.min(upTo, forkOf?.at ?? 0)
    name = forkOf?.branch
  }
  throw notFound('call', id)
}

const fewestCalls = 64

export function toCall(one: ThreadCall): Told<z.input<typeof call>> {
  const { id, turn, time, model, status, error, reported } = one
  const plan = readPlan(one.plan)
  const { window, reserve, policy, counter } = plan
  const room = roomOf(plan)
  return {
    ...{ id, turn, time, model, status, window, reserve, policy, counter, ...toldFactor(room) },
    predicted: predictedIn(one),
    ...present({ error, reported }),
    warnings: warningsOf(one, plan),
  }
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

/** The parts of what was sent, in the model's tokens. */
export function toParts(plan: Plan): Readonly<Record<string, number>> {
  const { factor } = roomOf(plan)
  return partsInModel(plan.parts, toModelTokens(plan.tokens, factor), factor)
}

/** What was stored about an entry with a call. An entry in none of the stretches was sent as it is. */
export function verdictIn(plan: Plan, entry: number) {
  const seq = seqInReceipt(entry, leadOf(plan))
  const isSent = placesIn({ messages: plan.messages.filter(isRun) }).some(
    ([first, last]) => first <= entry && entry <= last,
  )
  const last = plan.fates.findLast(([from, to]) => from <= seq && seq <= to)
  const [fate = 'kept', rule = 'policy', why = 'sent as it is'] =
    isSent || !last ? [] : (plan.verdicts[last[2]] ?? [])
  return { fate, rule, why }
}

/** Places of fates are those of the receipt: with the system prompt, counted from 0. Here they are those of the log. */
function toPlanAnswer({ plan: text }: ThreadCall): Told<z.input<typeof plan>> {
  const read = readPlan(text)
  const { messages, verdicts, fates } = read
  const lead = leadOf(read)
  return {
    messages: messages,
    parts: toParts(read),
    verdicts,
    fates: fates.map(([first, last, verdict]) => [placeInLog(first, lead), placeInLog(last, lead), verdict]),
  }
}
