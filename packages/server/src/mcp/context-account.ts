import { dump, type ReceiptStretch } from '@throughline/core/explain'
import {
  isUnknownWindow,
  partsInModel,
  toModelTokens,
  unknownWindowWords,
} from '@throughline/core/tokens'
import { cut } from '@throughline/core/values'
import type { Thread, ThreadCall } from '@throughline/history'
import {
  type Plan,
  predictedIn,
  type Run,
  readPlan,
  roomOf,
  stretchesOf,
  toItems,
} from '@throughline/history/calls'
import { toTime } from './define-mcp-tool.ts'

/** What became of a thread's messages in a context, as data for a text. */
export interface ContextAccount {
  readonly title: string
  readonly totals: string
  readonly stretches: readonly ReceiptStretch[]
  /** What is sent, where the context was made now. */
  readonly text?: string
}

export function accountOfCall(call: ThreadCall): ContextAccount {
  const plan = readPlan(call.plan)
  const { factor } = roomOf(plan)
  const tokens = toModelTokens(plan.tokens, factor)
  return {
    title: `Call ${describeCall(call)}`,
    totals: describeTotals({ ...plan, tokens, parts: partsInModel(plan.parts, tokens, factor) }),
    stretches: stretchesOf(plan),
  }
}

/** The account of a context as it would be made now, or when the message at this place was the last. */
export async function accountOfPlace(
  thread: Thread,
  at?: number,
  window?: number,
): Promise<ContextAccount> {
  const context = await thread.context({ at, ...(window !== undefined && { window }) })
  const { receipt } = context
  return {
    title:
      at === undefined ? 'What a model would be sent now' : `What a model would be sent at #${at}`,
    totals: describeTotals(receipt),
    stretches: receipt.stretches,
    text: dump(context),
  }
}

type Totals = Pick<Plan, 'policy' | 'counter' | 'window' | 'reserve' | 'tokens' | 'parts'>

function describeTotals({ policy, counter, window, reserve, tokens, parts }: Totals): string {
  const used = Object.entries(parts).flatMap(([part, count]) =>
    count > 0 ? [`${part} ${count}`] : [],
  )
  const of = isUnknownWindow(window)
    ? `tokens, ${unknownWindowWords}`
    : `tokens of a window of ${window}, ${reserve} of it reserved for the reply`
  return `${tokens} ${of} (${used.join(', ')}). Policy ${policy}, counted by ${counter}.`
}

export function describeCall(call: ThreadCall): string {
  const { id, turn, time, model, reported, status, error } = call
  const read = reported === undefined ? '' : `, ${reported} reported`
  const outcome = error === undefined ? status : `${status} (${cut(error, 100)})`
  return `${id} of turn ${turn}, ${toTime(time)}, ${cut(model, 100)}: ${predictedIn(call)} tokens${read}, ${outcome}`
}

const placesOf = (first: number, last: number) =>
  first === last ? `#${first}` : `#${first} to #${last}`

/** A line for each stretch that was not sent as it is; what was sent stands last. */
export function accountLines({ stretches }: Pick<ContextAccount, 'stretches'>): readonly string[] {
  const lines = stretches.flatMap(({ first, last, fate, rule, why }) =>
    fate === 'kept'
      ? []
      : [`- ${placesOf(first, last)} ${fate}: ${cut(why, 200)} (${cut(rule, 100)})`],
  )
  const kept = stretches.flatMap(({ first, last, fate }): Run[] =>
    fate === 'kept' ? [[first, last]] : [],
  )
  const all = toItems(kept, run => run).map(([first, last]) => placesOf(first, last))
  return [...lines, `- ${all.join(', ') || 'nothing'} sent as it is`]
}

/** What became of the message at a place, in one sentence. `head`: the last place of the thread. */
export function verdictOn(
  { stretches }: Pick<ContextAccount, 'stretches'>,
  place: number,
  head: number,
): string {
  if (place > head) return `#${place} is not in the thread, whose last place is #${head}.`
  const stretch = stretches.find(({ first, last }) => first <= place && place <= last)
  if (!stretch) return `#${place} came later.`
  const { fate, why, rule } = stretch
  return fate === 'kept' ? `#${place} was sent as it is.` : `#${place} ${fate}: ${why} (${rule}).`
}
