import { z } from 'zod'
import type { Context } from '../../context/context.ts'
import { fates, parts, type Receipt } from '../../context/receipt.ts'
import { cutInLog, placeInLog, stretchInLog } from '../../history/log/places-in-log.ts'
import { type Room, toModelTokens } from '../../tokens/calibration.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import { factorField, toCutFigures, toFigures, toRowFigures } from './model-tokens.ts'
import type { Told } from './route.ts'
import { count, message, place } from './schemas.ts'
import { rowsOfContext, sentRow, withoutTexts } from './sent-rows.ts'

const fate = z.enum(fates)
export const counted = <Name extends string>(names: readonly Name[]) =>
  z.record(z.enum(names as readonly [Name, ...Name[]]), count)

export const cutPlaces = z
  .object({ before: place, at: place, needed: count, limit: count, growth: count, recall: count })
  .describe('where the conversation was cut: see docs/receipt.md')

const verdict = { fate, rule: z.string(), why: z.string() }

export const stretch = z
  .object({ first: z.int(), last: z.int(), ...verdict })
  .describe(
    'entries in a row with one fate; an entry in two of them counts by the later one; places below 1 are the system prompt',
  )

/** A context without its texts. */
export const contextSummary = z.object({
  policy: z.string(),
  counter: z.string(),
  factor: factorField,
  window: count,
  reserve: count,
  margin: count,
  capacity: count,
  tokens: count,
  free: count,
  over: count,
  parts: counted(parts),
  counts: counted(fates),
  cut: cutPlaces.optional(),
  prefix: z
    .object({ tokens: count, share: z.number() })
    .optional()
    .describe('the common beginning with the context that this one is compared with'),
})

const inserted = z.object({
  part: z.enum(parts),
  place: count.describe('the place among the messages, from 0'),
  text: z.string(),
  tokens: count,
  why: z.string(),
})

export const contextAnswer = contextSummary.extend({
  at: place.describe('the last entry that it was made of'),
  stretches: z.array(stretch),
  inserted: z.array(inserted),
  faults: z.array(z.object({ seq: z.int(), problem: z.string() })),
  messages: z.array(message).optional(),
  sources: z
    .array(place)
    .optional()
    .describe(
      'for each message the place of its entry, 0 where it is none; absent where messages were joined',
    ),
  rows: z.array(sentRow).optional().describe('every message with its part, its tokens and its entries'),
})

/** The API counts entries as the log does, not as a receipt, and tokens as the model does. */
export function toSummary(
  { receipt }: Context,
  lead: number,
  room: Room,
): Told<z.input<typeof contextSummary>> {
  const { policy, counter, cut, prefix } = receipt
  const figures = toFigures(receipt, room)
  const { window, reserve, margin, tokens } = figures
  const shared = prefix && Math.min(tokens, toModelTokens(prefix.tokens, room.factor))
  const counts = { ...receipt.counts }
  for (const { fate } of receipt.entries.slice(0, lead)) counts[fate] -= 1
  return {
    ...{ policy, counter, ...figures, counts },
    capacity: Math.max(0, window - reserve - margin),
    ...(cut && { cut: toCutFigures(cutInLog(cut, lead), room.factor) }),
    ...(prefix && { prefix: { tokens: shared!, share: prefix.share } }),
  }
}

export function toContextAnswer(
  context: Context,
  {
    lead,
    at,
    room,
    isWithMessages,
    isWithTexts,
    counter,
  }: {
    readonly room: Room
    readonly lead: number
    readonly at: number
    readonly isWithMessages: boolean
    readonly isWithTexts: boolean
    /** With it the rows are given. */
    readonly counter?: TokenCounter | undefined
  },
): Told<z.input<typeof contextAnswer>> {
  const { receipt, messages } = context
  const isWhole = isWithMessages && isWithTexts
  const sources = isWithMessages || counter ? sourcesOf(context, lead) : undefined
  return {
    ...toSummary(context, lead, room),
    at,
    stretches: toStretches(receipt, lead),
    inserted: isWithTexts ? toRowFigures(receipt.inserted, room.factor) : [],
    faults: receipt.faults.map(({ seq, problem }) => ({ seq: placeInLog(seq, lead), problem })),
    ...(isWhole && { messages, ...(sources && { sources }) }),
    ...(counter && { rows: isWithTexts ? rows() : withoutTexts(rows()) }),
  }

  function rows() {
    return toRowFigures(rowsOfContext(context, { lead, sources, counter: counter! }), room.factor)
  }
}

export const toStretches = ({ stretches }: Receipt, lead: number): Told<z.input<typeof stretch>>[] =>
  stretches.map(stretch => stretchInLog(stretch, lead))

/** Messages that were not added stand in the order of their entries, unless some were joined. */
function sourcesOf({ messages, receipt }: Context, lead: number): number[] | undefined {
  const added = new Set(receipt.inserted.map(({ place }) => place))
  const sent = receipt.entries.filter(({ fate }) => fate === 'kept' || fate === 'altered')
  if (sent.length + added.size !== messages.length) return undefined
  let next = 0
  return messages.map((_, place) => (added.has(place) ? 0 : Math.max(0, placeInLog(sent[next++]!.seq, lead))))
}
