import type { Policy } from '@throughline/core/context'
import { countFates, type Receipt } from '@throughline/core/explain'
import { type Fate, type FateRun, fates, toFateText } from '@throughline/core/fates'
import type { MessageLike } from '@throughline/core/messages'
import { inCounts, type Room, toModelTokens } from '@throughline/core/tokens'
import {
  fromPlan,
  givenPrompt,
  isRun,
  loadPrompt,
  type Plan,
  promptOf,
  roomOf,
  stretchesOf,
  type ThreadCall,
  toItems,
} from '@throughline/history/calls'
import type { LogSource } from '@throughline/history/log'
import { z } from 'zod'
import type { FitSettings, RoomSettings } from '../fit-thread.ts'
import { factorField, toCutFigures, toFigures, windowField } from '../model-tokens.ts'
import {
  type AnswerOf,
  callStatus,
  count,
  counted,
  cutPlaces,
  name,
  place,
  time,
} from '../schemas.ts'
import { shadow, toShadow } from '../shadow.ts'
import type { ThreadReading } from './reading.ts'
import { createSentMessages, type Sent, type SentItem, sharedTokens } from './sent.ts'

/** A place of a thread at which a model was asked, or would have been, and what it was sent, in the model's tokens. */
export const point = z.object({
  at: place.describe('the last entry of the context'),
  turn: count.describe('0 for entries that came outside of turns'),
  user: place.describe('the user message that is answered; 0 where there is none'),
  call: name
    .optional()
    .describe('absent where no call is stored: the context was made now, without a model'),
  time,
  model: z.string().optional(),
  status: callStatus.optional(),
  error: z.string().optional(),
  policy: z.string(),
  factor: factorField,
  window: windowField,
  reserve: count,
  margin: count,
  tokens: count.describe('the tokens of the prompt as we count them, calibrated'),
  free: count,
  over: count,
  reported: z.number().optional().describe('the tokens that the provider says it read'),
  cached: count.optional().describe('the tokens that the provider says it did not read again'),
  parts: z.record(z.string(), count),
  shadow,
  reused: count.describe('the tokens of the beginning that is the same as in the line before'),
  anew: count.describe('the tokens that must be read anew'),
  cut: cutPlaces.optional(),
  counts: counted(fates),
  fates: z
    .string()
    .optional()
    .describe('the fates of the entries 1 to `at` in runs, by their first letters: `2k14e1r`'),
  entry: z
    .enum(fates)
    .optional()
    .describe('the fate of the entry that was asked for; absent before it'),
  against: z
    .array(z.object({ policy: z.string(), tokens: count, reused: count, anew: count }))
    .describe('what other policies would have sent here, with the same window'),
})

export type TimelinePoint = AnswerOf<typeof point> & { readonly fates: string }

/** How a context is made where none was sent. The calibration is the one that the model had at each place. */
export interface PointOptions extends RoomSettings {
  /** Whether contexts are made anew also where calls are stored. */
  readonly isAnew: boolean
  readonly against: readonly { readonly name: string; readonly policy: Policy }[]
}

export interface PlacedCall {
  readonly call: ThreadCall
  readonly plan: Plan
  readonly at: number
}

export type Points = ReturnType<typeof createPoints>

interface Before {
  readonly sent?: Sent
  readonly model?: string | undefined
  readonly others: readonly (Sent | undefined)[]
}

