import { z } from 'zod'
import type { SentMessage } from '../../context/receipt.ts'
import type { Thread } from '../../history/index.ts'
import { loadQuotes } from '../../history/log/load-quotes.ts'
import type { QuoteReference } from '../../history/log/quote-reference.ts'
import type { ApiCall } from './route.ts'
import { type AnswerValue, name, place, time } from './schemas.ts'

export const quoteSource = z
  .object({
    conversation: name,
    title: z.string().optional(),
    ...{ actor: name, branch: name, seq: place },
    time: time.optional(),
    why: z.string().describe('why it was brought back'),
    isGone: z
      .boolean()
      .optional()
      .describe('true for one that was deleted since, or that is no longer the same person’s'),
  })
  .describe('a message of another conversation')

type QuoteSource = AnswerValue<z.input<typeof quoteSource>>

export interface SourceOptions extends Pick<ApiCall, 'log' | 'looking'> {
  readonly thread: Thread
  readonly isWithTexts: boolean
}

/** Looks up where the messages come from that a context has from other conversations; gives the sources of each. */
export async function loadSources(
  sent: readonly SentMessage[],
  { log: { store }, looking, thread, isWithTexts }: SourceOptions,
) {
  const { key } = thread
  const titles = new Map<string, Promise<string | undefined>>()

  function titleOf(only: string): Promise<string | undefined> {
    const title = titles.get(only) ?? store.conversations(key.tenant, { only }).then(([info]) => info?.title)
    titles.set(only, title)
    return title
  }

  async function toSource(
    { conversation, actor, branch, seq, why }: QuoteReference,
    time: number | undefined,
  ): Promise<QuoteSource> {
    const source = { conversation, actor, branch, seq, why }
    if (time === undefined) return { ...source, isGone: true }
    return { ...source, time, title: isWithTexts ? await titleOf(conversation) : undefined }
  }

  const sources = new Map<number, readonly QuoteSource[]>()
  for (const { remembered } of sent.flatMap(one => [one, ...(one.joined ?? [])])) {
    if (!remembered || sources.has(remembered.for)) continue
    const [entry] = await thread.entries({ at: remembered.for, limit: 1 })
    const references = (entry?.seq === remembered.for && entry.quotes) || []
    const quotes = await loadQuotes({ store, key, count: looking.count }, references)
    const loading = references.map((reference, at) => toSource(reference, quotes[at]?.time))
    sources.set(remembered.for, await Promise.all(loading))
  }
  return ({ remembered }: Pick<SentMessage, 'remembered'>): readonly QuoteSource[] => {
    if (!remembered) return []
    const chosen = new Set(remembered.quotes)
    return (sources.get(remembered.for) ?? []).filter((_, at) => chosen.has(at))
  }
}
