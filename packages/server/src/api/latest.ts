import { countFates } from '@throughline/core/explain'
import { fates } from '@throughline/core/fates'
import { type Message, readMessage } from '@throughline/core/messages'
import { toModelTokens } from '@throughline/core/tokens'
import { cut, isObject } from '@throughline/core/values'
import { readPlan, roomOf, stretchesOf, type ThreadCall } from '@throughline/history/calls'
import {
  isExperiment,
  isReserved,
  isSideName,
  type LogSource,
  readLog,
} from '@throughline/history/log'
import { titleOf } from '@throughline/history/threads'
import type { ConversationInfo } from '@throughline/stores/store'
import { z } from 'zod'
import { sourceOf } from '../exchange/inquiry.ts'
import { toCall, toParts, call as wholeCall } from './calls.ts'
import type { ApiCall } from './route.ts'
import { count, counted, name, place, status, time } from './schemas.ts'

/** How a request of a client found its conversation. */
const recognised = z.object({
  adapter: z.string().describe('what the client speaks: ollama, openai, messages, responses'),
  client: z.string().optional().describe('the name that it gives itself'),
  kind: z.string().describe('new, extends or branches'),
  why: z.string().describe('how the conversation was recognised; holds no text of it'),
  at: place.describe('the message that it came with'),
  time,
})

const lastCall = wholeCall.extend({
  margin: count,
  parts: z.record(z.string(), count),
  counts: counted(fates).describe('of entries, by their fate'),
  reused: count
    .optional()
    .describe('the tokens that were the same as in the call before, where that was known'),
})

/** Where a conversation stands. */
export const latest = z.object({
  actor: name,
  branch: name,
  entries: count,
  turns: count,
  branches: count.describe('the branches of this actor'),
  status,
  isExperiment: z.boolean().describe('whether its threads are the roles of an experiment'),
  begins: z.string().optional().describe('the first words of the person'),
  said: z
    .object({
      seq: place,
      role: z.string(),
      text: z.string().describe('its beginning'),
      time: time.optional(),
    })
    .optional()
    .describe('the last message that a user may see'),
  owed: z
    .array(name)
    .optional()
    .describe('the tools whose results the client has still to send: the turn waits for them'),
  request: recognised.optional().describe('the last request of a client; needs the scope inspect'),
  call: lastCall.optional().describe('the last call of a model; needs the scope inspect'),
})

/** Reads where a conversation stands: a handful of rows, however long it is. Undefined for one without a thread. */
export async function readLatest(
  { log, looking, has }: ApiCall,
  { conversation, threads }: ConversationInfo,
) {
  const spoken = threads.filter(({ actor, branch }) => !isReserved(actor) && !isSideName(branch))
  const [newest] = (spoken.length > 0 ? spoken : threads).toSorted(
    (a, b) => b.updatedAt - a.updatedAt,
  )
  if (!newest) return undefined
  const { actor, branch, head: entries } = newest
  const thread = looking.thread(conversation, { actor, branch })
  const mayInspect = has('inspect')
  const source = sourceOf(log, thread.key)
  const [head, status, shown, begins, request, [call]] = await Promise.all([
    log.store.head(thread.key),
    thread.status(),
    thread.display({ limit: 4 }),
    titleOf(looking, { conversation, threads }),
    mayInspect ? readRequest(source) : undefined,
    mayInspect ? thread.calls({ limit: 1 }) : [],
  ])
  const owed = status.state === 'interrupted' ? await readOwed(source) : []
  const said = shown.map(({ seq, ...message }) => ({ seq, ...readMessage(message, seq) }))
  const last = said.findLast(({ text }) => text !== '')
  return {
    actor,
    branch,
    entries,
    turns: head?.turns ?? 0,
    status,
    isExperiment: isExperiment({ threads }),
    branches: spoken.filter(one => one.actor === actor).length,
    owed: owed.length > 0 ? owed : undefined,
    begins,
    request,
    said: last && toSaid(last),
    call: call && toLastCall(call),
  }
}

const mostCharacters = 240

const toSaid = ({ seq, role, text, time }: Message & { readonly seq: number }) => ({
  seq,
  role,
  text: cut(text, mostCharacters),
  time,
})

const mostRead = 12

/** The newest request of a client: what the server wrote beside the message that began its turn, however many calls ago. */
async function readRequest(source: LogSource) {
  const newest = await findRequest(source, { limit: mostRead })
  if (newest) return newest
  // Without their texts thousands of entries are read at once.
  for await (const { role, seq } of source.store.entries(source.key, {
    reverse: true,
    limit: mostRounds,
  }))
    if (role === 'user') return findRequest(source, { to: seq, limit: mostRead })
  return undefined
}

const mostRounds = 5000

/** The tools that the newest reply has called and that have no result yet, by their names. */
async function readOwed(source: LogSource): Promise<readonly string[]> {
  const answered = new Set<string>()
  for await (const { reading } of readLog(source, { reverse: true, limit: mostResults })) {
    const { role, calls, results } = reading
    if (role === 'tool') for (const { callId } of results) answered.add(callId ?? '')
    else return calls.filter(({ id = '' }) => !answered.has(id)).map(call => call.name)
  }
  return []
}

const mostResults = 64

async function findRequest(
  source: LogSource,
  range: { readonly to?: number; readonly limit: number },
) {
  for await (const { data, seq, time } of readLog(source, { reverse: true, ...range })) {
    const { request } = (isObject(data) ? data : {}) as { readonly request?: unknown }
    if (!isObject(request)) continue
    const { adapter, client, kind, why } = request as Readonly<Record<string, unknown>>
    return {
      adapter: toText(adapter),
      kind: toText(kind),
      why: toText(why),
      at: seq,
      time,
      client: typeof client === 'string' ? toText(client) : undefined,
    }
  }
  return undefined
}

/** What was imported may hold anything. */
const toText = (value: unknown) => (typeof value === 'string' ? value.slice(0, 1000) : '')

function toLastCall(call: ThreadCall) {
  const plan = readPlan(call.plan)
  const { factor } = roomOf(plan)
  const { margin, reused } = plan
  return {
    ...toCall(call),
    margin: toModelTokens(margin, factor),
    parts: toParts(plan),
    reused: reused === undefined ? undefined : toModelTokens(reused, factor),
    counts: countFates(stretchesOf(plan), 1),
  }
}
