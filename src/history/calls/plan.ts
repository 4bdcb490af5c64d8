import type { Context } from '../../context/context.ts'
import type { ReceiptCut } from '../../context/receipt.ts'
import { ThroughlineError } from '../../log/error.ts'
import { isCount } from '../../log/is-count.ts'
import type { MessageLike } from '../../log/message.ts'
import { isObject, parseJson } from '../../log/parse-json.ts'
import type { StoredCall } from '../../stores/store.ts'
import { isFactor, type Room, toModelTokens } from '../../tokens/calibration.ts'
import { placeInLog } from '../log/places-in-log.ts'
import type { ThreadLog } from '../log/thread-log.ts'

/** Consecutive entries, or a message that is no entry, with its text split by `splitText`. */
export type PlanItem = Run | Written

/** Consecutive entries: the first and the last place. */
export type Run = readonly [first: number, last: number]

/** A piece of a text: literal words, or the place of an entry whose whole text stands there. */
type TextPart = string | number

interface Written {
  readonly as: object
  readonly text?: readonly TextPart[]
  /** The name of the stored system prompt that is the message's text. */
  readonly prompt?: string
}

/** How a context is stored with its call: entries never change, so their places are enough. */
export interface Plan extends Pick<Context['receipt'], 'policy' | 'counter'> {
  readonly version: 1
  /** As they were set, in the model's tokens. All other tokens of a plan are our counts. */
  readonly window: number
  readonly reserve: number
  /** The calibration of our counts at that time; absent for 1. */
  readonly factor?: number
  readonly messages: readonly PlanItem[]
  readonly tokens: number
  readonly parts: Readonly<Record<string, number>>
  /** The different verdicts: [fate, rule, why]. */
  readonly verdicts: readonly (readonly string[])[]
  /** The stretches of the receipt that were not sent unchanged: [first, last, verdict]. */
  readonly fates: readonly (readonly [number, number, number])[]
  /** How many messages of the receipt stand before the first entry: 1 with a system prompt. Older plans lack it. */
  readonly lead?: number
  /** The tokens that were kept free for an inexact counter. Older plans lack it. */
  readonly margin?: number
  /** Where the conversation was cut, by places of the receipt. */
  readonly cut?: ReceiptCut
  /** The tokens that were the same as in the context before, where that was known. */
  readonly reused?: number
  /** What was wrong with the call although it was answered: codes of warnings. */
  readonly warnings?: readonly string[]
  /** The notes of the notes section: the place of each, and the place of the message before which it was written. */
  readonly notes?: readonly (readonly [entry: number, before: number])[]
  /** The places of user messages that no user wrote. */
  readonly added?: readonly number[]
  /** The tool schemas that were sent, or the name under which they are stored. */
  readonly tools?: readonly unknown[] | string
}

/** `stored`: the names of the stored system prompt that leads the context, and of its tools, if they are stored. */
export function toPlan(
  context: Context,
  log: Pick<ThreadLog, 'seqOf' | 'textsIn' | 'leadOf'>,
  stored: {
    readonly prompt?: string | undefined
    readonly tools?: string | undefined
    readonly room?: Room | undefined
  } = {},
): Plan {
  const { messages, tokens, receipt } = context
  const { prompt, tools = context.tools, room } = stored
  const { policy, counter, margin, cut, prefix } = receipt
  const { window, reserve, factor } = room ?? { ...receipt, factor: 1 }
  const lead = log.leadOf(context)
  const texts = toKnownTexts(log.textsIn(context))
  const added = receipt.inserted
    .filter(({ place, text }) => messages[place]!.role === 'user' && messages[place]!.content === text)
    .map(({ place }) => place)
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
    ...(factor !== 1 && { factor }),
    parts: Object.fromEntries(Object.entries(receipt.parts).filter(([, part]) => part > 0)),
    ...toFates(receipt.stretches),
    ...(lead !== undefined && { lead }),
    margin,
    ...(cut && { cut }),
    ...(prefix && { reused: prefix.tokens }),
    ...(receipt.notes.length > 0 && {
      notes: receipt.notes.map(({ seq, before }) => [placeInLog(seq, lead ?? 0), before] as const),
    }),
    ...(added.length > 0 && { added }),
    ...(tools && { tools }),
  }
}

