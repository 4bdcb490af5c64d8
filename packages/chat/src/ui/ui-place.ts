import { BadRequestError, ThroughlineError } from '@throughline/core/errors'
import type { MessageLike } from '@throughline/core/messages'
import { hashOf } from '@throughline/core/values'
import type { History } from '@throughline/history'
import { idAt, mainBranch } from '@throughline/history/log'
import { LeaseError } from '@throughline/stores/errors'
import type { Mark, MarkedPlace, StoredTurn, ThreadKey } from '@throughline/stores/store'
import type { EarlierMessage, UIReference, UIRequest } from './read-ui-request.ts'

const actor = 'assistant'

export interface UIPlace {
  readonly thread: ThreadKey
  /** The message came before, and this is its answer: the client lost it on the way. */
  readonly answered?: AnsweredTurn
  /** The first entry that the client has not seen: the conversation went on in another tab. */
  readonly missedFrom?: number
}

export interface AnsweredTurn {
  readonly turn: StoredTurn
  /** The place of the user's message. */
  readonly at: number
}

/**
 * Finds the branch on which a message is to be answered, and makes it where there is none yet. The ids of a client's
 * messages are marks of their places: a message that is to be answered again, or was edited, is answered on a new branch
 * before it; a new one goes on at the end of the line that the message before it stands in. A client that names neither goes
 * on where the conversation was last. A message that never arrived here is new, whatever the client says. Results of tools go
 * on with the turn that waits for them.
 *
 * A tab that has not seen the end of its line never makes a branch: other tabs would lose what they have said since.
 */
export async function findUIPlace(
  history: History,
  { conversation, messages, last, before, isAgain, isNamed, isResults }: UIRequest,
  newId: () => string,
): Promise<UIPlace> {
  const on = (branch: string): UIPlace => ({ thread: keyOf(history, conversation, branch) })
  const branch = await newestBranch(history, conversation)
  const find = async (reference: UIReference) =>
    (await placeOf(history, conversation, reference.id)) ??
    (await entryOf(history, conversation, reference, branch))
  if (isResults) return on((await find(last))?.thread.branch ?? branch)
  const entry = await (isAgain ? find(last) : placeOf(history, conversation, last.id))
  if (entry) {
    const turn = isAgain ? undefined : await answerOf(history, entry, messages[0])
    if (turn) return { ...on(entry.thread.branch), answered: { turn, at: entry.at } }
    if (!isAgain) await refuseWhileAnswered(history, entry)
    if (isAgain && !isNamed && (await endOf(history, entry, branch)).missedFrom !== undefined)
      throw wentOn()
    const fork = { at: entry.at - 1, branch: newId() }
    await history.store.fork(entry.thread, fork)
    return on(fork.branch)
  }
  const previous = before && (await find(before))
  if (!previous) {
    if (isAgain && (await history.store.head(on(mainBranch).thread))) throw notHere()
    return on(branch)
  }
  return endOf(history, previous, branch)
}

const notHere = () =>
  new BadRequestError(
    'The message that is to be answered again is not in this conversation.',
    'messageId',
  )

const wentOn = () =>
  new ThroughlineError(
    'conflict',
    'This chat has gone on elsewhere, perhaps in another tab. Load it again before you ask for another answer.',
  )

const keyOf = ({ tenant }: History, conversation: string, branch: string): ThreadKey => ({
  tenant,
  conversation,
  actor,
  branch,
})

export async function newestBranch(history: History, conversation: string): Promise<string> {
  return (await placeOf(history, conversation, newest))?.thread.branch ?? mainBranch
}

async function placeOf({ store, tenant }: History, conversation: string, id: string | undefined) {
  if (id === undefined) return undefined
  const [place] = await store.findMarks(tenant, [await markOf(conversation, id)], { limit: 1 })
  return place
}

type EntryPlace = Omit<MarkedPlace, 'mark'>

