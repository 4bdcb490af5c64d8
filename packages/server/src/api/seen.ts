import { choosePolicy } from '@throughline/core/context'
import type { Receipt } from '@throughline/core/explain'
import { type Fate, fates } from '@throughline/core/fates'
import { type Mention, rarity } from '@throughline/core/recall'
import { isUnknownWindow, type Room, toModelTokens } from '@throughline/core/tokens'
import { firstPlace } from '@throughline/core/values'
import type { Thread } from '@throughline/history'
import { type Plan, stretchesOf } from '@throughline/history/calls'
import { z } from 'zod'
import { echoAt } from './echoes.ts'
import type { FitSettings } from './fit-thread.ts'
import { defineRoute, threadOf } from './route.ts'
import { count, place } from './schemas.ts'
import { contextOrCall, settingsOf } from './why.ts'

const seen = z.object({
  asking: place.optional().describe('the newest user message'),
  unsaid: z.array(z.string()).describe('words of the text that no message has'),
  match: z
    .object({
      entry: place,
      words: z.array(z.string()),
      fate: z.enum(fates),
      rule: z.string(),
      why: z.string(),
      isSent: z.boolean().describe('whether its text is in the context'),
    })
    .optional()
    .describe('the message that has most of what is looked for'),
  omitted: count.describe('how many messages are not in the context'),
  free: count.describe('the unused tokens of the context'),
  would: z
    .array(z.object({ policy: z.string(), window: count }))
    .describe(
      'if it is not sent: the nearest other policy and the nearest larger window that would send it',
    ),
})

export const seenRoutes = [
  defineRoute('get', '/conversations/:conversation/seen', {
    scope: 'inspect',
    summary:
      'Says whether a context has what a text says, by its words, and with which settings it would. Without a text: what the newest user message asks for.',
    query: { ...contextOrCall, text: z.string().max(10_000).optional() },
    answer: seen,
    async handle(call) {
      const thread = await threadOf(call)
      const { options, room, stored, isKnown } = await settingsOf(call, thread)
      const { receipt } = await thread.context(options)
      const account = accountOf(receipt, stored)
      const { asking, words, messages } = await thread.mentions({
        ...options,
        text: call.query.text,
      })
      const match = await matchIn(thread, { words, messages, receipt: account, asking })
      return {
        asking,
        unsaid: words.flatMap(({ word, many }) => (many === 0 ? [word] : [])),
        match: match && { ...match, weight: undefined },
        omitted: receipt.counts.omitted,
        free: toModelTokens(receipt.free, room.factor),
        would:
          match && !match.isSent
            ? await wouldSend(thread, match.entry, { options, room, account, isKnown })
            : [],
      }
    },
  }),
]

/** The message with most of the words that tell something. */
export const matchIn = (
  thread: Thread,
  { words, ...place }: MatchPlace & { readonly words: readonly Mention[] },
) =>
  withoutEchoes(
    thread,
    skipped => bestMatch(tellingOf(words, place.messages), { ...place, skipped }),
    place.skipped,
  )

/** What became of the messages: for a call as it was stored with it, whatever would be made of it today. */
export const accountOf = (receipt: Receipt, stored: Plan | undefined) =>
  stored ? { policy: stored.policy, stretches: stretchesOf(stored) } : receipt

interface MadeContext {
  readonly options: Pick<FitSettings, 'window'>
  readonly room: Room
  readonly account: Pick<Receipt, 'policy'>
  /** Whether the options have its policy: one that is not known cannot be tried in another window. */
  readonly isKnown: boolean
}

