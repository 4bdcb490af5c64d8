import type { Context, GivenPart } from '@throughline/core/context'
import { ThroughlineError } from '@throughline/core/errors'
import type { Part, ReceiptCut, Remembered, SentMessage } from '@throughline/core/explain'
import type { MessageLike } from '@throughline/core/messages'
import type { Room } from '@throughline/core/tokens'
import { groupBy } from '@throughline/core/values'
import type { ThreadLog } from '../log/thread-log.ts'
import type { SentBody } from './sent-body.ts'
import type { ShadowAccount } from './shadow-account.ts'

/** Consecutive entries that were sent as they are, or a message that is written out. */
export type PlanItem = Run | WrittenItem

/** Consecutive places: the first and the last. Of entries that were sent also their part, if it is not `history`. */
export type Run = readonly [first: number, last: number, part?: Part]

/** A `SentMessage` of the receipt, with its places in runs. */
export interface ItemAccount {
  readonly part: Part
  readonly tokens: number
  readonly seqs?: readonly Run[]
  readonly standsFor?: readonly Run[]
  readonly remembered?: Remembered
}

/** A message that is no entry or was altered, with its text split by `splitText`. */
export interface WrittenItem extends ItemAccount {
  readonly as: object
  readonly text?: readonly TextPart[]
  /** The name of the stored system prompt that is the message's text. */
  readonly prompt?: string
  readonly joined?: readonly ItemAccount[]
}

/** How a context is stored with its call: entries never change, so their places are enough. */
export interface Plan extends Pick<Context['receipt'], 'policy' | 'counter'> {
  readonly version: 1
  /** As they were set, in the model's tokens. All other tokens of a plan are our counts. */
  readonly window: number
  readonly reserve: number
  /** The calibration of our counts at that time; absent for 1. */
  readonly factor?: number
  /** What was settled for the reply: why that number of tokens was kept free, and the most tokens that the model was asked for. */
  readonly reply?: { readonly why?: string; readonly most?: number }
  readonly messages: readonly PlanItem[]
  readonly tokens: number
  readonly parts: Readonly<Record<string, number>>
  /** The different verdicts: [fate, rule, why]. */
  readonly verdicts: readonly (readonly string[])[]
  /** The stretches of the receipt that were not kept: [first, last, verdict]. The kept ones stand in `messages`. */
  readonly fates: readonly (readonly [number, number, number])[]
  /** The tokens that were kept free for an inexact counter. */
  readonly margin: number
  readonly cut?: ReceiptCut
  /** The tokens that were the same as in the context before, where that was known. */
  readonly reused?: number
  /** The tokens that the model server did not read again, in the model's tokens, where it told them. */
  readonly cached?: number
  /** Why that were far fewer than were the same, as far as can be told. */
  readonly cacheLost?: string
  /** The tokens that shorter descriptions of tools saved, if they did. */
  readonly toolsSaved?: number
  /** What was wrong with the call although it was answered: codes of warnings. */
  readonly warnings?: readonly string[]
  /** Set if the client's own list was sent: then all else is what would have been sent. */
  readonly shadow?: ShadowAccount
  /** The system prompt as it was given, if its changing lines stood apart: see `joinGiven`. */
  readonly given?: readonly GivenPart[]
  /** The tool schemas that were sent, or the name under which they are stored. */
  readonly tools?: readonly unknown[] | string
  /** How the model was asked to answer, if anything was said of that. */
  readonly settings?: object
  /** What of the request's body the log has not, where a server was asked. */
  readonly sent?: SentBody
}

