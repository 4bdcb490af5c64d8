import { joinGiven } from '@throughline/core/context'
import {
  keptVerdict,
  parts,
  type ReceiptCut,
  type ReceiptStretch,
  type Remembered,
  type SentMessage,
} from '@throughline/core/explain'
import { fates } from '@throughline/core/fates'
import { isFactor, type MessageLike, notesTitle } from '@throughline/core/messages'
import { toModelTokens } from '@throughline/core/tokens'
import { isCount, isObject, parseJson } from '@throughline/core/values'
import type { StoredCall } from '@throughline/stores/store'
import { mostQuotes } from '../log/logged-message.ts'
import {
  type ItemAccount,
  isRun,
  type Plan,
  type PlanItem,
  type Run,
  roomOf,
  unknownPlan,
} from './plan.ts'
import { isSentBody } from './sent-body.ts'
import { isShadowAccount } from './shadow-account.ts'

/** Reads the plan of a stored call, which may come from an import. */
export function readPlan(text: string): Plan {
  const plan = parseJson(text) as Partial<Plan> | null | undefined
  if (plan?.version !== 1)
    throw unknownPlan(`has the version ${JSON.stringify(plan?.version)}: update throughline.`)
  if (!Array.isArray(plan.messages) || !plan.messages.every(isItem))
    throw unknownPlan('has messages that cannot be read.')
  if (countPlaces(plan as Plan) > mostPlaces)
    throw unknownPlan(`names more than ${mostPlaces} places.`)
  if (!isAccount(plan)) throw unknownPlan('has an account that cannot be read.')
  return plan as Plan
}

/** Whether all that a plan says beside its messages has its form: it may come from an import. */
function isAccount(plan: Partial<Plan>): boolean {
  const { tokens, window, reserve, policy, counter, margin, reused = 0, toolsSaved = 0 } = plan
  const { cached = 0, cacheLost = '', warnings = [], factor = 1, reply = {} } = plan
  const { parts, verdicts, fates, cut } = plan
  return (
    [tokens, window, reserve, margin, reused, toolsSaved, cached].every(value => isCount(value)) &&
    [policy, counter, cacheLost].every(value => typeof value === 'string') &&
    isFactor(factor) &&
    isObject(reply) &&
    typeof (reply.why ?? '') === 'string' &&
    isCount(reply.most ?? 0) &&
    isObject(parts) &&
    Object.values(parts).every(value => isCount(value)) &&
    isListOf(verdicts, verdict => isListOf(verdict, text => typeof text === 'string')) &&
    isListOf(fates, fate => isListOf(fate, value => isCount(value)) && fate.length === 3) &&
    isListOf(warnings, text => typeof text === 'string') &&
    isObject(plan.settings ?? {}) &&
    (plan.sent === undefined || isSentBody(plan.sent)) &&
    (plan.shadow === undefined || isShadowAccount(plan.shadow)) &&
    isListOf(plan.given ?? [], part => typeof part === 'string' || isRunOf(part, 0)) &&
    (['undefined', 'string'].includes(typeof plan.tools) || Array.isArray(plan.tools)) &&
    (cut === undefined || isCut(cut))
  )
}

const isListOf = <Item>(
  list: readonly Item[] | undefined,
  isOne: (item: Item) => boolean,
): boolean => Array.isArray(list) && list.every(isOne)

const isCut = (cut: Partial<ReceiptCut> | null) =>
  cutFields.every(field => isCount(cut?.[field])) && isCount(cut?.right ?? 0)

const cutFields = ['before', 'at', 'needed', 'limit', 'growth', 'turns', 'recall'] as const

function isItem(item: PlanItem | null): boolean {
  if (typeof item !== 'object' || item === null) return false
  if (isRun(item)) return isRunOf(item, 1) && item.length <= 3 && isPart(item[2] ?? 'history')
  const { as, text = [], prompt = '', joined = [] } = item
  const isText =
    Array.isArray(text) &&
    text.every(
      part => typeof part === 'string' || isCount(part, 1) || isRemembered(part as Remembered),
    )
  return (
    isObject(as) && isText && typeof prompt === 'string' && isSent(item) && isListOf(joined, isSent)
  )
}

function isSent(account: ItemAccount): boolean {
  const { part, tokens, seqs = [], standsFor = [], remembered } = account ?? {}
  return (
    isPart(part) &&
    isCount(tokens) &&
    (remembered === undefined || isRemembered(remembered)) &&
    [seqs, standsFor].every(runs => isListOf(runs, run => isRunOf(run, 0)))
  )
}

const isRemembered = (value: Remembered | null): boolean =>
  isObject(value) &&
  isCount(value.for, 1) &&
  isListOf(value.quotes, place => isCount(place)) &&
  value.quotes.length <= mostQuotes