/** Makes points in order: each is compared with the point before. */
export function createPoints(
  source: LogSource,
  options: PointOptions,
  reading: ThreadReading,
  before: Before = { others: [] },
) {
  const { settings, isAnew, against } = options
  const { count } = reading
  const messages = createSentMessages(count)
  let last = before

  const toSent = (list: readonly MessageLike[], tools: number): Sent => ({
    items: toItems(list, (message): SentItem => {
      const seq = reading.seqOf(message)
      return seq === undefined ? messages.of(message) : [seq, seq]
    }),
    tools,
  })

  const shared = (sent: Sent, other: Sent | undefined, most: number) =>
    Math.min(most, sharedTokens(sent, other, reading.tokensUpTo, count.prompt))

  async function sentIn(
    plan: Plan,
  ): Promise<{ readonly sent: Sent; readonly system?: string | undefined }> {
    const name = promptOf(plan)
    const prompt = name === undefined ? undefined : await loadCachedPrompt(source, name)
    // The places of quotes stand for their texts here: only whether two prompts begin alike is compared.
    const written = await reading.loaded(() =>
      plan.messages.map(item =>
        isRun(item)
          ? item
          : (fromPlan({ messages: [item] }, reading.viewAt, {
              prompt,
              quotes: JSON.stringify,
            })[0] as MessageLike),
      ),
    )
    const [first] = written
    const items = toItems(
      written,
      (item): SentItem => (isRun(item) ? [item[0], item[1]] : messages.of(item as MessageLike)),
    )
    return {
      sent: { items, tools: plan.parts.tools ?? 0 },
      system: first && !isRun(first) ? givenPrompt(plan, first as MessageLike) : undefined,
    }
  }

  /** What the other policies send here, with the room and the prompt of this point. */
  async function compare(fitSettings: FitSettings, tools: number, factor: number) {
    // Schemas of tools are not stored; their tokens are, and take their room.
    const reserve = Math.min(fitSettings.reserve + tools, fitSettings.window - 1)
    const others: { readonly sent: Sent; readonly figures: TimelinePoint['against'][number] }[] = []
    for (const [place, { name, policy }] of against.entries()) {
      const context = await reading.fit({ ...fitSettings, reserve, policy })
      const sent = toSent(context.messages, tools)
      const tokens = context.tokens + tools
      const reused = shared(sent, last.others[place], tokens)
      const [all, same] = [toModelTokens(tokens, factor), toModelTokens(reused, factor)]
      others.push({ sent, figures: { policy: name, tokens: all, reused: same, anew: all - same } })
    }
    return others
  }

  async function madeOf(placed: PlacedCall | undefined) {
    if (!placed || isAnew) {
      const room = { ...options.room, factor: reading.factorOf(options.model) }
      const fitSettings = { ...settings, ...inCounts(room) }
      const { receipt, messages: list } = await reading.fit(fitSettings)
      return {
        room,
        fitSettings,
        account: receipt,
        stretches: receipt.stretches,
        sent: toSent(list, 0),
      }
    }
    const { plan, call } = placed
    const room = roomOf(plan)
    const { sent, system } = await sentIn(plan)
    const fitSettings = { ...settings, ...inCounts(room), system }
    return {
      room,
      fitSettings,
      account: plan,
      stretches: stretchesOf(plan),
      sent,
      model: call.model,
    }
  }

  return {
    async make(placed?: PlacedCall): Promise<TimelinePoint> {
      const { room, fitSettings, account, stretches, sent, model } = await madeOf(placed)
      const { factor } = room
      const { cut, ...figures } = figuresOf(account, room)
      const { seq, turn, time } = placed ? reading.last! : reading.asking!
      const others = await compare(fitSettings, sent.tools, factor)
      const runs = fateRuns(stretches, seq)
      // Another model has read nothing of it.
      const reused =
        model === last.model ? toModelTokens(shared(sent, last.sent, account.tokens), factor) : 0
      last = { sent, model, others: others.map(other => other.sent) }
      messages.settle()
      const call = placed?.call
      return {
        at: seq,
        turn: call?.turn ?? turn,
        user: reading.user,
        time: call?.time ?? time,
        ...figures,
        counts: countFates(runs),
        call: call?.id,
        model: call?.model,
        status: call?.status,
        error: call?.error,
        reported: call?.reported,
        cached: placed?.plan.cached,
        shadow: placed && toShadow(placed.plan),
        reused,
        anew: figures.tokens - reused,
        cut,
        fates: toFateText(runs),
        against: others.map(other => other.figures),
      }
    },
    /** What the next point is compared with. */
    get last(): Before {
      return last
    },
  }
}

/** The stored system prompts that were asked for last: one is used by call after call. */
const prompts = new WeakMap<object, Map<string, string>>()
const mostPrompts = 16

async function loadCachedPrompt({ store, key }: LogSource, name: string): Promise<string> {
  const cached = prompts.get(store) ?? new Map<string, string>()
  prompts.set(store, cached)
  const text = cached.get(name) ?? (await loadPrompt(store, key, name))
  if (cached.size >= mostPrompts) cached.clear()
  cached.set(name, text)
  return text
}

/** The fields by their names: a receipt makes an account of every entry when all of it is read. */
function figuresOf(made: Receipt | Plan, room: Room) {
  const { policy, margin, tokens, cut } = made
  const { window, reserve } = inCounts(room)
  const over = Math.max(0, tokens + margin + reserve - window)
  const parts = Object.fromEntries(Object.entries(made.parts).filter(([, part]) => part > 0))
  return {
    policy,
    ...toFigures({ margin, tokens, over, parts }, room),
    cut: cut && toCutFigures(cut, room.factor),
  }
}

/** The fates of the entries 1 to `at`. An imported call may say nothing of an entry, which then counts as left out. */
export function fateRuns(stretches: readonly FateRun[], at: number): readonly FateRun[] {
  const runs: FateRun[] = []
  let next = 1
  const add = (to: number, fate: Fate) => {
    const last = Math.min(at, to)
    if (last < next) return
    const before = runs.at(-1)
    if (before?.fate === fate) runs[runs.length - 1] = { ...before, last }
    else runs.push({ first: next, last, fate })
    next = last + 1
  }
  for (const { first, last, fate } of stretches) {
    add(first - 1, 'omitted')
    add(last, fate)
  }
  add(at, 'omitted')
  return runs
}