/** The text of a plan with warnings that came after it was stored. */
export const withWarnings = (plan: string, warnings: readonly string[]): string =>
  JSON.stringify({ ...readPlan(plan), warnings })

export function readPlan(text: string): Plan {
  const plan = parseJson(text) as Partial<Plan> | null | undefined
  if (plan?.version !== 1)
    throw unknownPlan(`has the version ${JSON.stringify(plan?.version)}: update throughline.`)
  if (!Array.isArray(plan.messages) || !plan.messages.every(isItem))
    throw unknownPlan('has messages that cannot be read.')
  if (!isAccount(plan)) throw unknownPlan('has an account that cannot be read.')
  return plan as Plan
}

/** Whether all that a plan says beside its messages has its form: it may come from an import. */
function isAccount({
  parts,
  verdicts,
  fates,
  cut,
  warnings = [],
  notes = [],
  factor = 1,
  ...plan
}: Partial<Plan>): boolean {
  const { tokens, window, reserve, policy, counter, lead = 0, margin = 0, reused = 0, added = [] } = plan
  return (
    [tokens, window, reserve, lead, margin, reused].every(value => isCount(value)) &&
    [policy, counter].every(value => typeof value === 'string') &&
    isFactor(factor) &&
    isObject(parts) &&
    Object.values(parts).every(value => isCount(value)) &&
    isListOf(verdicts, verdict => isListOf(verdict, text => typeof text === 'string')) &&
    isListOf(fates, fate => isListOf(fate, value => isCount(value)) && fate.length === 3) &&
    isListOf(warnings, text => typeof text === 'string') &&
    isListOf(notes, note => isListOf(note, value => isCount(value)) && note.length === 2) &&
    isListOf(added, value => isCount(value)) &&
    (['undefined', 'string'].includes(typeof plan.tools) || Array.isArray(plan.tools)) &&
    (cut === undefined || cutFields.every(field => isCount((cut as Partial<ReceiptCut> | null)?.[field])))
  )
}

const isListOf = <Item>(list: readonly Item[] | undefined, isOne: (item: Item) => boolean): boolean =>
  Array.isArray(list) && list.every(isOne)

const cutFields = ['before', 'at', 'needed', 'limit', 'growth', 'recall'] as const

/** The window and the reserve of a call as they were set, with the calibration of its model. */
export const roomOf = ({ window, reserve, factor = 1 }: Plan): Room => ({ window, reserve, factor })

/** The prompt of a call in the model's tokens, as they were predicted. */
export const predictedIn = ({ predicted, plan }: Pick<StoredCall, 'predicted' | 'plan'>): number =>
  toModelTokens(predicted, roomOf(readPlan(plan)).factor)

/** How many messages of the receipt stand before the first entry. Plans that do not say it are read by their first message. */
export function leadOf({ lead, messages: [first] }: Plan): number {
  if (lead !== undefined) return lead
  return first && !isRun(first) && (first.as as { readonly role?: unknown }).role === 'system' ? 1 : 0
}

function isItem(item: PlanItem | null): boolean {
  if (typeof item !== 'object' || item === null) return false
  if (isRun(item)) return item.length === 2 && item.every(place => isCount(place, 1)) && item[0] <= item[1]
  const { as, text = [], prompt = '' } = item
  const isText = Array.isArray(text) && text.every(part => typeof part === 'string' || isCount(part, 1))
  return isObject(as) && isText && typeof prompt === 'string'
}

const unknownPlan = (problem: string) =>
  new ThroughlineError('unknown_plan', `The plan of this call ${problem}`)

export function promptOf({ messages: [first] }: Plan): string | undefined {
  return first && !isRun(first) ? first.prompt : undefined
}