const isRunOf = (run: Run, least: number): boolean =>
  Array.isArray(run) && [run[0], run[1]].every(place => isCount(place, least)) && run[0] <= run[1]

/** No context names more places. A plan that does would fill the memory. */
const mostPlaces = 1_000_000

function countPlaces({ messages }: Pick<Plan, 'messages'>): number {
  let places = 0
  const add = (runs: readonly Run[] = []) => {
    for (const [first, last] of runs) places += last - first + 1
  }
  for (const item of messages)
    if (isRun(item)) add([item])
    else
      for (const { seqs, standsFor } of [item, ...(item.joined ?? [])])
        [seqs, standsFor].forEach(add)
  return places
}

const isPart = (part: unknown): boolean => parts.some(one => one === part)

/** What is known of a call only after its plan was stored: codes of warnings, what came from a cache, the fields that were sent. */
export type LateAccount = Pick<Plan, 'warnings' | 'cached' | 'cacheLost' | 'sent'>

/** The text of a plan with what came after it was stored. */
export const withLate = (plan: string, late: LateAccount): string =>
  Object.keys(late).length === 0 ? plan : JSON.stringify({ ...readPlan(plan), ...late })

/** The prompt of a call in the model's tokens, as they were predicted. */
export const predictedIn = ({ predicted, plan }: Pick<StoredCall, 'predicted' | 'plan'>): number =>
  toModelTokens(predicted, roomOf(readPlan(plan)).factor)

/** What a plan says of each sent message. `tokensAt`: tokens of unaltered entries, which it has not. */
export function sentIn(
  { messages }: Plan,
  tokensAt = (_place: number) => 0,
): readonly SentMessage[] {
  const sent: SentMessage[] = []
  for (const item of messages) {
    if (isRun(item)) {
      const [, , part = 'history'] = item
      for (const seq of seqsIn([item]))
        sent.push({ part, tokens: tokensAt(sent.length), seqs: [seq], standsFor: [] })
    } else {
      sent.push({ ...toSent(item), joined: item.joined?.map(toSent) })
    }
  }
  return sent
}

const toSent = ({
  seqs = [],
  standsFor = [],
  part,
  tokens,
  remembered,
}: ItemAccount): SentMessage => ({
  part,
  tokens,
  seqs: seqsIn(seqs),
  standsFor: seqsIn(standsFor),
  remembered,
})

function seqsIn(runs: readonly Run[]): readonly number[] {
  const seqs: number[] = []
  for (const [first, last] of runs) for (let seq = first; seq <= last; seq++) seqs.push(seq)
  return seqs
}

/** The fates of all messages, as the stretches of the receipt were. */
export function stretchesOf({
  messages,
  verdicts,
  fates: stored,
  cut,
}: Plan): readonly ReceiptStretch[] {
  const notKept = stored.map(([first, last, verdict]): ReceiptStretch => {
    const [fate, rule = '', why = ''] = verdicts[verdict] ?? []
    return { first, last, fate: fates.find(one => one === fate) ?? 'omitted', rule, why }
  })
  const sent = messages.flatMap(item => {
    const [runs, part] = isRun(item) ? [[item], item[2] ?? 'history'] : [item.seqs ?? [], item.part]
    return runs.flatMap(([first, last]) => {
      const right = Math.min(Math.max(first, cut?.right ?? last + 1), last + 1)
      const earlier = { first, last: right - 1, ...keptVerdict(part) }
      const late = { first: right, last, ...keptVerdict(part, true) }
      return [earlier, late].filter(one => one.first <= one.last)
    })
  })
  const stretches: ReceiptStretch[] = []
  let next = 0
  // What was sent without another fate was kept. An import may say anything: of two fates the first one counts.
  for (const one of [...notKept, ...sent].sort((a, b) => a.first - b.first)) {
    const first = Math.max(next, one.first)
    if (first > one.last) continue
    stretches.push({ ...one, first })
    next = one.last + 1
  }
  return stretches
}

export function hasNotesInPrompt({ messages: [first] }: Plan): boolean {
  if (!first || isRun(first) || (first.as as { readonly role?: unknown }).role !== 'system')
    return false
  return first.joined?.some(({ part }) => part === 'notes') ?? false
}

/** The system prompt that a call was given. `first`: its first message, which may have notes at its end. */
export function givenPrompt(plan: Plan, first: MessageLike | undefined): string | undefined {
  const [item] = plan.messages
  const isPrompt = item && !isRun(item) && item.seqs?.[0]?.[0] === 0 && first?.role === 'system'
  if (!isPrompt || typeof first.content !== 'string') return undefined
  if (plan.given) return joinGiven(plan.given, first.content)
  if (!hasNotesInPrompt(plan)) return first.content
  // The notes are gathered anew. They stand behind an empty line.
  return first.content.slice(0, Math.max(0, first.content.lastIndexOf(`${notesTitle}\n`) - 2))
}
