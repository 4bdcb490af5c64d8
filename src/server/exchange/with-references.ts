import { isExperiment, isInnerActor } from '../../experiment/log/shown-store.ts'
import { listLog } from '../../history/log/read-log.ts'
import type { MessageLike } from '../../log/message.ts'
import { NotFoundError } from '../../log/not-found-error.ts'
import type { NamedPast } from '../adapters/adapter.ts'
import { findReply } from './find-reply.ts'
import { type Inquiry, sourceOf } from './inquiry.ts'

/** The messages of a request, with the replies and the past that its body only names. */
export async function withReferences({ log, request }: Inquiry): Promise<readonly MessageLike[]> {
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
  for (; done < messages.length; done++) all.push(messages[done]!)
  return all
}

/** What a compaction stands for. To a person, the conversations of others are not there. */
async function pastOf(log: Inquiry['log'], { at, ...names }: NamedPast): Promise<readonly MessageLike[]> {
  const { store, tenant, history } = log
  const key = { tenant, ...names }
  const [info] = await store.conversations(tenant, { only: names.conversation })
  const isTheirs = info && (info.person === undefined || info.person === history.person)
  if (!isTheirs || isInnerActor(names.actor) || isExperiment(info) || !(await store.head(key)))
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
    `Item of response 'resp_${reply.slice(0, 100)}' not found. Items are not persisted when "store" is set to false. Try again with "store" set to true, or remove this item from your input.`,
    'input',
  )
