import type { Quote } from '@throughline/core/conversation'
import { stampEntry } from '@throughline/core/messages'
import { showEach } from '@throughline/core/notes'
import { firstWords } from '@throughline/core/recall'
import { cut } from '@throughline/core/values'
import { CorruptEntryError } from '@throughline/stores/errors'
import type { ThreadKey } from '@throughline/stores/store'
import { countAsUse } from '../count-as-use.ts'
import type { StillSaid } from './lines.ts'
import type { LoggedMessage, QuoteReference } from './logged-message.ts'
import { type LogSource, readLog, threadId } from './read-log.ts'

/**
 * The messages that references name; undefined for those deleted meanwhile, or another person's now. `isStillSaid`: tells what a
 * client deleted or changed, which is quoted no more.
 */
export async function loadQuotes(
  source: LogSource,
  references: readonly QuoteReference[],
  isStillSaid?: StillSaid,
) {
  const { store, key } = source
  const [conversation] = await store.conversations(key.tenant, { only: key.conversation })
  const person = conversation?.person
  if (person === undefined) return references.map(() => undefined)
  const names = new Map<string, Promise<Name | undefined>>()

  /** What a conversation is called; undefined if this person has no such conversation. */
  async function nameOf(thread: ThreadKey): Promise<Name | undefined> {
    const [info] = await store.conversations(key.tenant, { only: thread.conversation, person })
    if (!info) return undefined
    const { messages } = await quotableBetween({ ...source, key: thread }, 1, nameWithin)
    const isNaming = ({ role, text }: QuoteText) =>
      role === 'user' && firstWords(text, mostInName) !== ''
    const first = messages.find(isNaming) ?? messages[0]
    // Unlike a title, the beginning of a message never changes, so contexts stay the same.
    return first
      ? { seq: first.seq, text: firstWords(first.text, mostInName) || cut(first.text, mostInName) }
      : { seq: 0, text: thread.conversation }
  }

  const uses = new Set<string>()
  const quotes = await Promise.all(
    references.map(async ({ seq, id, conversation, actor, branch }) => {
      const thread = { tenant: key.tenant, conversation, actor, branch }
      const place = threadId(thread)
      if (!names.has(place)) names.set(place, nameOf(thread))
      const name = await names.get(place)
      const stretch = name && (await quotableBetween({ ...source, key: thread }, seq, seq))
      const quote = stretch?.messages.find(one => one.id === id)
      if (!name || !quote || (await isStillSaid?.(thread, seq)) === false) return undefined
      uses.add(conversation)
      const { role, text, time } = quote
      return { name: name.seq === seq ? '' : name.text, conversation: place, role, text, time, seq }
    }),
  )
  const describe = (conversation: string) =>
    store.describeConversation(key.tenant, conversation, {})
  for (const conversation of uses) countAsUse({ describe }, conversation)
  return quotes
}

/** What a conversation is called, and by which of its messages. */
type Name = Pick<QuoteText, 'seq' | 'text'>

/** The message that gives a conversation its name is looked for in its first entries, and cut to this many characters. */
const nameWithin = 8
const mostInName = 60

/** A message that may be quoted elsewhere. */
export interface QuoteText extends Omit<Quote, 'name' | 'conversation'>, Pick<LoggedMessage, 'id'> {
  readonly tokens: number
}

/** What person and model said in a stretch: no notes, tools, broken parts, guests. `at`: its last entry. */
export async function quotableBetween(source: LogSource, from: number, to: number) {
  const messages: QuoteText[] = []
  let at = from - 1
  try {
    for await (const logged of readLog(source, { from, to })) {
      const one = toQuotable(logged, source)
      if (one) messages.push(one)
      at = logged.seq
    }
  } catch (error) {
    // A corrupt entry is never shown; `check` names it.
    if (!(error instanceof CorruptEntryError)) throw error
  }
  return { messages, at }
}

function toQuotable(logged: LoggedMessage, { count }: LogSource): QuoteText | undefined {
  const { seq, id, time, view, message, reading, isClosing, isBroken, guest } = logged
  if (isClosing || isBroken || guest !== undefined) return undefined
  const [shown] = showEach([message], { isPart: true })
  // What person and model say is shown as it was said.
  const { role, text } = reading
  if (!shown || text.trim() === '' || (role !== 'user' && role !== 'assistant')) return undefined
  return { seq, id, time, role, text, tokens: stampEntry(view, seq, count).tokens }
}
