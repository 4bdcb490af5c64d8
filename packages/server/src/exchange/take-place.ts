import { errorsIn, type Role, type ToolCall } from '@throughline/core/messages'
import type { LoggedMessage, SeenMessage, Thread, Turn } from '@throughline/history'
import { asSeen, eachResting } from '@throughline/history/log'
import { readMedia } from '@throughline/models/model'
import { ConflictError, KeyReusedError, LeaseError } from '@throughline/stores/errors'
import { isUser } from '../identity/agreement.ts'
import { marksOf, marksToSave } from '../identity/chain.ts'
import type { ClientMessage } from '../identity/client-message.ts'
import { firstMark } from '../identity/provisional.ts'
import type { Inquiry, LogPlace } from './inquiry.ts'
import { withRepeats } from './repeated-messages.ts'
import { keyMark, keyOf } from './retry.ts'

export interface OpenedTurn {
  readonly thread: Thread
  readonly turn: Turn
  /** What the turn said before this request, if it goes on with a turn. */
  readonly logged?: readonly LoggedMessage[]
  /** Messages to append to the turn before the model is asked: results of tools, mostly. */
  readonly rest: readonly SeenMessage[]
  /** The place of the first message that the request brought. */
  readonly first: number
}

/** Brings the new messages of a request into the log, up to the model's turn to speak. */
export async function takePlace(inquiry: Inquiry, place: LogPlace): Promise<OpenedTurn> {
  const { log } = inquiry
  const { conversation, branch } = place.thread
  const { messages, from, items, repeated = 0, front = 'same', overlay } = place
  const seen: SeenMessage[] = []
  const roles: Role[] = []
  // A message that cannot be sent must not be stored: every later message of the conversation would fail.
  await eachResting(messages.slice(from), (message, at) => {
    roles.push(message.reading.role)
    readMedia(message.source, from + at)
    seen.push(seenFromClient(message))
  })
  if (place.fork) await log.store.fork(place.fork.of, { at: place.fork.at, branch })
  const thread = log.history.thread(conversation, place.thread)
  const { state } = await thread.status()
  if (place.isLeft || (state === 'interrupted' && roles[0] === 'tool')) {
    const resumed = await resume(inquiry, place, thread)
    if (resumed) return resumed
    // Another request was faster, and has answered it.
    if (place.isLeft) throw new LeaseError('turn_open', 'The turn is no longer open.')
  }
  const { start, end } = askedIn(roles)
  // An open turn cannot be seeded: `begin` closes it, so everything is passed as input. The same where the conversation is to
  // begin here (`head` is 0): another server may begin it at this moment, and only one `begin` can be the first.
  const seeded = state === 'idle' && place.head !== 0 ? start : 0
  // What stands beside a conversation gets no marks: no later list goes on from it.
  const firstNew = place.isSide ? -1 : items.findIndex(({ index }) => index >= from)
  const marks = firstNew < 0 ? [] : await marksOf(items, place.scope, firstNew)
  const brought = await withRepeats(inquiry, place, seen, marks)
  const input = brought.slice(seeded, end)
  const seedAt = seeded > 0 ? ((await log.store.head(place.thread))?.head ?? 0) + 1 : 0
  if (seeded > 0) {
    if (place.head !== undefined && place.head !== seedAt - 1)
      throw new ConflictError(conversation, place.head, seedAt - 1)
    for (let at = 0; at < seeded; at += pieceOfPast) {
      const piece = brought.slice(at, Math.min(seeded, at + pieceOfPast))
      await thread.seed(...(at === 0 ? withOverlay(piece, overlay) : piece))
    }
    const saved = marksToSave(marks, front, { from, to: from + seeded, at: seedAt })
    if (saved.length > 0) await log.store.saveMarks(place.thread, saved)
  }
  const key = keyOf(inquiry)
  const begun = await thread.begin(input, {
    // The call of the model is stored before it is asked, so that both wait for the disk once.
    mayDeferSync: true,
    data: { request: requestData(inquiry, place) },
    overlay: seeded === 0 ? overlay : undefined,
    marks: [
      ...marksToSave(marks, front, { from: from + seeded, to: from + end, at: 1 }),
      ...(isFirst(place) ? [{ mark: firstMark(conversation), at: input.length }] : []),
      ...(place.marks ?? []).map(mark => ({ mark, at: input.length })),
    ],
    key,
    after: place.head === undefined ? undefined : place.head + seeded,
  })
  if (begun.kind === 'replayed') throw new SameRequestError(key!)
  const { turn } = begun
  const first = (seeded > 0 ? seedAt : turn.next - input.length) + repeated
  const rest = (await thread.withHands(brought.slice(end), turn.next)).map(asSeen)
  return { thread, turn, rest, first }
}

