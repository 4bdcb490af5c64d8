import type { LoggedMessage, SeenMessage, Thread, Turn } from '../../history/index.ts'
import type { MessageLike } from '../../log/message.ts'
import { readMessage } from '../../log/parse-message.ts'
import { checkFiles } from '../../models/read-media.ts'
import { ConflictError, KeyReusedError, LeaseError } from '../../stores/store-error.ts'
import { isUser, marksOf, marksToSave, type UserMarks } from '../identity/chain.ts'
import { firstMark } from '../identity/provisional.ts'
import type { Asked } from './asked.ts'
import type { Place } from './place.ts'
import { keyMark, keyOf } from './retry.ts'
import { seenFromClient } from './seen-from-client.ts'
import { withLoggedIds } from './with-logged-ids.ts'

/** A turn that waits for the model. */
export interface OpenedTurn {
  readonly thread: Thread
  readonly turn: Turn
  /** What the turn said before this request, if it goes on with a turn. */
  readonly said?: readonly LoggedMessage[]
  /** Messages to append to the turn before the model is asked: results of tools, mostly. */
  readonly rest: readonly SeenMessage[]
  /** The place of the first message that the request brought. */
  readonly first: number
}

/** Brings the new messages of a request into the log, up to the model's turn to speak. */
export async function takePlace(asked: Asked, place: Place): Promise<OpenedTurn> {
  const { log } = asked
  const { conversation, actor } = place.thread
  const { repeated = 0, front = 'same' } = place
  const fresh = place.messages.slice(place.from)
  // What nobody can send must not be stored: every later message of the conversation would fail.
  for (const [at, message] of fresh.entries()) checkFiles(message, place.from + at)
  if (place.fork) await log.store.fork(place.fork.of, { at: place.fork.at, branch: place.thread.branch })
  const thread = log.history.thread(conversation, { actor, branch: place.thread.branch })
  const { state } = await thread.status()
  if (place.isLeft || (state === 'interrupted' && fresh[0] && isResult(fresh[0]))) {
    const resumed = await thread.resume({ isFollowed: true })
    if (resumed) {
      const { turn, entries } = resumed
      const key = keyOf(asked)
      if (key !== undefined && entries[0])
        await log.store.saveMarks(place.thread, [{ mark: keyMark(asked, key), at: entries[0].seq }])
      const first = place.isLeft ? (entries[0]?.seq ?? turn.next) : turn.next
      const rest = withLoggedIds(fresh.map(seenFromClient), place.messages.slice(0, place.from), entries)
      return { thread, turn, said: entries, rest, first }
    }
    // Another request was faster, and has answered it.
    if (place.isLeft) throw new LeaseError('turn_open', 'The turn is no longer open.')
  }
  const { before, input, rest } = split(fresh)
  // An open turn cannot be seeded: `begin` closes it, so everything is passed as input. The same where the conversation is to
  // begin here (`head` is 0): another server may begin it at this moment, and only one `begin` can be the first.
  const isSeeded = before.length > 0 && state === 'idle' && place.head !== 0
  const seedAt = isSeeded ? ((await log.store.head(place.thread))?.head ?? 0) + 1 : 0
  if (isSeeded && place.head !== undefined && place.head !== seedAt - 1)
    throw new ConflictError(conversation, place.head, seedAt - 1)
  for (let at = 0; isSeeded && at < before.length; at += pieceOfPast)
    await thread.seed(...before.slice(at, at + pieceOfPast).map(seenFromClient))
  const asking = isSeeded ? input : [...before, ...input]
  const inputFrom = place.from + fresh.length - rest.length - asking.length
  const marks = await newMarks(place)
  const past = marksToSave(marks, front, index =>
    index < inputFrom ? seedAt + index - place.from : undefined,
  )
  if (isSeeded && past.length > 0) await log.store.saveMarks(place.thread, past)
  const key = keyOf(asked)
  const begun = await thread.begin(asking, {
    // The call of the model is stored before it is asked, so that both wait for the disk once.
    isFollowed: true,
    data: { request: requestData(asked, place) },
    marks: [
      ...marksToSave(marks, front, index =>
        index >= inputFrom && index < inputFrom + asking.length ? index - inputFrom + 1 : undefined,
      ),
      ...(isFirst(place) ? [{ mark: firstMark(conversation), at: asking.length }] : []),
      ...(place.marks ?? []).map(mark => ({ mark, at: asking.length })),
    ],
    ...(key !== undefined && { key }),
    ...(place.head !== undefined && { after: place.head + (isSeeded ? before.length : 0) }),
  })
  if (begun.kind === 'replayed') throw new SameRequestError(key!)
  const { turn } = begun
  const inputAt = turn.next - asking.length
  const first = (isSeeded ? seedAt : inputAt) + repeated
  return { thread, turn, rest: rest.map(seenFromClient), first }
}

/** The same message with the same key was faster; or it stands at another place of the thread. */
export class SameRequestError extends KeyReusedError {}

/** The marks of the messages that are new. None for what stands beside a conversation: no later list goes on from it. */
async function newMarks({ isSide, items, from, scope }: Place): Promise<readonly UserMarks[]> {
  const first = isSide ? -1 : items.findIndex(({ index }) => index >= from)
  return first < 0 ? [] : marksOf(items, scope, first)
}

/** Whether a conversation begins here that nobody named, with one message. */
const isFirst = ({ kind, isSide, isNamed, items }: Place) =>
  kind === 'new' && !isSide && !isNamed && items.filter(isUser).length === 1

/** What the log says of a request, for people. */
const requestData = (asked: Asked, { kind, why, beside, isNamed }: Place) => ({
  ...{ face: asked.face, kind, why, client: clientOf(asked) },
  ...(isNamed && { named: true }),
  ...(beside !== undefined && { beside }),
})

/** A call of a function takes a limited number of arguments. */
const pieceOfPast = 1000

const roleOf = (message: MessageLike) => readMessage(message, 0).role

const isResult = (message: MessageLike) => roleOf(message) === 'tool'

/** What came before the last user message; that message, with what stands directly before it; what follows it. */
function split(fresh: readonly MessageLike[]) {
  const roles = fresh.map(roleOf)
  const last = roles.lastIndexOf('user')
  const end = last < 0 ? fresh.length : last + 1
  let start = last < 0 ? 0 : last
  while (start > 0 && (roles[start - 1] === 'user' || roles[start - 1] === 'system')) start -= 1
  return { before: fresh.slice(0, start), input: fresh.slice(start, end), rest: fresh.slice(end) }
}

/** The name that a client gives itself, without its version and machine. */
const clientOf = ({ headers }: Asked) => /^[\w.-]{1,40}/.exec(headers['user-agent'] ?? '')?.[0]