/** `stored`: the names of the stored system prompt that leads the context, and of its tools, if they are stored. */
export function toPlan(
  context: Context,
  log: Pick<ThreadLog, 'seqOf' | 'textsIn'>,
  stored: {
    readonly prompt?: string
    readonly tools?: string
    readonly room?: Room
    readonly settings?: object
    readonly shadow?: ShadowAccount
  } = {},
): Plan {
  const { messages, tokens, receipt } = context
  const { prompt, tools = context.tools, room, settings = {}, shadow } = stored
  const { policy, counter, margin, cut, prefix, sent, toolsSaved } = receipt
  const { window, reserve } = room ?? receipt
  const { factor = 1, reserveWhy: why, mostReply: most } = room ?? {}
  const texts = toKnownTexts([...quotesIn(sent), ...log.textsIn(context)])
  return {
    version: 1,
    messages: toItems(messages, (message, place): PlanItem => {
      const seq = log.seqOf(message)
      if (seq !== undefined) return toRun(seq, sent[place]!.part)
      const account = toWritten(sent[place]!)
      if (place === 0 && prompt !== undefined)
        return { as: { ...message, content: '' }, prompt, ...account }
      return { ...toItem(message, texts), ...account }
    }),
    tokens,
    policy,
    counter,
    window,
    reserve,
    factor: factor === 1 ? undefined : factor,
    reply: why === undefined && most === undefined ? undefined : { why, most },
    parts: Object.fromEntries(Object.entries(receipt.parts).filter(([, part]) => part > 0)),
    ...toFates(receipt.stretches),
    margin,
    cut,
    reused: prefix?.tokens,
    given: context.given,
    tools,
    settings: Object.keys(settings).length > 0 ? settings : undefined,
    toolsSaved,
    shadow,
  }
}

/** The blocks of quotes from other conversations: a plan refers to them, so that nothing is left when their source is deleted. */
const quotesIn = (sent: readonly SentMessage[]) =>
  sent
    .flatMap(one => [one, ...(one.joined ?? [])])
    .flatMap(({ remembered, text }) => (remembered && text ? [[remembered, text] as const] : []))

const toRun = (seq: number, part: Part): Run => (part === 'history' ? [seq, seq] : [seq, seq, part])

const toWritten = (one: SentMessage) => ({ ...toTold(one), joined: one.joined?.map(toTold) })

const toTold = ({ part, tokens, seqs, standsFor, remembered }: SentMessage): ItemAccount => ({
  part,
  tokens,
  seqs: toRuns(seqs),
  standsFor: toRuns(standsFor),
  remembered,
})

const toRuns = (seqs: readonly number[]): readonly Run[] | undefined =>
  seqs.length > 0 ? (toItems<number, Run>(seqs, seq => [seq, seq]) as readonly Run[]) : undefined

/** The window and the reserve of a call as they were set, with the calibration of its model. */
export const roomOf = ({ window, reserve, factor = 1 }: Plan): Room => ({ window, reserve, factor })

export const unknownPlan = (problem: string) =>
  new ThroughlineError('unknown_plan', `The plan of this call ${problem}`)

export const promptOf = ({ messages: [first] }: Plan): string | undefined =>
  first && !isRun(first) ? first.prompt : undefined

/** The text of the system message that leads a context and is no entry: only that may be stored under a name. */
export function leadingPrompt({ messages: [first] }: Context, log: Pick<ThreadLog, 'seqOf'>) {
  const isPrompt = first?.role === 'system' && log.seqOf(first) === undefined
  return isPrompt && typeof first.content === 'string' ? first.content : undefined
}

/** The messages whose quotes of other conversations a plan names. */
export const quotingIn = ({ messages }: Pick<Plan, 'messages'>): ReadonlySet<number> =>
  new Set(messages.flatMap(textIn).flatMap(part => (typeof part === 'object' ? [part.for] : [])))

const textIn = (item: PlanItem): readonly TextPart[] => (isRun(item) ? [] : (item.text ?? []))

export const placesIn = ({ messages }: Pick<Plan, 'messages'>): readonly Run[] =>
  messages.flatMap(item => (isRun(item) ? [item] : textIn(item).flatMap(placeIn)))

function placeIn(part: TextPart): readonly Run[] {
  const seq = typeof part === 'object' ? part.for : part
  return typeof seq === 'number' ? [[seq, seq]] : []
}

/** The last entry that a plan names; 0 where it names none. */
export const lastPlaceOf = (plan: Plan): number =>
  placesIn(plan).reduce((most, [, last]) => Math.max(most, last), 0)