/** Goes on with an open turn. Undefined if it is no longer open. */
async function resume(
  inquiry: Inquiry,
  { thread: key, messages, from, isLeft, overlay }: LogPlace,
  thread: Thread,
): Promise<OpenedTurn | undefined> {
  const resumed = await thread.resume({ mayDeferSync: true })
  if (!resumed) return undefined
  const { turn, entries } = resumed
  const [first] = entries
  const name = keyOf(inquiry)
  if (name !== undefined && first)
    await inquiry.log.store.saveMarks(key, [{ mark: keyMark(inquiry, name), at: first.seq }])
  const results = withLoggedIds(
    messages.slice(from).map(seenFromClient),
    messages.slice(0, from),
    entries,
  )
  const rest = withOverlay(results, overlay)
  return {
    thread,
    turn,
    logged: entries,
    rest,
    first: isLeft ? (first?.seq ?? turn.next) : turn.next,
  }
}

/** The first of the new messages carries how the list lies over the thread. */
const withOverlay = (
  [first, ...others]: readonly SeenMessage[],
  overlay: LogPlace['overlay'],
): readonly SeenMessage[] => (first ? [{ ...first, overlay }, ...others] : [])

/** The last user message and what stands directly before it are asked; what came earlier is the past, the rest follows. */
function askedIn(roles: readonly Role[]): { readonly start: number; readonly end: number } {
  const last = roles.lastIndexOf('user')
  let start = Math.max(0, last)
  while (start > 0 && (roles[start - 1] === 'user' || roles[start - 1] === 'system')) start -= 1
  return { start, end: last < 0 ? roles.length : last + 1 }
}

/** A message of a client with what the client says beside it: whether a tool failed. */
export function seenFromClient({ source: message, reading }: ClientMessage): SeenMessage {
  const { role, text } = reading
  return role === 'tool' ? { message, isError: errorsIn(message)(text, 0) } : { message }
}

/** Results as the log's calls name them: some clients give calls ids of their own. `past`: the client's list before them. */
function withLoggedIds(
  results: readonly SeenMessage[],
  past: readonly ClientMessage[],
  entries: readonly LoggedMessage[],
): readonly SeenMessage[] {
  const clientCalls = newestCalls(past)
  const logged = newestCalls(entries)
  if (clientCalls.length !== logged.length) return results
  const ids = new Map<unknown, string>()
  for (const [at, { id, name }] of clientCalls.entries()) {
    const call = logged[at]!
    if (id !== undefined && call.id !== undefined && name === call.name) ids.set(id, call.id)
  }
  return results.map(seen => {
    const id = ids.get(seen.message.tool_call_id)
    return id === undefined ? seen : { ...seen, message: { ...seen.message, tool_call_id: id } }
  })
}

/** The calls of the newest reply. */
const newestCalls = (messages: readonly Pick<ClientMessage, 'reading'>[]): readonly ToolCall[] =>
  messages.findLast(({ reading }) => reading.role === 'assistant')?.reading.calls ?? []

/** The same message with the same key was faster; or it stands at another place of the thread. */
export class SameRequestError extends KeyReusedError {}

/** Whether an unnamed conversation begins here, with one message. */
const isFirst = ({ kind, isSide, isNamed, items }: LogPlace) =>
  kind === 'new' && !isSide && !isNamed && items.filter(isUser).length === 1

/** What the log says of a request, for people. */
const requestData = (inquiry: Inquiry, { kind, why, beside, isNamed }: LogPlace) => ({
  adapter: inquiry.adapter,
  kind,
  why,
  client: clientOf(inquiry),
  named: isNamed || undefined,
  beside,
})

/** A call of a function takes a limited number of arguments. */
const pieceOfPast = 1000

/** The name that a client gives itself, without its version and machine. */
const clientOf = ({ headers }: Inquiry) => /^[\w.-]{1,40}/.exec(headers['user-agent'] ?? '')?.[0]
