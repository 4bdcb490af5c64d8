import { setImmediate as breathe } from 'node:timers/promises'
import type { FitOptions } from '../../../context/context.ts'
import { createConversation } from '../../../context/conversation/conversation.ts'
import { stampEntry } from '../../../context/conversation/stamp-entry.ts'
import type { Policy } from '../../../context/draft/draft.ts'
import { marginOf } from '../../../context/draft/frame.ts'
import { fitConversation, readWhole } from '../../../context/fit.ts'
import type { Receipt, ReceiptCut } from '../../../context/receipt.ts'
import { loadPrompt } from '../../../history/calls/calls.ts'
import { fromPlan, isRun, leadOf, type Plan, promptOf, toItems } from '../../../history/calls/plan.ts'
import type { LoggedMessage } from '../../../history/index.ts'
import { type LogSource, readLog } from '../../../history/log/read-log.ts'
import type { MessageLike } from '../../../log/message.ts'
import type { FitSettings } from '../fit-thread.ts'
import { type FateRun, fateRuns, planStretches } from './fate-runs.ts'
import { listCalls, type PlacedCall } from './list-calls.ts'
import { createSentMessages, type Sent, sharedTokens } from './sent.ts'

/** A place of a thread at which a model was asked, or would have been, and what it was sent. */
export interface TimelinePoint {
  /** The last entry of the context. */
  readonly at: number
  readonly turn: number
  /** The user message that is answered; 0 where there is none. */
  readonly user: number
  readonly time: number
  /** Absent where no call is stored: the context was made now, without a model. */
  readonly call?: PlacedCall['call']
  readonly figures: PointFigures
  readonly runs: readonly FateRun[]
  /** The tokens of the beginning that is the same as in the context before. */
  readonly reused: number
  /** What other policies would have sent in the same place. */
  readonly against: readonly { readonly name: string; readonly tokens: number; readonly reused: number }[]
}

export interface PointFigures
  extends Pick<Receipt, 'policy' | 'window' | 'reserve' | 'margin' | 'tokens' | 'free' | 'over'> {
  readonly parts: Readonly<Record<string, number>>
  /** By places of the log. */
  readonly cut?: ReceiptCut | undefined
}

export interface TimelineOptions {
  /** How a context is made where none was sent. */
  readonly settings: FitSettings
  /** Whether contexts are made anew also where calls are stored. */
  readonly isAnew: boolean
  readonly against: readonly { readonly name: string; readonly policy: Policy }[]
  /** Only points at this entry or later. */
  readonly since: number
  readonly signal: AbortSignal
}

/**
 * Reads a thread once, from its beginning, and gives what was sent at each place where a model was asked. What a point costs
 * depends on its context, not on the length of the thread.
 */
