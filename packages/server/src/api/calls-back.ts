import type { SentMessage } from '@throughline/core/explain'
import {
  endOf,
  type Plan,
  readPlan,
  sentIn,
  type ThreadCall,
  toThreadCall,
} from '@throughline/history/calls'
import type { Head, Store, ThreadKey } from '@throughline/stores/store'
import { z } from 'zod'
import { type AnswerOf, callStatus, name, place } from './schemas.ts'

/** How many calls of a branch are read first: mostly the newest are wanted. */
const fewestCalls = 64

/** The calls of a branch, newest first, then those of the past that it shares. Each read brings more of them than the last. */
export async function* callsBack(store: Store, key: ThreadKey): AsyncGenerator<ThreadCall> {
  let upTo = Number.POSITIVE_INFINITY
  for (let branch: string | undefined = key.branch; branch !== undefined; ) {
    const thread: ThreadKey = { ...key, branch }
    const head: Head | undefined = await store.head(thread)
    if (!head) return
    // More calls may be stored between two readings.
    const seen = new Set<string>()
    for (let limit = fewestCalls; ; limit *= 8) {
      const calls = await store.calls(thread, { limit })
      for (const call of calls) {
        if (seen.has(call.id)) continue
        seen.add(call.id)
        if (upTo === Number.POSITIVE_INFINITY || endOf(readPlan(call.plan)) <= upTo)
          yield toThreadCall(call, head)
      }
      if (calls.length < limit) break
    }
    upTo = Math.min(upTo, head.forkOf?.at ?? 0)
    branch = head.forkOf?.branch
  }
}

export const pageCall = z.object({
  id: name,
  at: place.describe('the last entry that it was made of; its reply is the next assistant message'),
  model: z.string(),
  status: callStatus,
  error: z.string().optional(),
  recalled: z.array(place).describe('the entries of the newest block of recalled ones'),
  asking: place
    .optional()
    .describe('the user message that they were brought back for, which may be an earlier one'),
})

type PageCall = AnswerOf<typeof pageCall>

/** Reading back stops after this many calls that are too old. */
const mostOlder = 64

/** The calls whose contexts end between two entries, oldest first, with those of a shared past; also those that failed. */
export async function callsBetween(store: Store, key: ThreadKey, first: number, last: number) {
  const calls: PageCall[] = []
  let older = 0
  for await (const one of callsBack(store, key)) {
    const call = toPageCall(one)
    if (call.at < first) older += 1
    else if (call.at <= last) calls.push(call)
    if (older >= mostOlder) break
  }
  return calls.reverse()
}

function toPageCall({ id, model, status, error, plan: text }: ThreadCall): PageCall {
  const plan = readPlan(text)
  return { id, at: endOf(plan), model, status, error, ...newestBlock(plan) }
}

/** The newest block of recalled entries. It stands before the message that asked for them, or is joined to it. */
function newestBlock(plan: Plan): Pick<PageCall, 'recalled' | 'asking'> {
  const sent = sentIn(plan)
  const blockOf = (one: SentMessage | undefined) =>
    one &&
    [one, ...(one.joined ?? [])].find(
      ({ part, standsFor }) => part === 'recall' && standsFor.length > 0,
    )
  const at = sent.findLastIndex(one => blockOf(one))
  const asking = sent
    .slice(Math.max(0, at))
    .flatMap(({ seqs }) => seqs)
    .find(seq => seq > 0)
  const recalled = [...(blockOf(sent[at])?.standsFor ?? [])]
  return { recalled, asking: recalled.length > 0 ? asking : undefined }
}
