import { z } from 'zod'
import { dump } from '../context/dump.ts'
import type { ReceiptStretch } from '../context/receipt.ts'
import { type Plan, type Run, roomOf, toItems } from '../history/calls/plan.ts'
import { predictedIn, readPlan, stretchesOf } from '../history/calls/read-plan.ts'
import type { Thread, ThreadCall } from '../history/index.ts'
import { showValue, ThroughlineError } from '../log/error.ts'
import { cut } from '../log/line.ts'
import { partsInModel, toModelTokens } from '../tokens/calibration.ts'
import { isUnknownWindow, unknownWindowWords } from '../tokens/unknown-window.ts'
import { defineMcpTool, pageField, placeField, threadFields, toPage, toTime } from './define-mcp-tool.ts'
import { findThread } from './find-thread.ts'

const whenLast = 'instead of a call: what a model would be sent when the message at this place was the last'

/** What a model was sent in a call, or would be sent at a place: fates, reasons, tokens, and the text itself. */
export const explainContext = defineMcpTool(
  'explain_context',
  'Explains what a model was sent of a conversation: what was kept, left out or brought back, why, and the tokens; then the text that was sent. By default for the newest model call.',
  {
    ...threadFields,
    call: z.string().max(200).optional().describe('the id of a model call; they are listed at the end'),
    at: placeField.describe(whenLast),
    window: z.int().min(64).max(10_000_000).optional().describe('with at: the window in tokens'),
    place: placeField.describe('only what became of the message at this place, and why'),
    page: pageField,
  },
  async (history, query) => {
    const { call: id, at, window, place, page } = query
    const { thread, head } = await findThread(history, query)
    const calls = at === undefined ? await thread.calls({ limit: mostCalls }) : []
    const call = id === undefined ? calls[0] : calls.find(one => one.id === id)
    if (id !== undefined && !call) {
      const problem = `There is no call ${showValue(id)} among the newest ${mostCalls}.`
      throw new ThroughlineError('no_call', problem)
    }
    const account = call ? ofCall(call) : await ofPlace(thread, at, window)
    if (place !== undefined) return `${account.title}\n\n${verdictOn(account, place, at ?? head)}`
    const text = call ? await thread.dump(call) : account.text!
    const others = calls.slice(0, 10).map(one => `- ${describeCall(one)}`)
    const lines = [
      ...[account.title, account.totals, '', 'What became of the messages, by their places:'],
      ...toLines(account),
      ...['', text],
      ...(others.length > 1 ? ['The newest calls:', ...others] : []),
    ]
    return toPage(lines.join('\n'), page)
  },
)

/** How many calls of a thread can be asked for. */
const mostCalls = 1000

interface Account {
  readonly title: string
  readonly totals: string
  readonly stretches: readonly ReceiptStretch[]
  readonly text?: string
}

function ofCall(call: ThreadCall): Account {
  const plan = readPlan(call.plan)
  const { factor } = roomOf(plan)
  const tokens = toModelTokens(plan.tokens, factor)
  return {
    title: `Call ${describeCall(call)}`,
    totals: describeTotals({ ...plan, tokens, parts: partsInModel(plan.parts, tokens, factor) }),
    stretches: stretchesOf(plan),
  }
}

async function ofPlace(thread: Thread, at?: number, window?: number): Promise<Account> {
  const context = await thread.context({ at, ...(window !== undefined && { window }) })
  const { receipt } = context
  return {
    title: at === undefined ? 'What a model would be sent now' : `What a model would be sent at #${at}`,
    totals: describeTotals(receipt),
    stretches: receipt.stretches,
    text: dump(context),
  }
}

type Totals = Pick<Plan, 'policy' | 'counter' | 'window' | 'reserve' | 'tokens' | 'parts'>

function describeTotals({ policy, counter, window, reserve, tokens, parts }: Totals): string {
  const used = Object.entries(parts).flatMap(([part, count]) => (count > 0 ? [`${part} ${count}`] : []))
  const of = isUnknownWindow(window)
    ? `tokens, ${unknownWindowWords}`
    : `tokens of a window of ${window}, ${reserve} of it reserved for the reply`
  return `${tokens} ${of} (${used.join(', ')}). Policy ${policy}, counted by ${counter}.`
}

function describeCall(call: ThreadCall): string {
  const { id, turn, time, model, reported, status, error } = call
  const read = reported === undefined ? '' : `, ${reported} reported`
  const outcome = error === undefined ? status : `${status} (${cut(error, 100)})`
  return `${id} of turn ${turn}, ${toTime(time)}, ${cut(model, 100)}: ${predictedIn(call)} tokens${read}, ${outcome}`
}

const placesOf = (first: number, last: number) => (first === last ? `#${first}` : `#${first} to #${last}`)

/** A line for each stretch that was not sent as it is; what was sent stands last. */
function toLines({ stretches }: Account): readonly string[] {
  const lines = stretches.flatMap(({ first, last, fate, rule, why }) =>
    fate === 'kept' ? [] : [`- ${placesOf(first, last)} ${fate}: ${cut(why, 200)} (${cut(rule, 100)})`],
  )
  const kept = stretches.flatMap(({ first, last, fate }): Run[] => (fate === 'kept' ? [[first, last]] : []))
  const all = toItems(kept, run => run).map(([first, last]) => placesOf(first, last))
  return [...lines, `- ${all.join(', ') || 'nothing'} sent as it is`]
}

function verdictOn({ stretches }: Account, place: number, head: number): string {
  if (place > head) return `#${place} is not in the thread, whose last place is #${head}.`
  const stretch = stretches.find(({ first, last }) => first <= place && place <= last)
  if (!stretch) return `#${place} came later.`
  const { fate, why, rule } = stretch
  return fate === 'kept' ? `#${place} was sent as it is.` : `#${place} ${fate}: ${why} (${rule}).`
}
