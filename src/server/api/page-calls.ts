import { z } from 'zod'
import type { SentMessage } from '../../context/receipt.ts'
import { sentIn } from '../../history/calls/account-of.ts'
import type { ThreadCall } from '../../history/calls/calls.ts'
import { toThreadCall } from '../../history/calls/calls.ts'
import { endOf, type Plan } from '../../history/calls/plan.ts'
import { readPlan } from '../../history/calls/read-plan.ts'
import { present } from '../../log/present.ts'
import type { Store, ThreadKey } from '../../stores/store.ts'
import { callStatus } from './calls.ts'
import type { Told } from './route.ts'
import { name, place } from './schemas.ts'

/** A call as a page of messages needs it. */
export const pageCall = z.object({
  id: name,
  at: place.describe('the last entry that it was made of; its reply is the next assistant message'),
  model: z.string(),
  status: callStatus,
  error: z.string().optional(),
  recalled: z.array(place).describe('the entries of the newest block of recalled ones'),
  asking: place
    .optional()
    .describe(
      'the user message that they were brought back for: the one that is answered, or an earlier one',
    ),
})

type PageCall = Told<z.input<typeof pageCall>>

/** How many calls are read first. */
const fewest = 64

/** The calls whose contexts end between two entries, oldest first, with those of a shared past; also those that failed. */
export async function callsBetween(
  store: Store,
  key: ThreadKey,
  first: number,
  last: number,
): Promise<readonly PageCall[]> {
  const found: PageCall[][] = []
  let upTo = last
  for (let branch: string | undefined = key.branch; branch !== undefined && upTo >= first; ) {
    const thread: ThreadKey = { ...key, branch }
    const head = await store.head(thread)
    if (!head) break
    const forkedAt = head.forkOf?.at ?? 0
    // What a branch shares is told by the branch that it was forked from.
    found.push((await ownCalls(store, thread, Math.max(first, forkedAt + 1))).filter(({ at }) => at <= upTo))
    upTo = Math.min(upTo, forkedAt)
    branch = head.forkOf?.branch
  }
  return found.toReversed().flat()
}

/** The calls of one branch from an entry on, oldest first: more and more of the newest are read. */
async function ownCalls(store: Store, key: ThreadKey, first: number): Promise<readonly PageCall[]> {
  const head = (await store.head(key)) ?? {}
  for (let limit = fewest; ; limit *= 8) {
    const calls = await store.calls(key, { limit })
    const read = calls.map(call => toPageCall(toThreadCall(call, head)))
    const isEnough = calls.length < limit || (read.at(-1)?.at ?? 0) < first
    if (isEnough) return read.filter(({ at }) => at >= first).reverse()
  }
}

function toPageCall({ id, model, status, error, plan: text }: ThreadCall): PageCall {
  const plan = readPlan(text)
  return { id, at: endOf(plan), model, status, ...present({ error }), ...newestBlock(plan) }
}

/** The newest block of recalled entries. It stands before the message that asked for them, or is joined to it. */
function newestBlock(plan: Plan): Pick<PageCall, 'recalled' | 'asking'> {
  const sent = sentIn(plan)
  const blockOf = (one: SentMessage | undefined) =>
    one &&
    [one, ...(one.joined ?? [])].find(({ part, standsFor }) => part === 'recall' && standsFor.length > 0)
  const at = sent.findLastIndex(one => blockOf(one))
  const asking = sent
    .slice(Math.max(0, at))
    .flatMap(({ seqs }) => seqs)
    .find(seq => seq > 0)
  const recalled = [...(blockOf(sent[at])?.standsFor ?? [])]
  return { recalled, ...(recalled.length > 0 && present({ asking })) }
}
