import { parts, type ReceiptStretch, type SentMessage } from '@throughline/core/explain'
import { type MessageLike, neutralizeNotes, readMessage } from '@throughline/core/messages'
import { toModelTokens } from '@throughline/core/tokens'
import { attempt, firstPlace } from '@throughline/core/values'
import type { Thread } from '@throughline/history'
import { loadQuotes } from '@throughline/history/search'
import { z } from 'zod'
import type { ApiCall } from './route.ts'
import { type AnswerOf, count, name, place, time } from './schemas.ts'

const quoteSource = z
  .object({
    conversation: name,
    title: z.string().optional(),
    actor: name,
    branch: name,
    seq: place,
    time: time.optional(),
    why: z.string().describe('why it was brought back'),
    isGone: z
      .boolean()
      .optional()
      .describe('true for one that was deleted since, or that is no longer the same person’s'),
  })
  .describe('a message of another conversation')

type QuoteSource = AnswerOf<typeof quoteSource>

const standsFor = z.array(place).describe('the entries that it quotes or stands for')

export const sentRow = z
  .object({
    part: z.enum(parts),
    role: z.string(),
    tokens: count,
    seqs: z
      .array(place)
      .describe(
        'the entries that it is, altered or not; 0: the system prompt; none: an added message',
      ),
    standsFor: standsFor.describe(
      'the entries that it and what was joined to it quote or stand for',
    ),
    joined: z.array(z.object({ part: z.enum(parts), tokens: count, standsFor })).optional(),
    sources: z
      .array(quoteSource)
      .optional()
      .describe('the messages of other conversations that it quotes, the best first'),
    rules: z
      .array(z.object({ seq: place, text: z.string() }))
      .optional()
      .describe('the standing rules in it, each with the message in which it was said'),
    text: z
      .string()
      .optional()
      .describe(
        'the text of a message that is no entry, or the line that is sent for a cleared one',
      ),
  })
  .describe('a message that the model got')

export const textsField = z
  .boolean()
  .optional()
  .describe(
    'false leaves out every text: what stands in a context that its user may not see, such as a note',
  )

export type SentRow = AnswerOf<typeof sentRow>

export interface SourceOptions extends Pick<ApiCall, 'log' | 'looking'> {
  readonly thread: Thread
  readonly isWithTexts: boolean
}

interface RowOptions extends SourceOptions {
  readonly factor: number
  /** The fates of all entries, in order. */
  readonly stretches: readonly ReceiptStretch[]
}

/** The messages of a context, each with what its receipt says of it. Tokens are the model's, each rounded by itself. */
export async function toSentRows(
  messages: readonly MessageLike[],
  sent: readonly SentMessage[],
  options: RowOptions,
): Promise<readonly SentRow[]> {
  const { factor, isWithTexts, stretches } = options
  const sourcesOf = await loadSources(sent, options)
  const rules = isWithTexts ? await findRules(messages, sent, options.thread) : []
  const inModel = (tokens: number) => toModelTokens(tokens, factor)
  // A cleared message that is recalled too is its line here, and whole in a block.
  const isLine = (seq: number) => {
    const stretch = stretches[firstPlace(stretches.length, place => stretches[place]!.last >= seq)]
    return stretch?.fate === 'cleared' || stretch?.fate === 'recalled'
  }
  return sent.map(({ part, tokens, seqs, standsFor, remembered, joined = [] }, place) => {
    const message = messages[place]!
    const entry = seqs.find(seq => seq > 0)
    const sources = [{ remembered }, ...joined].flatMap(sourcesOf)
    return {
      part,
      role: message.role,
      tokens: inModel(tokens),
      seqs,
      standsFor: [...standsFor, ...joined.flatMap(one => one.standsFor)],
      ...(joined.length > 0 && {
        joined: joined.map(({ part, tokens, standsFor }) => ({
          part,
          tokens: inModel(tokens),
          standsFor,
        })),
      }),
      ...(sources.length > 0 && { sources }),
      ...(part === 'rules' && rules.length > 0 && { rules }),
      ...(isWithTexts && (entry === undefined || isLine(entry)) && { text: textOf(message) }),
    }
  })
}

/** The most messages that are looked into for the rules of a block. */
const mostLookedInto = 64

/** The standing rules of a context. Their messages are those that the block stands for, and those that were brought back too. */
async function findRules(
  messages: readonly MessageLike[],
  sent: readonly SentMessage[],
  thread: Thread,
) {
  const place = sent.findIndex(({ part }) => part === 'rules')
  if (place < 0) return []
  const lines = textOf(messages[place]!)
    .split('\n')
    .flatMap(line => (line.startsWith('- ') ? [line.slice(2)] : []))
  const isNear = ({ part }: Pick<SentMessage, 'part'>) => part === 'rules' || part === 'recall'
  const seqs = sent
    .flatMap(one => [one, ...(one.joined ?? [])])
    .flatMap(one => (isNear(one) ? one.standsFor : []))
  const rules: { seq: number; text: string }[] = []
  for (const seq of [...new Set(seqs)].sort((a, b) => a - b).slice(0, mostLookedInto)) {
    const [entry] = await thread.entries({ at: seq, limit: 1 })
    const said = entry?.seq === seq ? neutralizeNotes(textOf(entry.message)) : ''
    for (const text of lines) if (said.includes(text)) rules.push({ seq, text })
  }
  return rules
}

/** Results may stand in parts of the content. A message of an imported call may have any form. */
function textOf(message: MessageLike): string {
  const { content } = message
  if (typeof content === 'string') return content
  const read = () => {
    const { text, results } = readMessage(message, 0)
    return [text, ...results.map(result => result.text)].filter(one => one !== '').join('\n')
  }
  return attempt(read, content === undefined ? '' : JSON.stringify(content))
}

/** Looks up where the messages come from that a context has from other conversations; gives the sources of each. */
async function loadSources(
  sent: readonly SentMessage[],
  { log: { store }, looking, thread, isWithTexts }: SourceOptions,
) {
  const { key } = thread
  const titles = new Map<string, Promise<string | undefined>>()

  function titleOf(only: string): Promise<string | undefined> {
    const title =
      titles.get(only) ?? store.conversations(key.tenant, { only }).then(([info]) => info?.title)
    titles.set(only, title)
    return title
  }

  const sources = new Map<number, readonly QuoteSource[]>()
  for (const { remembered } of sent.flatMap(one => [one, ...(one.joined ?? [])])) {
    if (!remembered || sources.has(remembered.for)) continue
    const [entry] = await thread.entries({ at: remembered.for, limit: 1 })
    const references = (entry?.seq === remembered.for && entry.quotes) || []
    const quotes = await loadQuotes({ store, key, count: looking.count }, references)
    const loading = references.map(async ({ conversation, actor, branch, seq, why }, at) => {
      const source = { conversation, actor, branch, seq, why }
      const time = quotes[at]?.time
      if (time === undefined) return { ...source, isGone: true }
      return { ...source, time, title: isWithTexts ? await titleOf(conversation) : undefined }
    })
    sources.set(remembered.for, await Promise.all(loading))
  }
  return ({ remembered }: Pick<SentMessage, 'remembered'>): readonly QuoteSource[] => {
    if (!remembered) return []
    const chosen = new Set(remembered.quotes)
    return (sources.get(remembered.for) ?? []).filter((_, at) => chosen.has(at))
  }
}
