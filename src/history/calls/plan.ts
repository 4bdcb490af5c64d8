import type { Context } from '../../context/context.ts'
import { ThroughlineError } from '../../log/error.ts'
import type { MessageLike } from '../../log/message.ts'
import { joinText, type KnownTexts, splitText, type TextPart, toKnownTexts } from './plan-text.ts'

/** Consecutive entries, or a message that is no entry, with its text split by `splitText`. */
type PlanItem = Run | Written

/** Consecutive entries: the first and the last place. */
export type Run = readonly [first: number, last: number]

interface Written {
  readonly as: object
  readonly text?: readonly TextPart[]
  /** The name of the stored system prompt that is the message's text. */
  readonly prompt?: string
}

/** How a context is stored with its call: entries never change, so their places are enough. */
export interface Plan {
  readonly version: 1
  readonly messages: readonly PlanItem[]
  readonly tokens: number
  readonly policy: string
  readonly counter: string
  readonly window: number
  readonly reserve: number
  readonly parts: Readonly<Record<string, number>>
  /** The different verdicts: [fate, rule, why]. */
  readonly verdicts: readonly (readonly string[])[]
  /** The stretches of the receipt that were not sent unchanged: [first, last, verdict]. */
  readonly fates: readonly (readonly [number, number, number])[]
}

/** What `toPlan` needs from the log: places of messages, and texts that other messages may quote. */
export interface PlanLog {
  seqOf(message: object): number | undefined
  textsIn(context: Context): ReadonlyMap<number, string>
}

/** `prompt`: the name of the stored system prompt that leads the context, if there is one. */
export function toPlan(context: Context, log: PlanLog, prompt?: string): Plan {
  const { messages, tokens, receipt } = context
  const { policy, counter, window, reserve } = receipt
  const texts = toKnownTexts(log.textsIn(context))
  return {
    version: 1,
    messages: toItems(messages, (message, place) =>
      place === 0 && prompt !== undefined
        ? { as: { ...message, content: '' }, prompt }
        : (log.seqOf(message) ?? toItem(message, texts)),
    ),
    tokens,
    policy,
    counter,
    window,
    reserve,
    parts: Object.fromEntries(Object.entries(receipt.parts).filter(([, part]) => part > 0)),
    ...toFates(receipt.stretches),
  }
}

export function readPlan(text: string): Plan {
  let plan: Partial<Plan> | null = null
  try {
    plan = JSON.parse(text) as Partial<Plan> | null
  } catch {
    // A plan that is not JSON is refused below, like one of an unknown version.
  }
  if (plan?.version !== 1)
    throw unknownPlan(`has the version ${JSON.stringify(plan?.version)}: update throughline.`)
  if (Array.isArray(plan.messages) && plan.messages.every(isItem)) return plan as Plan
  throw unknownPlan('has messages that cannot be read.')
}

function isItem(item: PlanItem | null): boolean {
  if (typeof item !== 'object' || item === null) return false
  if (isRun(item)) return item.length === 2 && item.every(isPlace) && item[0] <= item[1]
  const { as, text = [], prompt = '' } = item
  const isMessage = typeof as === 'object' && as !== null && !Array.isArray(as)
  const isText = Array.isArray(text) && text.every(part => typeof part === 'string' || isPlace(part))
  return isMessage && isText && typeof prompt === 'string'
}

const isPlace = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 1

const unknownPlan = (problem: string) =>
  new ThroughlineError('unknown_plan', `The plan of this call ${problem}`)

export function promptOf({ messages: [first] }: Plan): string | undefined {
  return first && !isRun(first) ? first.prompt : undefined
}

/** The text of the system message that leads a context and is no entry: only that may be stored under a name. */
export function leadingPrompt(
  { messages: [first] }: Context,
  log: Pick<PlanLog, 'seqOf'>,
): string | undefined {
  const isPrompt = first?.role === 'system' && log.seqOf(first) === undefined
  return isPrompt && typeof first.content === 'string' ? first.content : undefined
}

/** The entries that a plan names, as stretches of places. */
export function placesIn({ messages }: Plan): readonly Run[] {
  return messages.flatMap(item =>
    isRun(item)
      ? [item]
      : (item.text ?? []).flatMap(part => (typeof part === 'number' ? [[part, part]] : [])),
  ) as readonly Run[]
}

/** The last entry that a plan names; 0 where it names none. */
export const lastPlaceOf = (plan: Plan): number =>
  placesIn(plan).reduce((most, [, last]) => Math.max(most, last), 0)

export function fromPlan(
  { messages }: Plan,
  messageAt: (seq: number) => MessageLike | undefined,
  prompt = '',
): readonly MessageLike[] {
  const entry = (seq: number): MessageLike => {
    const message = messageAt(seq)
    if (message) return message
    throw unknownPlan(`names entry ${seq}, which is not in the thread.`)
  }
  return messages.flatMap(item => {
    if (isRun(item)) return [...placesOf(item)].map(entry)
    if (item.prompt !== undefined) return { ...item.as, content: prompt } as MessageLike
    if (!item.text) return item.as as MessageLike
    return { ...item.as, content: joinText(item.text, seq => String(entry(seq).content)) } as MessageLike
  })
}

const isRun = (item: PlanItem): item is Run => Array.isArray(item)

function* placesOf([first, last]: Run): Generator<number> {
  for (let seq = first; seq <= last; seq++) yield seq
}

/** Most of a context is consecutive entries, which take two numbers. */
function toItems(
  messages: readonly MessageLike[],
  toOne: (message: MessageLike, place: number) => number | Written,
): readonly PlanItem[] {
  const items: (PlanItem | [number, number])[] = []
  for (const one of messages.map(toOne)) {
    const last = items.at(-1)
    if (typeof one !== 'number') items.push(one)
    else if (Array.isArray(last) && last[1] === one - 1) last[1] = one
    else items.push([one, one])
  }
  return items
}

function toItem(message: MessageLike, texts: KnownTexts): Written {
  const { content } = message
  if (typeof content !== 'string') return { as: message }
  // `content` keeps its place among the fields, so that a replay gives the same bytes.
  return { as: { ...message, content: '' }, text: splitText(content, texts) }
}

/** Lists each verdict once, and the stretches that have it. */
function toFates(stretches: Context['receipt']['stretches']): Pick<Plan, 'verdicts' | 'fates'> {
  const verdicts = new Map<string, number>()
  const fates: [number, number, number][] = []
  for (const { first, last, fate, rule, why } of stretches) {
    if (fate === 'kept') continue
    const text = JSON.stringify([fate, rule, why])
    const verdict = verdicts.get(text) ?? verdicts.size
    verdicts.set(text, verdict)
    const before = fates.at(-1)
    if (before?.[2] === verdict && before[1] === first - 1) before[1] = last
    else fates.push([first, last, verdict])
  }
  return { verdicts: [...verdicts.keys()].map(text => JSON.parse(text) as string[]), fates }
}
