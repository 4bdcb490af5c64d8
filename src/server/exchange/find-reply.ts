import type { LoggedMessage } from '../../history/index.ts'
import { listLog } from '../../history/log/read-log.ts'
import type { ThreadKey } from '../../stores/store.ts'
import { type Log, sourceOf } from './inquiry.ts'
import { type KeptResponse, keptIn } from './kept-response.ts'

export interface FoundReply {
  readonly thread: ThreadKey
  readonly entry: LoggedMessage
  readonly kept: KeptResponse
}

export const replyMark = (id: string) => `resp:${id}`

/** The mark of a reply that its client has deleted: marks are never removed. */
const deletedMark = (id: string) => `gone:${id}`

/** Finds a reply by its id, unless its client has deleted it, or it was given to another person than the one who asks. */
export async function findReply(log: Log, id: string): Promise<FoundReply | undefined> {
  if (id === '' || id.length > longestId) return undefined
  const places = await log.store.findMarks(log.tenant, [replyMark(id), deletedMark(id)])
  // A model that only wrote a note was asked again, for the same reply: the last of its messages is the reply.
  const [place] = places.filter(({ mark }) => mark === replyMark(id)).toSorted((a, b) => b.at - a.at)
  if (!place || places.some(({ mark }) => mark === deletedMark(id))) return undefined
  const { thread, at } = place
  const [entry] = await listLog(sourceOf(log, thread), { from: at, to: at })
  const kept = entry && keptIn(entry)
  if (!entry || kept?.id !== id || !(await isOf(log, thread.conversation, entry))) return undefined
  return { thread, entry, kept }
}

async function isOf({ store, tenant, history: { person } }: Log, only: string, { guest }: LoggedMessage) {
  if (person === undefined || guest !== undefined) return person === undefined || guest === person
  const [info] = await store.conversations(tenant, { only })
  return (info?.person ?? person) === person
}

/** From now on a reply can neither be found nor named. The log keeps what was said until its conversation is deleted. */
export async function forgetReply({ store }: Log, { thread, entry, kept }: FoundReply): Promise<void> {
  await store.saveMarks(thread, [{ mark: deletedMark(kept.id), at: entry.seq }])
}

/** No id of ours is longer. */
const longestId = 200
