import { createHash } from 'node:crypto'
import { mainBranch } from '../../history/log/read-log.ts'
import type { Mark, ThreadKey } from '../../stores/store.ts'
import { BadRequestError } from '../bad-request-error.ts'
import type { Log } from '../exchange/asked.ts'
import type { EarlierMessage, UiMessage, UiRequest } from './read-ui-body.ts'

const actor = 'assistant'

/**
 * Finds the branch on which a message is to be answered, and makes it where there is none yet. The ids of a client's
 * messages are marks of their places: a message that is known is answered once more, on a new branch before it; a new
 * one goes on behind the message before it. A client that names neither goes on where the conversation was last. Results
 * of tools go on with the turn that waits for them.
 */
export async function findUiBranch(
  log: Log,
  { conversation, last, before, isAgain, isResults }: UiRequest,
  newId: () => string,
): Promise<string> {
  const branch = await newestBranch(log, conversation)
  const marked = await placeOf(log, conversation, last.id)
  if (isResults) return (marked ?? (await entryOf(log, conversation, last, branch)))?.thread.branch ?? branch
  const own = marked ?? (isAgain ? await entryOf(log, conversation, last, branch) : undefined)
  if (own) return fork(log, own.thread, own.at - 1, newId())
  if (isAgain)
    throw new BadRequestError(
      'The message that is to be answered again is not in this conversation.',
      'messageId',
    )
  const previous =
    before &&
    ((await placeOf(log, conversation, before.id)) ?? (await entryOf(log, conversation, before, branch)))
  if (!previous) return branch
  const head = await log.store.head(previous.thread)
  const at = 'end' in previous ? previous.end : previous.at
  return !head || head.head <= at ? previous.thread.branch : fork(log, previous.thread, at, newId())
}

/** The branch on which a conversation was last. */
export async function newestBranch(log: Log, conversation: string): Promise<string> {
  return (await placeOf(log, conversation, newest))?.thread.branch ?? mainBranch
}

async function placeOf({ store, tenant }: Log, conversation: string, id: string | undefined) {
  if (id === undefined) return undefined
  const [place] = await store.findMarks(tenant, [markOf(conversation, id)], { limit: 1 })
  return place
}

async function fork(log: Log, thread: ThreadKey, at: number, branch: string): Promise<string> {
  await log.store.fork(thread, { at, branch })
  return branch
}

/** Of so many of the newest entries, one is looked for by its id. */
const mostEntries = 2000

/**
 * The id of an entry is also good: clients that loaded the conversation from here have no other. `end`: where the turn of
 * the entry ends. A message says itself which branch it was on.
 */
async function entryOf(log: Log, conversation: string, { id, branch = '' }: UiMessage, newest: string) {
  const key = { tenant: log.tenant, conversation, actor }
  const isThere = branch !== '' && branch !== newest && (await log.store.head({ ...key, branch }))
  const thread = log.history.thread(conversation, { actor, branch: isThere ? branch : newest })
  const entry = (await thread.entries({ limit: mostEntries })).find(one => one.id === id)
  if (!entry) return undefined
  const turn = (await thread.turns()).find(one => one.turn === entry.turn)
  return { thread: thread.key, at: entry.seq, end: turn?.last ?? entry.seq }
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

/** Marks the messages that a client brought along, which stand at the beginning of a conversation. */
export async function markEarlier(
  { store }: Log,
  thread: ThreadKey,
  earlier: readonly EarlierMessage[],
): Promise<void> {
  let at = 0
  const marks: Mark[] = []
  for (const { id, messages } of earlier) {
    at += messages.length
    if (id !== undefined && messages.length > 0) marks.push({ mark: markOf(thread.conversation, id), at })
  }
  if (marks.length > 0) await store.saveMarks(thread, marks)
}

/** The name of the mark at the place where a conversation was last. No message can have it: ids are not empty. */
const newest = ''

const markOf = (conversation: string, id: string) =>
  `ui:${createHash('sha256')
    .update(JSON.stringify([conversation, id]))
    .digest('base64url')}`
