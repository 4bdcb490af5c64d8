import { marginOf, type Policy, plainPolicies } from '@throughline/core/context'
import type { TokenCounter } from '@throughline/core/counters'
import { BadRequestError } from '@throughline/core/errors'
import type { AskedText, Why } from '@throughline/core/explain'
import { fates } from '@throughline/core/fates'
import { inCounts, type Room, toModelTokens } from '@throughline/core/tokens'
import type { Thread } from '@throughline/history'
import { endOf, hasNotesInPrompt, type Plan, readPlan, roomOf } from '@throughline/history/calls'
import type { StoredCall } from '@throughline/stores/store'
import { z } from 'zod'
import { findCall, verdictIn } from './calls.ts'
import {
  atField,
  createSettings,
  type FitFields,
  type FitSettings,
  fitFields,
  promptIn,
} from './fit-thread.ts'
import { factorField, toCutFigures, toFigures, toldFactor } from './model-tokens.ts'
import { defineRoute, type ThreadRequest, threadOf } from './route.ts'
import { count, cutPlaces, name, place, threadFields } from './schemas.ts'

const askedText = z.object({
  seq: place,
  text: z.string().describe('its beginning, if it is very long'),
  hits: z
    .array(z.tuple([count, count]))
    .describe('where the words stand: from one UTF-16 unit up to another'),
})

const recall = z.object({
  outcome: z
    .enum(['recalled', 'made_room', 'no_room', 'weak_match', 'not_asked', 'never'])
    .describe(
      '`made_room`: it stood in a block until newer ones needed the room; `no_room`: better ones took it; `weak_match`: others fit what was asked better; `not_asked`: the message asks for nothing older',
    ),
  asking: askedText
    .optional()
    .describe('the message that asked for it, or the latest one, which did not'),
  found: askedText.optional().describe('the entry itself, with the words that were asked for'),
  near: place.optional().describe('the entry beside it that has the words, if it has none itself'),
  strength: z
    .number()
    .optional()
    .describe('how strongly the message asks for something old: recalled from 1 on'),
  score: z.number().optional(),
  best: z.number().optional().describe('the score of the best entry before the cut'),
  least: z.number().optional().describe('the least score that is recalled'),
  better: z.object({ units: count, tokens: count }).optional().describe('what was taken before it'),
  needs: count.optional().describe('the tokens that it needs in a block'),
  left: count.optional().describe('the tokens that were left when it was weighed'),
  room: count.optional().describe('the tokens that the block may have'),
})

const why = z.object({
  seq: place,
  role: z.string(),
  factor: factorField,
  tokens: count,
  fate: z.enum(fates),
  rule: z.string(),
  why: z.string(),
  stored: z
    .object({ fate: z.string(), rule: z.string(), why: z.string() })
    .optional()
    .describe(
      'for a call: what was stored with it. The rest was worked out again and may differ from it',
    ),
  unit: z
    .object({ first: place, last: place, tokens: count })
    .describe('what is sent or left out together with it'),
  isProtected: z.boolean().describe('whether it is sent whatever the policy does'),
  place: count
    .optional()
    .describe('its place among the messages of the context, from 0; absent if it is not sent'),
  text: z.string().optional().describe('the text that stands for it in the context'),
  free: count.describe('the unused tokens of the context'),
  cut: cutPlaces.optional(),
  recall: recall
    .optional()
    .describe('for an entry before the cut; absent where the policy does not recall'),
  leaving: z
    .object({ turns: count, tokens: count })
    .optional()
    .describe(
      'for an entry that is sent: after how many more turns like the last ones it no longer is',
    ),
})

/** A context by its place and how it is made, or by its call. */
export const contextOrCall = {
  ...threadFields,
  ...fitFields,
  at: atField,
  call: name
    .optional()
    .describe('a call: its place, window, reserve and policy, in place of the others'),
}

export const whyRoutes = [
  defineRoute('get', '/conversations/:conversation/entries/:entry/why', {
    scope: 'inspect',
    summary:
      'Says why an entry has its fate: what asked for it, what took its room, when it leaves.',
    query: contextOrCall,
    answer: why,
    async handle(call) {
      const { entry } = call.params
      const thread = await threadOf(call)
      const { options, stored, room } = await settingsOf(call, thread)
      const last = options.at ?? Number.POSITIVE_INFINITY
      if (entry > last) throw new BadRequestError(`entry: it is not yet there at ${last}.`, 'entry')
      return {
        ...toAnswer(await thread.why(entry, options), room, call.looking.count),
        stored: stored && verdictIn(stored, entry),
      }
    },
  }),
]

