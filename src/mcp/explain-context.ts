import { dump } from '../context/dump.ts'
import { leadOf, predictedIn, readPlan, roomOf } from '../history/calls/plan.ts'
import type { History, Thread, ThreadCall } from '../history/index.ts'
import { stretchInLog } from '../history/log/places-in-log.ts'
import { showValue, ThroughlineError } from '../log/error.ts'
import { cut } from '../log/line.ts'
import { partsInModel, toModelTokens } from '../tokens/calibration.ts'
import { findThread, type NamedThread } from './find-thread.ts'
import { toPage } from './to-page.ts'
import { toTime } from './to-time.ts'

export interface ToExplain extends NamedThread {
  readonly call?: string | undefined
  readonly at?: number | undefined
  readonly window?: number | undefined
  readonly place?: number | undefined
  readonly page: number
}

/** What a model was sent in a call, or would be sent at a place: fates, reasons, tokens, and the text itself. */
export async function explainContext(history: History, given: ToExplain): Promise<string> {
  const { call: id, at, place, page } = given
  const { thread, head } = await findThread(history, given)
  const calls = at === undefined ? await thread.calls({ limit: mostCalls }) : []
  const call = id === undefined ? calls[0] : calls.find(one => one.id === id)
  if (id !== undefined && !call)
    throw new ThroughlineError('no_call', `There is no call ${showValue(id)} among the newest ${mostCalls}.`)
  const account = call ? ofCall(call) : await ofPlace(thread, given)
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
}

/** How many calls of a thread can be asked for. */
const mostCalls = 1000

/** The common fate of messages in a row. */
interface Verdict {
  readonly first: number
  readonly last: number
  readonly fate: string
  readonly rule: string
  readonly why: string
}

interface Account {
  readonly title: string
  readonly totals: string
  /** What was not sent as it is; of two for one message the later one counts. Places of entries. */
  readonly verdicts: readonly Verdict[]
  /** The stretches of entries that were sent as they are. */
  readonly sent: readonly (readonly [first: number, last: number])[]
  readonly text?: string
}

function ofCall(call: ThreadCall): Account {
  const plan = readPlan(call.plan)
  const { messages, verdicts, fates } = plan
  const { factor } = roomOf(plan)
  const tokens = toModelTokens(plan.tokens, factor)
  const lead = leadOf(plan)
  return {
    title: `Call ${describeCall(call)}`,
    totals: describeTotals({ ...plan, tokens, parts: partsInModel(plan.parts, tokens, factor) }),
    verdicts: fates.map(([first, last, verdict]) => {
      const [fate = '', rule = '', why = ''] = verdicts[verdict] ?? []
      return stretchInLog({ first, last, fate, rule, why }, lead)
    }),
    sent: messages.flatMap(item => (Array.isArray(item) ? [item as readonly [number, number]] : [])),
  }
}

async function ofPlace(thread: Thread, { at, window }: ToExplain): Promise<Account> {
  const context = await thread.context({
    ...(at !== undefined && { at }),
    ...(window !== undefined && { window }),
  })
  const { receipt } = context
  const stretches = receipt.stretches.map(stretch => stretchInLog(stretch, 0))
  return {
    title: at === undefined ? 'What a model would be sent now' : `What a model would be sent at #${at}`,
    totals: describeTotals(receipt),
    verdicts: stretches.filter(({ fate }) => fate !== 'kept'),
    sent: stretches.flatMap(({ fate, first, last }) => (fate === 'kept' ? [[first, last] as const] : [])),
    text: dump(context),
  }
}

interface Totals {
  readonly policy: string
  readonly counter: string
  readonly window: number
  readonly reserve: number
  readonly tokens: number
  readonly parts: Readonly<Record<string, number>>
}

function describeTotals({ policy, counter, window, reserve, tokens, parts }: Totals): string {
  const used = Object.entries(parts).flatMap(([part, count]) => (count > 0 ? [`${part} ${count}`] : []))
  return `${tokens} tokens of a window of ${window}, ${reserve} of it reserved for the reply (${used.join(', ')}). Policy ${policy}, counted by ${counter}.`
}

function describeCall(call: ThreadCall): string {
  const { id, turn, time, model, reported, status, error } = call
  const read = reported === undefined ? '' : `, ${reported} reported`
  const outcome = error === undefined ? status : `${status} (${cut(error, 100)})`
  return `${id} of turn ${turn}, ${toTime(time)}, ${cut(model, 100)}: ${predictedIn(call)} tokens${read}, ${outcome}`
}

const placesOf = (first: number, last: number) => (first === last ? `#${first}` : `#${first} to #${last}`)

/** A line for each stretch. What was sent stands last, because it goes before what was said of a whole stretch. */
function toLines({ verdicts, sent }: Account): readonly string[] {
  const lines = verdicts.map(
    ({ first, last, fate, rule, why }) =>
      `- ${placesOf(first, last)} ${fate}: ${cut(why, 200)} (${cut(rule, 100)})`,
  )
  const joined: [number, number][] = []
  for (const [first, last] of sent) {
    const before = joined.at(-1)
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else joined.push([first, last])
  }
  const all = joined.map(([first, last]) => placesOf(first, last)).join(', ')
  return [...lines, `- ${all === '' ? 'nothing' : all} sent as it is`]
}

/** What became of one message. */
function verdictOn({ verdicts, sent }: Account, place: number, head: number): string {
  if (place > head) return `#${place} is not in the thread, whose last place is #${head}.`
  const has = ({ first, last }: Pick<Verdict, 'first' | 'last'>) => first <= place && place <= last
  if (sent.some(([first, last]) => has({ first, last }))) return `#${place} was sent as it is.`
  const found = verdicts.findLast(has)
  return found
    ? `#${place} ${found.fate}: ${found.why} (${found.rule}).`
    : `#${place} came later, or is part of another message: see the text that was sent.`
}