/** The nearest other policy and the nearest larger window that send a message, each tried. */
export async function wouldSend(
  thread: Thread,
  entry: number,
  { options, room, account, isKnown }: MadeContext,
) {
  const would: { policy: string; window: number }[] = []
  for (const tries of nearest(account.policy, room.window))
    for (const { policy, window } of tries) {
      const isSame = policy === account.policy
      if (isSame && !isKnown) continue
      const changed = {
        ...options,
        window: Math.round((window / room.window) * options.window),
        ...(!isSame && { policy: choosePolicy(policy) }),
      }
      if (!isSentAt((await thread.context(changed)).receipt, entry)) continue
      would.push({ policy, window })
      break
    }
  return would
}

/** The best match that is no reply which only says its question again, nor that question. */
async function withoutEchoes(
  thread: Thread,
  find: (skipped: ReadonlySet<number>) => Match | undefined,
  skippedBefore: Iterable<number> = [],
) {
  const skipped = new Set(skippedBefore)
  for (let tries = 0; tries < mostEchoes; tries++) {
    const match = find(skipped)
    const echo = match && (await echoAt(thread, match.entry))
    if (!echo) return match
    for (const seq of echo) skipped.add(seq)
  }
  return undefined
}

const mostEchoes = 12

type Match = NonNullable<ReturnType<typeof bestMatch>>

/** Settings that are tried in turn: other policies in the same window, and larger windows. The first of each that helps is told. */
function nearest(policy: string, window: number) {
  const others = ['balanced', 'thorough'].filter(choice => choice !== policy)
  const larger = [2, 4, 8].flatMap(times =>
    [...new Set([policy, 'balanced'])].map(choice => ({ policy: choice, window: times * window })),
  )
  return isUnknownWindow(window) ? [] : [others.map(choice => ({ policy: choice, window })), larger]
}

const isSent = (fate: Fate | undefined) =>
  fate === 'kept' || fate === 'altered' || fate === 'recalled'

/** The fate of the message at a place, with its reason. */
export const fateAt = ({ stretches }: Pick<Receipt, 'stretches'>, seq: number) =>
  stretches[firstPlace(stretches.length, at => stretches[at]!.last >= seq)]

export const isSentAt = (receipt: Pick<Receipt, 'stretches'>, seq: number) =>
  isSent(fateAt(receipt, seq)?.fate)

/** Leaves out words of over a quarter of the messages, and those over 8 times as frequent as the rarest: they tell little. */
export function tellingOf(words: readonly Mention[], messages: number): readonly Mention[] {
  const saidBefore = words.filter(({ many }) => many > 0 && many <= Math.max(4, messages / 4))
  const least = saidBefore.reduce((rarest, { many }) => Math.min(rarest, many), messages)
  return saidBefore.filter(({ many }) => many <= 8 * least)
}

interface MatchPlace {
  readonly messages: number
  readonly receipt: Pick<Receipt, 'stretches'>
  readonly asking: number | undefined
  /** Places that are no match, whatever they say. */
  readonly skipped?: ReadonlySet<number>
}

/** The message with most of some words, rare ones counting more; of equals a sent one, then the newest, the asking one last. */
export function bestMatch(
  words: readonly Mention[],
  { messages, receipt, asking, skipped }: MatchPlace,
) {
  const weights = new Map<number, number>()
  for (const { seqs, many } of words)
    for (const seq of seqs)
      if (!skipped?.has(seq)) weights.set(seq, (weights.get(seq) ?? 0) + rarity(many, messages))
  let best = { entry: 0, weight: 0, isSent: false }
  for (const [entry, weight] of weights) {
    if (weight < best.weight) continue
    const one = { entry, weight, isSent: isSentAt(receipt, entry) }
    const isBetter = one.isSent === best.isSent ? entry > best.entry : one.isSent
    if (weight > best.weight || best.entry === asking || (isBetter && entry !== asking)) best = one
  }
  const stretch = fateAt(receipt, best.entry)
  if (best.weight === 0 || !stretch) return undefined
  const { fate, rule, why } = stretch
  const held = words.flatMap(({ word, seqs }) => (seqs.includes(best.entry) ? [word] : []))
  return { ...best, words: held, fate, rule, why }
}