/** How a context is made, its room, and for a call its plan. */
interface ContextSettings {
  readonly options: FitSettings & { readonly at?: number }
  readonly room: Room
  readonly stored?: Plan
  /** Whether the policy of the call is known: of another one only what it did is. */
  readonly isKnown: boolean
}

export async function settingsOf(
  call: ThreadRequest<FitFields & { readonly at?: number; readonly call?: string }>,
  thread: Thread,
): Promise<ContextSettings> {
  const { at, call: id } = call.query
  if (id !== undefined) return settingsIn(call, thread, id)
  const { settings, room } = await (await createSettings(thread, call.parts))(call.query, at)
  return { options: { ...settings, at }, room, isKnown: true }
}

/** The settings of a stored call. A policy that no name says is taken to be that of the upstream or the server. */
async function settingsIn(call: ThreadRequest, thread: Thread, id: string) {
  const recorded = await findCall(call, thread, id)
  const { options: general, upstreams } = call.parts
  const { policy: usual } = { ...general, ...upstreams.ofRecorded(recorded.model)?.options }
  return optionsOfCall(thread, recorded, usual)
}

/** How the context of a stored call can be made again. `usual`: the policy that a name which is none of ours stands for. */
export async function optionsOfCall(
  thread: Thread,
  call: Pick<StoredCall, 'plan'>,
  usual?: Policy,
): Promise<ContextSettings & { readonly stored: Plan }> {
  const stored = readPlan(call.plan)
  const { policy: named } = stored
  const room = roomOf(stored)
  const isPlain = Object.hasOwn(plainPolicies, named) && usual?.name !== named
  const policy = isPlain ? plainPolicies[named as keyof typeof plainPolicies] : usual
  const system = await promptIn(thread, call)
  const options = {
    at: endOf(stored),
    ...inCounts(room),
    overflow: 'keep',
    policy,
    system,
    notes: hasNotesInPrompt(stored) ? ('system' as const) : undefined,
  } as const
  const isKnown = isPlain || usual?.name === named
  return { options, stored, room, isKnown }
}

const mostCharacters = 20_000

function toAsked({ seq, text, hits }: AskedText) {
  return {
    seq,
    text: text.slice(0, mostCharacters),
    hits: hits.filter(([, to]) => to <= mostCharacters),
  }
}

/** What is free of a window, as it is told of its context: the rest of what is sent and of the margin. */
function freeIn({ free }: Pick<Why, 'free'>, room: Room, counter: TokenCounter): number {
  const { window, reserve } = inCounts(room)
  const margin = marginOf(counter, window - reserve)
  const tokens = window - reserve - margin - free
  return free === 0 ? 0 : toFigures({ tokens, margin, over: 0, parts: {} }, room).free
}

function toAnswer({ text, recall, ...account }: Why, room: Room, counter: TokenCounter) {
  const {
    asking,
    found,
    better,
    needs,
    left,
    room: most,
    ...rest
  } = recall ?? { outcome: 'never' as const }
  const { unit, leaving, cut } = account
  const inModel = (tokens: number) => toModelTokens(tokens, room.factor)
  const ifAny = (tokens: number | undefined) => (tokens === undefined ? undefined : inModel(tokens))
  return {
    ...account,
    ...toldFactor(room),
    tokens: inModel(account.tokens),
    unit: { ...unit, tokens: inModel(unit.tokens) },
    free: freeIn(account, room, counter),
    cut: cut && toCutFigures(cut, room.factor),
    leaving: leaving && { ...leaving, tokens: inModel(leaving.tokens) },
    text: text?.slice(0, mostCharacters),
    recall: recall && {
      ...rest,
      better: better && { ...better, tokens: inModel(better.tokens) },
      needs: ifAny(needs),
      left: ifAny(left),
      room: ifAny(most),
      asking: asking && toAsked(asking),
      found: found && toAsked(found),
    },
  }
}
