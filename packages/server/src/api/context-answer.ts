import type { Context } from '@throughline/core/context'
import { type ChangingLines, countFates, parts } from '@throughline/core/explain'
import { fates } from '@throughline/core/fates'
import type { MessageLike, PlainMessage } from '@throughline/core/messages'
import { type Room, toModelTokens } from '@throughline/core/tokens'
import { z } from 'zod'
import { factorField, toCutFigures, toFigures, windowField } from './model-tokens.ts'
import { count, counted, cutPlaces, message, place } from './schemas.ts'
import { type SourceOptions, sentRow, toSentRows } from './sent-rows.ts'

const fate = z.enum(fates)

const verdict = { fate, rule: z.string(), why: z.string() }

export const stretch = z
  .object({ first: z.int(), last: z.int(), ...verdict })
  .describe('entries in a row with one fate, in order; 0 is the system prompt')

export const contextSummary = z.object({
  policy: z.string(),
  counter: z.string(),
  factor: factorField,
  window: windowField,
  reserve: count,
  margin: count,
  capacity: count.optional().describe('absent while the window is unknown'),
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

export const contextAnswer = contextSummary.extend({
  at: place.describe('the last entry that it was made of'),
  stretches: z.array(stretch),
  sent: z.array(sentRow).describe('every message of the context, in order'),
  changing: z
    .object({ tokens: count, saved: count.optional(), lines: z.array(z.string()).optional() })
    .optional()
    .describe(
      'the lines of the system prompt that stand just before the newest message, as they change',
    ),
  faults: z.array(z.object({ seq: z.int(), problem: z.string() })),
  messages: z.array(message).optional(),
})

/** The tokens are the model's; the counts are those of entries, without the system prompt. */
export function toSummary({ receipt }: Context, room: Room) {
  const { policy, counter, cut, prefix } = receipt
  const figures = toFigures(receipt, room)
  const { window, reserve, margin, tokens } = figures
  const shared = prefix && Math.min(tokens, toModelTokens(prefix.tokens, room.factor))
  return {
    policy,
    counter,
    ...figures,
    counts: countFates(receipt.stretches, 1),
    capacity: window === undefined ? undefined : Math.max(0, window - reserve - margin),
    cut: cut && toCutFigures(cut, room.factor),
    prefix: prefix && { tokens: shared!, share: prefix.share },
  }
}

interface ShownContext extends SourceOptions {
  readonly room: Room
  readonly at: number
  readonly isWithMessages: boolean
}

export async function toContextAnswer(context: Context, options: ShownContext) {
  const { at, room, isWithMessages, isWithTexts } = options
  const { receipt, messages } = context
  const { stretches, faults, sent, changing } = receipt
  const texts: readonly (MessageLike | PlainMessage)[] = messages
  return {
    ...toSummary(context, room),
    at,
    stretches,
    faults,
    changing: changing && toChanging(changing, room.factor, isWithTexts),
    sent: await toSentRows(messages, sent, { ...options, factor: room.factor, stretches }),
    messages: isWithMessages && isWithTexts ? texts : undefined,
  }
}

const toChanging = (
  { lines, tokens, saved }: ChangingLines,
  factor: number,
  isWithTexts: boolean,
) => ({
  tokens: toModelTokens(tokens, factor),
  saved: saved === undefined ? undefined : toModelTokens(saved, factor),
  lines: isWithTexts ? lines : undefined,
})