/** The end of a message's line: of the newest branch if that shares it. The client has seen the message's own turn. */
async function endOf(
  history: History,
  { thread, at }: EntryPlace,
  newestBranch: string,
): Promise<UIPlace> {
  const { store } = history
  const newest = { ...thread, branch: newestBranch }
  const isShared =
    thread.branch === newestBranch ||
    (await idAt(store, newest, at)) === (await idAt(store, thread, at))
  const line = isShared ? newest : thread
  const head = (await store.head(line))?.head ?? 0
  if (head <= at) return { thread: line }
  const seen = (await turnAt(history, { thread: line, at }))?.last ?? at
  return { thread: line, missedFrom: head > seen ? seen + 1 : undefined }
}

const turnAt = async (
  { store }: History,
  { thread, at }: EntryPlace,
): Promise<StoredTurn | undefined> =>
  (await store.turns(thread)).find(({ first, last }) => first <= at && at <= last)

/** The turn that answered a message, if it was answered whole and the message is the same. */
async function answerOf(
  history: History,
  { thread, at }: EntryPlace,
  message: MessageLike | undefined,
) {
  const turn = await turnAt(history, { thread, at })
  if (turn?.status !== 'completed') return undefined
  const [stored] = await history.thread(thread.conversation, thread).messages({ at, limit: 1 })
  return JSON.stringify(stored?.content) === JSON.stringify(message?.content) ? turn : undefined
}

/** Another process may be answering the same message, which came twice. */
async function refuseWhileAnswered({ store }: History, entry: EntryPlace): Promise<void> {
  const { open } = (await store.head(entry.thread)) ?? {}
  if (open && open.expiresInMs > 0 && open.first <= entry.at)
    throw new LeaseError('turn_open', 'This message is being answered.', open.expiresInMs)
}

const mostEntries = 2000

/** Takes ids of entries too: clients that loaded the conversation from here have no others. A message names its branch. */
async function entryOf(
  history: History,
  conversation: string,
  { id, branch = '' }: UIReference,
  newest: string,
): Promise<EntryPlace | undefined> {
  const isThere =
    branch !== '' &&
    branch !== newest &&
    (await history.store.head(keyOf(history, conversation, branch)))
  const thread = history.thread(conversation, { actor, branch: isThere ? branch : newest })
  const entry = (await thread.entries({ limit: mostEntries })).find(one => one.id === id)
  return entry && { thread: thread.key, at: entry.seq }
}

/** The marks of a message: its own, and that of the place where the conversation was last. */
export const marksOf = (conversation: string, id: string | undefined): Promise<readonly string[]> =>
  Promise.all([newest, ...(id === undefined ? [] : [id])].map(one => markOf(conversation, one)))

/** Marks a reply with the client's id: the last entry of a branch as the newest place, or an earlier one (`at`). */
export async function markReply({ store }: History, thread: ThreadKey, id: string, at?: number) {
  const { conversation } = thread
  const marks =
    at === undefined ? await marksOf(conversation, id) : [await markOf(conversation, id)]
  const place = at ?? (await store.head(thread))?.head ?? 0
  await store.saveMarks(
    thread,
    marks.map(mark => ({ mark, at: place })),
  )
}

/** Marks the messages that a client brought along, which stand at the beginning of a conversation. */
export async function markEarlier(
  { store }: History,
  thread: ThreadKey,
  earlier: readonly EarlierMessage[],
) {
  let at = 0
  const marks: Mark[] = []
  for (const { id, messages } of earlier) {
    at += messages.length
    if (id !== undefined && messages.length > 0)
      marks.push({ mark: await markOf(thread.conversation, id), at })
  }
  if (marks.length > 0) await store.saveMarks(thread, marks)
}

/** The name of the mark at the place where a conversation was last. No message can have it: ids are not empty. */
const newest = ''

const markOf = async (conversation: string, id: string) =>
  `ui:${await hashOf(JSON.stringify([conversation, id]))}`