/** The text of the system message that leads a context and is no entry: only that may be stored under a name. */
export function leadingPrompt(
  { messages: [first] }: Context,
  log: Pick<ThreadLog, 'seqOf'>,
): string | undefined {
  const isPrompt = first?.role === 'system' && log.seqOf(first) === undefined
  return isPrompt && typeof first.content === 'string' ? first.content : undefined
}

/** The entries that a plan names, as stretches of places. */
export function placesIn({ messages }: Pick<Plan, 'messages'>): readonly Run[] {
  return messages.flatMap(item =>
    isRun(item)
      ? [item]
      : (item.text ?? []).flatMap(part => (typeof part === 'number' ? [[part, part]] : [])),
  ) as readonly Run[]
}

/** The last entry that a plan names; 0 where it names none. */
export const lastPlaceOf = (plan: Plan): number =>
  placesIn(plan).reduce((most, [, last]) => Math.max(most, last), 0)

/** The last entry that a context was made of: named as it is, or with its fate. */
export const endOf = (plan: Plan): number =>
  plan.fates.reduce((most, [, last]) => Math.max(most, placeInLog(last, leadOf(plan))), lastPlaceOf(plan))

export function fromPlan(
  { messages }: Pick<Plan, 'messages'>,
  messageAt: (seq: number) => MessageLike | undefined,
  prompt = '',
): readonly MessageLike[] {
  const entry = (seq: number): MessageLike => {
    const message = messageAt(seq)
    if (message) return message
    throw unknownPlan(`names entry ${seq}, which is not in the thread.`)
  }
  function entries([first, last]: Run): readonly MessageLike[] {
    const found: MessageLike[] = []
    for (let seq = first; seq <= last; seq++) found.push(entry(seq))
    return found
  }
  return messages.flatMap(item => {
    if (isRun(item)) return entries(item)
    if (item.prompt !== undefined) return { ...item.as, content: prompt } as MessageLike
    if (!item.text) return item.as as MessageLike
    const texts = item.text.map(part => (typeof part === 'number' ? String(entry(part).content) : part))
    return { ...item.as, content: texts.join('') } as MessageLike
  })
}

export const isRun = (item: PlanItem): item is Run => Array.isArray(item)

/** Puts entries in a row together: most of a context is consecutive entries, which take two numbers. */
export function toItems<Message, Other extends object>(
  messages: readonly Message[],
  toOne: (message: Message, place: number) => number | Other,
): readonly (Run | Other)[] {
  const items: (Run | Other)[] = []
  for (const one of messages.map(toOne)) {
    const last = items.at(-1)
    if (typeof one !== 'number') items.push(one)
    else if (Array.isArray(last) && last[1] === one - 1) items[items.length - 1] = [last[0], one]
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

/** Shorter texts are written out. Texts are looked up by their first `shortest` characters. */
const shortest = 16

/** The texts of entries, by their first characters. */
type KnownTexts = ReadonlyMap<string, readonly (readonly [seq: number, text: string])[]>

function toKnownTexts(entries: ReadonlyMap<number, string>): KnownTexts {
  const known = new Map<string, (readonly [number, string])[]>()
  for (const [seq, text] of entries) {
    if (text.length < shortest) continue
    const beginning = text.slice(0, shortest)
    const same = known.get(beginning) ?? []
    same.push([seq, text])
    known.set(beginning, same)
  }
  // Longest first, so that of two texts that begin alike the longer one is found.
  for (const same of known.values()) same.sort(([a, one], [b, other]) => other.length - one.length || a - b)
  return known
}

/** Splits a text where it quotes entries word for word, as recalled blocks and replies with a note do. */
function splitText(text: string, known: KnownTexts): readonly TextPart[] {
  const parts: TextPart[] = []
  let own = 0
  for (let at = 0; known.size > 0 && at + shortest <= text.length; ) {
    const found = known.get(text.slice(at, at + shortest))?.find(([, entry]) => text.startsWith(entry, at))
    if (!found) {
      at += 1
      continue
    }
    if (at > own) parts.push(text.slice(own, at))
    parts.push(found[0])
    at += found[1].length
    own = at
  }
  if (own < text.length) parts.push(text.slice(own))
  return parts
}
