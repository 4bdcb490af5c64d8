import { createHash } from 'node:crypto'
import type { Mark, ThreadKey } from '../../stores/store.ts'
import { BadRequestError } from '../bad-request-error.ts'
import type { Log } from '../exchange/asked.ts'
import type { UiRequest } from './read-ui-body.ts'

const actor = 'assistant'

/**
 * Finds the branch on which a message is to be answered, and makes it where there is none yet. The ids of a client's
 * messages are marks of their places: a message that is known is answered once more, on a new branch before it; a new
 * one goes on behind the message before it. A client that names neither goes on where the conversation was last.
 */
export async function findUiBranch(
  log: Log,
  { conversation, messageId, before, isAgain }: UiRequest,
  newId: () => string,
): Promise<string> {
  const placeOf = async (id: string | undefined) =>
    id === undefined
      ? undefined
      : (await log.store.findMarks(log.tenant, [markOf(conversation, id)], { limit: 1 }))[0]
  const last = await placeOf(newest)
  const branch = last?.thread.branch ?? 'main'
  const own =
    (await placeOf(messageId)) ?? (isAgain ? await entryOf(log, conversation, branch, messageId) : undefined)
  if (own) return fork(log, own.thread, own.at - 1, newId())
  if (isAgain)
    throw new BadRequestError(
      'The message that is to be answered again is not in this conversation.',
      'messageId',
    )
  const previous = await placeOf(before)
  if (!previous) return branch
  const head = await log.store.head(previous.thread)
  if (!head || head.head <= previous.at) return previous.thread.branch
  return fork(log, previous.thread, previous.at, newId())
}

async function fork(log: Log, thread: ThreadKey, at: number, branch: string): Promise<string> {
  await log.store.fork(thread, { at, branch })
  return branch
}

/** The id of an entry is also good: clients that loaded the conversation from our API have no other. */
async function entryOf(log: Log, conversation: string, branch: string, id: string | undefined) {
  const thread = log.history.thread(conversation, { actor, branch })
  const entry = (await thread.entries()).find(one => one.id === id && one.message.role === 'user')
  return entry && { thread: thread.key, at: entry.seq }
}

/** Marks the last entry of a branch with the id of a message. */
export async function markUi(
  log: Log,
  { conversation, branch }: Pick<ThreadKey, 'conversation' | 'branch'>,
  id: string | undefined,
): Promise<void> {
  const thread = { tenant: log.tenant, conversation, actor, branch }
  const at = (await log.store.head(thread))?.head ?? 0
  const ids = id === undefined ? [newest] : [newest, id]
  const marks = ids.map((one): Mark => ({ mark: markOf(conversation, one), at }))
  await log.store.saveMarks(thread, marks)
}

/** The name of the mark at the place where a conversation was last. No message can have it: ids are not empty. */
const newest = ''

const markOf = (conversation: string, id: string) =>
  `ui:${createHash('sha256')
    .update(JSON.stringify([conversation, id]))
    .digest('base64url')}`
