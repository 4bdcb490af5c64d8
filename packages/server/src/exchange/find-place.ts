import { NotFoundError } from '@throughline/core/errors'
import type { MessageLike } from '@throughline/core/messages'
import { plural } from '@throughline/core/values'
import { isExperiment, isReserved, listLog } from '@throughline/history/log'
import type { NamedPast } from '@throughline/models/dialects'
import { responseId } from '@throughline/models/ids'
import { addedMessages } from '../identity/added-messages.ts'
import { type ClientMessage, clientMessages } from '../identity/client-message.ts'
import { decide } from './decide.ts'
import { gather } from './gather.ts'
import { type Again, type Inquiry, type Log, type LogPlace, sourceOf } from './inquiry.ts'
import { findReply } from './kept-reply.ts'
import { layOver } from './lay-over.ts'

/** Finds the place of a request. Messages that `fit` added at the client do not count, unless the log has them. */
export async function findPlace(inquiry: Inquiry): Promise<LogPlace | Again> {
  const messages = clientMessages(await withReferences(inquiry))
  const added = addedMessages(messages)
  const placeOf = async (list: readonly ClientMessage[]) => {
    const place = decide(await gather(inquiry, list), inquiry.newId)
    return place.kind === 'again' ? place : layOver(inquiry, place)
  }
  const inOrder = withQuestionFirst(messages)
  if (inOrder) {
    const moved = await placeOf(inOrder.messages)
    if (moved.kind === 'again' || (moved.kind === 'extends' && moved.from > inOrder.question))
      return moved
  }
  const place = await placeOf(messages)
  if (added.size === 0 || place.kind === 'again') return place
  if (place.kind === 'extends' && [...added].every(at => at < place.from)) return place
  const rest = await placeOf(messages.filter((_, at) => !added.has(at)))
  if (rest.kind === 'again') return rest
  // The log has nothing of this conversation: what was recalled for it stands nowhere else.
  if (rest.kind === 'new') return place
  return {
    ...rest,
    why: `${rest.why}; ${plural(added.size, 'message')} that Throughline had added left out`,
  }
}

/**
 * The list with its question before the calls of its turn, for a client that moves it behind the newest result, as OpenClaw does.
 * Undefined where another question stands before the calls: then the last one is new.
 */
function withQuestionFirst(messages: readonly ClientMessage[]) {
  const question = messages.length - 1
  const roleAt = (at: number) => messages[at]?.reading.role
  if (roleAt(question) !== 'user' || roleAt(question - 1) !== 'tool') return undefined
  const isOfRound = ({ reading: { role, calls } }: ClientMessage) =>
    role === 'tool' || (role === 'assistant' && calls.length > 0)
  let first = question
  while (first > 0 && isOfRound(messages[first - 1]!)) first -= 1
  if (roleAt(first - 1) === 'user') return undefined
  const moved = [
    ...messages.slice(0, first),
    messages[question]!,
    ...messages.slice(first, question),
  ]
  return { question: first, messages: moved }
}

/** The messages of a request, with the replies and the past that its body only names. */
async function withReferences({ log, request }: Inquiry): Promise<readonly MessageLike[]> {
  const { messages, named } = request
  const { references = [], past } = named
  if (references.length === 0 && !past) return messages
  const all: MessageLike[] = past ? [...(await pastOf(log, past))] : []
  let done = 0
  for (const { at, reply } of references) {
    const stored = await findReply(log, reply)
    if (!stored) throw noItem(reply)
    for (; done < at; done++) all.push(messages[done]!)
    all.push(stored.entry.view)
  }
  return all.concat(messages.slice(done))
}

/** What a compaction stands for. To a person, the conversations of others are not there. */
async function pastOf(log: Log, { at, ...names }: NamedPast): Promise<readonly MessageLike[]> {
  const { store, tenant, history } = log
  const key = { ...names, tenant }
  const [info] = await store.conversations(tenant, { only: names.conversation })
  const isTheirs = info && (info.person === undefined || info.person === history.person)
  if (!isTheirs || isReserved(names.actor) || isExperiment(info) || !(await store.head(key)))
    throw new NotFoundError(
      'item_not_found',
      'The conversation that was compacted is no longer in the log: begin a new one, or send its messages.',
      'input',
    )
  return (await listLog(sourceOf(log, key), { to: at })).map(({ view }) => view)
}

const noItem = (reply: string) =>
  new NotFoundError(
    'item_not_found',
    `Item of response '${responseId(reply.slice(0, 100))}' not found. Items are not persisted when "store" is set to false. Try again with "store" set to true, or remove this item from your input.`,
    'input',
  )