/** The last entry that a context was made of: named as it is, or with its fate. */
export const endOf = (plan: Plan): number =>
  plan.fates.reduce((most, [, last]) => Math.max(most, last), lastPlaceOf(plan))

export function fromPlan(
  { messages }: Pick<Plan, 'messages'>,
  messageAt: (seq: number) => MessageLike | undefined,
  { prompt = '', quotes = (_part: Remembered): string => '' } = {},
): readonly MessageLike[] {
  const entry = (seq: number): MessageLike => {
    const message = messageAt(seq)
    if (message) return message
    throw unknownPlan(`names entry ${seq}, which is not in the thread.`)
  }
  function entries([first, last]: Run): readonly MessageLike[] {
    const messages: MessageLike[] = []
    for (let seq = first; seq <= last; seq++) messages.push(entry(seq))
    return messages
  }
  return messages.flatMap(item => {
    if (isRun(item)) return entries(item)
    if (item.prompt !== undefined) return { ...item.as, content: prompt } as MessageLike
    if (!item.text) return item.as as MessageLike
    const texts = item.text.map(part => {
      if (typeof part === 'object') return quotes(part)
      return typeof part === 'number' ? String(entry(part).content) : part
    })
    return { ...item.as, content: texts.join('') } as MessageLike
  })
}

export const isRun = (item: object): item is Run => Array.isArray(item)

/** Puts runs in a row together: most of a context is consecutive entries, which take two numbers. */
export function toItems<Source, Item extends object>(
  values: readonly Source[],
  toOne: (one: Source, place: number) => Item | Run,
): readonly (Item | Run)[] {
  const items: (Item | Run)[] = []
  for (const one of values.map(toOne)) {
    const last = items.at(-1)
    const isNext = isRun(one) && last && isRun(last) && last[1] === one[0] - 1 && last[2] === one[2]
    if (isNext) items[items.length - 1] = [last[0], ...one.slice(1)] as unknown as Run
    else items.push(one)
  }
  return items
}

function toItem(message: MessageLike, texts: KnownTexts): Pick<WrittenItem, 'as' | 'text'> {
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
    fates.push([first, last, verdict])
  }
  return { verdicts: [...verdicts.keys()].map(text => JSON.parse(text) as string[]), fates }
}

/** A piece of a text: literal words, the place of an entry whose whole text stands there, or quotes of other conversations. */
type TextPart = string | number | Remembered

/** Shorter texts are written out. Texts are looked up by their first `shortest` characters. */
const shortest = 16

type KnownTexts = ReturnType<typeof toKnownTexts>

type KnownText = readonly [part: Exclude<TextPart, string>, text: string]

/** The texts of entries by their first characters, and the set of first letters: at any other letter nothing is looked up. */
function toKnownTexts(texts: readonly KnownText[]) {
  const long = texts.filter(([, text]) => text.length >= shortest)
  const byBeginning = groupBy(long, ([, text]) => text.slice(0, shortest))
  // Longest first, so that of two texts that begin alike the longer one is found.
  for (const same of byBeginning.values())
    same.sort(([, one], [, other]) => other.length - one.length)
  return {
    byBeginning,
    firsts: new Set(Array.from(byBeginning.keys(), beginning => beginning[0]!)),
  }
}

/** Splits a text where it quotes entries word for word, as recalled blocks and replies with a note do. */
function splitText(text: string, { byBeginning, firsts }: KnownTexts): readonly TextPart[] {
  const parts: TextPart[] = []
  let from = 0
  for (let at = 0; firsts.size > 0 && at + shortest <= text.length; ) {
    const same = firsts.has(text[at]!) ? byBeginning.get(text.slice(at, at + shortest)) : undefined
    const match = same?.find(([, entry]) => text.startsWith(entry, at))
    if (!match) {
      at += 1
      continue
    }
    if (at > from) parts.push(text.slice(from, at))
    parts.push(match[0])
    at += match[1].length
    from = at
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}
