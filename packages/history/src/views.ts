import { type MessageLike, markResult } from '@throughline/core/messages'
import { toDisplay } from '@throughline/core/notes'
import type { Store, StoredTurn, ThreadKey } from '@throughline/stores/store'
import { unloggedEnd } from './log/closing.ts'
import { type LoggedMessage, wholeOf } from './log/logged-message.ts'
import { checkPlace, type LogSource, listLog, readLog } from './log/read-log.ts'

/** Which part of a thread is shown. */
export interface ViewOptions {
  /** The `seq` of an entry: the thread as it was when this entry was its last. Default: as it is now. */
  readonly at?: number
  /** Only the newest ones. Default: all. */
  readonly limit?: number
}

/** The messages of a thread, oldest first. */
export async function viewMessages(source: LogSource, options?: ViewOptions) {
  const logged = await listNewest(source, options)
  const messages = logged.map(({ message }) => message)
  if (options?.at !== undefined) return messages
  const end = await unloggedEnd(source, await source.store.head(source.key))
  return newest([...messages, ...(end?.closing ?? []).map(wholeOf)], options?.limit)
}

/** A message for display, with the id and the place of its entry. */
export type DisplayMessage = MessageLike & {
  /** Unique in its thread, and the same in every branch that shares it. */
  readonly id: string
  /** The place in the branch, counted from 1. */
  readonly seq: number
  /** Whether its text was erased. */
  readonly isErased?: boolean
}

/** What a user may see: no notes, no messages that Throughline wrote to close a turn. */
export async function viewDisplay(source: LogSource, { limit, ...view }: ViewOptions = {}) {
  const shown = (logged: readonly LoggedMessage[]) => toDisplay(withoutTries(logged).map(toShown))
  if (limit === undefined) return shown(await listNewest(source, view))
  const logged: LoggedMessage[] = []
  let enough = limit
  for await (const one of readLog(source, { ...toRange(view), reverse: true })) {
    logged.push(one)
    // Whether a result may be seen depends on its call, so a round is read whole. Each look costs more, so looks are few.
    if (!beginsRound(one) || logged.length < enough) continue
    if (shown(logged.toReversed()).length >= limit) break
    enough = 2 * logged.length
  }
  return newest(shown(logged.toReversed()), limit)
}

/** Without messages that close a turn, and without the part of an answer that broke off and was tried again. */
export function withoutTries(logged: readonly LoggedMessage[]): readonly LoggedMessage[] {
  const kept: LoggedMessage[] = []
  /** The turn of the last message that was kept: it went on behind the ones before. */
  let after: number | undefined
  for (const one of logged.toReversed()) {
    if (one.isClosing || (one.isBroken && one.turn === after)) continue
    kept.push(one)
    after = one.turn
  }
  return kept.reverse()
}

/** A copy with its place. Whether its tool failed is known by the object, and must be told again of the copy. */
function toShown({ message, id, seq, isError, isErased }: LoggedMessage): DisplayMessage {
  const shown = { ...message, id, seq, ...(isErased && { isErased }) }
  return isError === undefined ? shown : markResult(shown, isError)
}

export const beginsRound = ({ message }: LoggedMessage) =>
  !['tool', 'function', 'assistant_note'].includes(message.role)

export interface LoggedNote extends Pick<LoggedMessage, 'seq' | 'turn' | 'time'> {
  readonly text: string
}

/** The notes, oldest first. `limit` counts notes. */
export async function viewNotes(
  source: LogSource,
  { limit = Number.POSITIVE_INFINITY, ...view }: ViewOptions = {},
): Promise<readonly LoggedNote[]> {
  const notes: LoggedNote[] = []
  for await (const { reading, seq, turn, time } of readLog(source, {
    ...toRange(view),
    reverse: true,
  })) {
    if (notes.length >= limit) break
    if (reading.role === 'assistant_note') notes.push({ seq, turn, time, text: reading.text })
  }
  return notes.reverse()
}

/** The newest entries of a thread, oldest first. */
export async function listNewest(source: LogSource, { limit, ...view }: ViewOptions = {}) {
  const range = toRange(view)
  if (limit === undefined) return listLog(source, range)
  return (await listLog(source, { ...range, limit, reverse: true })).toReversed()
}

function toRange({ at }: ViewOptions): { readonly to?: number } {
  if (at !== undefined) checkPlace(at)
  return { to: at }
}

const newest = <T>(list: readonly T[], limit = list.length): readonly T[] =>
  list.slice(Math.max(0, list.length - limit))

/** Where a thread stands. */
export type ThreadStatus =
  /** No turn is open. */
  | { readonly state: 'idle' }
  /** A writer holds a turn for `expiresInMs` more milliseconds, and longer if he renews his lease. */
  | (Began & { readonly state: 'open'; readonly owner: string; readonly expiresInMs: number })
  /** The writer of the open turn is gone. The next `begin` closes the turn; `resume` goes on with it. */
  | (Began & { readonly state: 'interrupted' })

type Began = Pick<StoredTurn, 'turn' | 'startedAt'>

export async function readStatus(store: Store, key: ThreadKey): Promise<ThreadStatus> {
  const open = (await store.head(key))?.open
  if (!open) return { state: 'idle' }
  const { turn, startedAt, lease, expiresInMs } = open
  if (expiresInMs === 0) return { state: 'interrupted', turn, startedAt }
  return { state: 'open', turn, startedAt, owner: lease.owner, expiresInMs }
}

/** All turns. A turn that was left open has the status that the next turn will close it with. */
export async function readTurns(source: LogSource): Promise<readonly StoredTurn[]> {
  const { store, key } = source
  const turns = await store.turns(key)
  const last = turns.at(-1)
  if (last?.status !== 'open') return turns
  const head = await store.head(key)
  const left = head?.open?.turn === last.turn ? await unloggedEnd(source, head) : undefined
  if (!left) return turns
  const { status, code: error } = left.ending
  return [...turns.slice(0, -1), { ...last, status, error }]
}