export async function* readTimeline(
  source: LogSource,
  options: TimelineOptions,
): AsyncGenerator<TimelinePoint> {
  const { settings, isAnew, against, since, signal } = options
  const { store, key } = source
  const count = source.count as Required<LogSource['count']>
  const calls = await listCalls(store, key)
  const calledTurns = new Set(calls.map(({ call }) => call.turn))
  const isCalled = ({ turn }: LoggedMessage) => turn > 0 && calledTurns.has(turn)
  /** The point before the first one that is wanted: what that one shares with it must be known. */
  const before = since > 0 ? await placeBefore(source, since, calls, isCalled) : 0

  const conversation = createConversation(count)
  const places = new WeakMap<object, number>()
  const views: (MessageLike | undefined)[] = [undefined]
  const tokensUpTo = [0]
  const unsent: number[] = []
  const messages = createSentMessages(count)
  const prompts = new Map<string, MessageLike>()
  const others = against.map(() => undefined as Sent | undefined)
  let last: Sent | undefined
  let lastModel: string | undefined
  let next = 0
  let user = 0
  let previous: LoggedMessage | undefined
  let lastBreath = performance.now()

  function add(logged: LoggedMessage): void {
    const { view, seq, message } = logged
    conversation.append(view, seq)
    places.set(view, seq)
    views.push(view)
    tokensUpTo.push(tokensUpTo.at(-1)! + stampEntry(view, seq, count).tokens)
    const { units, entries } = conversation.transcript
    const stray = units.at(-1)?.strays.get(entries.length - 1)
    if (message.role === 'assistant_note' || (stray && !stray.results)) unsent.push(seq)
    if (message.role === 'user') user = seq
    previous = logged
  }

  const toSent = (given: readonly MessageLike[], tools: number): Sent => ({
    items: toItems(given, message => places.get(message) ?? messages.of(message)),
    tools,
  })

  function fitHere({ system, ...fitting }: FitSettings) {
    const prompt = system === undefined ? [] : [promptMessage(system)]
    const { system: lead, transcript } = conversation
    const all = { ...fitting, count } as FitOptions
    const leading = [...prompt.map(message => stampEntry(message, 0, count)), ...lead]
    return { ...readWhole(fitConversation({ system: leading, transcript }, all)), lead: prompt.length }
  }

  /** One object for each text, so that it is read once. */
  function promptMessage(text: string): MessageLike {
    const known = prompts.get(text) ?? { role: 'system', content: text }
    prompts.set(text, known)
    return known
  }

  async function sentIn(plan: Plan): Promise<{ readonly sent: Sent; readonly system?: string }> {
    const name = promptOf(plan)
    const stored = name === undefined ? undefined : await promptNamed(name)
    const items = plan.messages.map(item =>
      isRun(item)
        ? item
        : messages.of(fromPlan({ messages: [item] }, seq => views[seq], stored)[0] as MessageLike),
    )
    const [first] = plan.messages
    const isLed = leadOf(plan) > 0 && first && !isRun(first)
    const lead = isLed ? fromPlan({ messages: [first] }, seq => views[seq], stored)[0] : undefined
    const system = typeof lead?.content === 'string' ? lead.content : undefined
    return { sent: { items, tools: plan.parts.tools ?? 0 }, ...(system !== undefined && { system }) }
  }

  const namedPrompts = new Map<string, string>()
  async function promptNamed(name: string): Promise<string> {
    const known = namedPrompts.get(name) ?? (await loadPrompt(store, key, name))
    namedPrompts.set(name, known)
    return known
  }

  /** What the other policies send here, with the room and the prompt of this point. */
  function compareWith(room: FitSettings, tools: number): TimelinePoint['against'] {
    return against.map(({ name, policy }, place) => {
      // Schemas of tools are not stored; their tokens are, and take their room.
      const reserve = Math.min(room.reserve + tools, room.window - 1)
      const context = fitHere({ ...room, reserve, policy })
      const sent = toSent(context.messages, tools)
      const reused = sharedTokens(sent, others[place], tokensUpTo, count.prompt)
      others[place] = sent
      return { name, tokens: context.tokens + tools, reused: Math.min(reused, context.tokens + tools) }
    })
  }

  async function pointOf(at: LoggedMessage, placed?: PlacedCall): Promise<TimelinePoint> {
    const { call, plan } = placed ?? {}
    const isStored = plan !== undefined && !isAnew
    const stored = isStored ? await sentIn(plan) : undefined
    const model = stored ? call!.model : undefined
    const fitted = stored ? undefined : fitHere(settings)
    const sent = stored?.sent ?? toSent(fitted!.messages, 0)
    const figures = isStored
      ? planFigures(plan, marginOf(count, plan.window - plan.reserve))
      : figuresOf(fitted!)
    // Another model has read nothing of it.
    const isSameModel = model === lastModel
    const reused = isSameModel ? sharedTokens(sent, last, tokensUpTo, count.prompt) : 0
    const stretches = isStored
      ? planStretches(plan)
      : fitted!.receipt.stretches.map(stretch => inLog(stretch, fitted!.lead))
    const room = isStored
      ? { ...settings, window: plan.window, reserve: plan.reserve, system: stored!.system }
      : settings
    const point = {
      ...{ at: at.seq, turn: call?.turn ?? at.turn, user, time: call?.time ?? at.time, figures },
      ...(call && { call }),
      reused: Math.min(reused, figures.tokens),
      runs: fateRuns(stretches, at.seq, unsent),
      against: compareWith(room, isStored ? sent.tools : 0),
    }
    last = sent
    lastModel = model
    messages.settle()
    return point
  }

  const isWanted = (at: number) => at >= since || at === before

  for await (const logged of readLog(source)) {
    if (signal.aborted) return
    if (previous && isAsked(previous, logged) && !isCalled(previous) && isWanted(previous.seq)) {
      const point = await pointOf(previous)
      if (point.at >= since) yield point
    }
    add(logged)
    for (; calls[next] && calls[next]!.at <= logged.seq; next++) {
      if (!isWanted(logged.seq)) continue
      const point = await pointOf(logged, calls[next])
      if (point.at >= since) yield point
    }
    // Other requests are answered meanwhile.
    if (performance.now() - lastBreath < longestHold) continue
    await breathe()
    lastBreath = performance.now()
  }
  if (previous && !isAnswer(previous) && !isCalled(previous) && isWanted(previous.seq))
    yield await pointOf(previous)
}

/** For so many milliseconds a timeline is made without a pause. */
const longestHold = 10

/** Whether a model was asked between two entries. */
const isAsked = (entry: LoggedMessage, next: LoggedMessage) =>
  next.message.role === 'assistant' && !isAnswer(entry)

const isAnswer = ({ message: { role } }: LoggedMessage) => role === 'assistant' || role === 'assistant_note'

/** The last place before another at which a model was asked; 0 if there is none. */
async function placeBefore(
  source: LogSource,
  since: number,
  calls: readonly PlacedCall[],
  isCalled: (entry: LoggedMessage) => boolean,
): Promise<number> {
  const called = calls.findLast(({ at }) => at < since)?.at ?? 0
  let after: LoggedMessage | undefined
  for await (const logged of readLog(source, { from: Math.max(1, called), to: since, reverse: true })) {
    if (after && logged.seq < since && isAsked(logged, after) && !isCalled(logged)) return logged.seq
    after = logged
  }
  return called
}

const inLog = <Stretch extends { readonly first: number; readonly last: number }>(
  stretch: Stretch,
  lead: number,
) => ({
  ...stretch,
  first: stretch.first - lead + 1,
  last: stretch.last - lead + 1,
})

const cutInLog = (cut: ReceiptCut | undefined, lead: number) =>
  cut && { ...cut, before: cut.before - lead + 1, at: cut.at - lead + 1 }

function figuresOf({ receipt, lead }: { readonly receipt: Receipt; readonly lead: number }): PointFigures {
  const { policy, window, reserve, margin, tokens, free, over, parts, cut } = receipt
  const used = Object.fromEntries(Object.entries(parts).filter(([, part]) => part > 0))
  return { policy, window, reserve, margin, tokens, free, over, parts: used, cut: cutInLog(cut, lead) }
}

function planFigures(plan: Plan, usual: number): PointFigures {
  const { policy, window, reserve, margin = usual, tokens, parts, cut } = plan
  const left = window - reserve - margin - tokens
  return {
    ...{ policy, window, reserve, margin, tokens, parts },
    ...{ free: Math.max(0, left), over: Math.max(0, -left), cut: cutInLog(cut, leadOf(plan)) },
  }
}
