import { markResult } from '../log/errors-in.ts'
import type { MessageLike } from '../log/message.ts'
import { readMessage } from '../log/parse-message.ts'
import { showEach, toDisplay } from '../notes/index.ts'
import type { Found, Store, StoredTurn, ThreadKey } from '../stores/store.ts'
import { CorruptEntryError } from '../stores/store-error.ts'
import { hasWords, snippet, toWanted } from '../stores/words.ts'
import { promptActor } from './calls/calls.ts'
import { unloggedEnd } from './log/closing.ts'
import { type LoggedMessage, wholeOf } from './log/logged-message.ts'
import { checkPlace, type LogSource, listLog, readLog } from './log/read-log.ts'
import { isSideThread } from './side-name.ts'

/** Which part of a thread is shown. */
export interface ViewOptions {
  /** The `seq` of an entry: the thread as it was when this entry was its last. Default: as it is now. */
  readonly at?: number
  /** Only the newest ones. Default: all. */
  readonly limit?: number
}

/** The messages of a thread, oldest first. */
export async function viewMessages(
  source: LogSource,
  options?: ViewOptions,
): Promise<readonly MessageLike[]> {
  const logged = await listNewest(source, options)
  const messages = logged.map(({ message }) => message)
  if (options?.at !== undefined) return messages
  const end = await unloggedEnd(source, await source.store.head(source.key))
  return newest([...messages, ...(end?.closing ?? []).map(wholeOf)], options?.limit)
}

/** A message for display, with the id and the place of its entry. */
export type DisplayMessage = MessageLike & { readonly id: string; readonly seq: number }

/** What a user may see: no notes, no messages that Throughline wrote to close a turn. */
export async function viewDisplay(
  source: LogSource,
  { limit, ...view }: ViewOptions = {},
): Promise<readonly DisplayMessage[]> {
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
function withoutTries(logged: readonly LoggedMessage[]): readonly LoggedMessage[] {
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
function toShown({ message, id, seq, isError }: LoggedMessage): DisplayMessage {
  const shown = { ...message, id, seq }
  return isError === undefined ? shown : markResult(shown, isError)
}

export const beginsRound = ({ message }: LoggedMessage) =>
  !['tool', 'function', 'assistant_note'].includes(message.role)

/** A note with the place of its entry. */
export interface LoggedNote extends Pick<LoggedMessage, 'seq' | 'turn' | 'time'> {
  readonly text: string
}

/** The notes, oldest first. `limit` counts notes. */
export async function viewNotes(
  source: LogSource,
  { limit = Number.POSITIVE_INFINITY, ...view }: ViewOptions = {},
): Promise<readonly LoggedNote[]> {
  const notes: LoggedNote[] = []
  for await (const { message, seq, turn, time } of readLog(source, { ...toRange(view), reverse: true })) {
    if (notes.length >= limit) break
    if (message.role === 'assistant_note')
      notes.push({ seq, turn, time, text: readMessage(message, seq).text })
  }
  return notes.reverse()
}

/** The newest entries of a thread, oldest first. */
export async function listNewest(
  source: LogSource,
  { limit, ...view }: ViewOptions = {},
): Promise<readonly LoggedMessage[]> {
  const range = toRange(view)
  if (limit === undefined) return listLog(source, range)
  return (await listLog(source, { ...range, limit, reverse: true })).toReversed()
}

function toRange({ at }: ViewOptions): { readonly to?: number } {
  if (at === undefined) return {}
  checkPlace(at)
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
  return [...turns.slice(0, -1), { ...last, status, ...(error !== undefined && { error }) }]
}

export interface SearchOptions {
  /** The most messages to find. Default 20. */
  readonly limit?: number
  /**
   * `shown` finds only what `thread.display()` shows a user, and no side requests. `everything` is for operators:
   * it also finds notes, the calls that write them, views, and the `data` that an application stores with its messages. Default `shown`.
   */
  readonly scope?: 'shown' | 'everything'
}

type SearchSource = Omit<LogSource, 'key'> & { readonly tenant: string }

/** Hits that must not be shown are skipped: the store is asked for four times as many hits each time, up to this. */
const mostHits = 20_000

/** Finds entries with every word of the query. The store searches whole entries; the words must be in what may be seen. */
export async function searchLog(
  source: SearchSource,
  query: string,
  { limit = 20, scope = 'shown' }: SearchOptions = {},
): Promise<readonly Found[]> {
  const wanted = toWanted(query)
  const shownAt = createLookUp(source)
  const found: Found[] = []
  const seen = new Set<string>()

  async function take(hit: Found): Promise<void> {
    if (hit.thread.actor === promptActor) return
    if (scope === 'everything') return void found.push(hit)
    if (hit.role === 'assistant_note' || isSideThread(hit.thread)) return
    const text = JSON.stringify(await shownAt(hit)) ?? ''
    if (text !== '' && hasWords(text, wanted)) found.push({ ...hit, snippet: snippet(text, wanted) })
  }

  for (let asked = limit + 20; ; asked = Math.min(4 * asked, mostHits)) {
    const hits = await source.store.search(source.tenant, query, { limit: asked })
    for (const hit of hits) {
      if (found.length >= limit) return found
      const place = nameOf(hit.thread, hit.seq)
      if (!seen.has(place)) await take(hit)
      seen.add(place)
    }
    if (hits.length < asked || asked >= mostHits) return found
  }
}

const nameOf = ({ conversation, actor, branch }: ThreadKey, seq?: number) =>
  JSON.stringify([conversation, actor, branch, seq])

/** Finds what a user may see of an entry. Hits come newest first, so the round that was read last is looked up first. */
function createLookUp({ store, count }: SearchSource) {
  const rounds = new Map<string, ReadonlyMap<number, MessageLike | undefined>>()
  return async ({ thread, seq }: Found): Promise<MessageLike | undefined> => {
    const name = nameOf(thread)
    const known = rounds.get(name)
    if (known?.has(seq)) return known.get(seq)
    const source = { store, key: thread, count }
    const round = await readRound(source, seq)
    // Whether a part was tried again says the entry behind it.
    const next = round.at(-1)?.isBroken ? await listLog(source, { from: seq + 1, to: seq + 1 }) : []
    const logged = withoutTries([...round, ...next])
    const messages = logged.map(({ message }) => message)
    const shown = showEach(messages, { isPart: true })
    const found = new Map(logged.map((one, at) => [one.seq, shown[at]]))
    rounds.set(name, found)
    return found.get(seq)
  }
}

/** Reads an entry with its round so far: whether a result may be seen depends on its call. */
async function readRound(source: LogSource, seq: number): Promise<readonly LoggedMessage[]> {
  const logged: LoggedMessage[] = []
  try {
    for await (const one of readLog(source, { to: seq, reverse: true })) {
      logged.push(one)
      if (beginsRound(one)) break
    }
  } catch (error) {
    // A corrupt entry is never shown; `check` names it.
    if (!(error instanceof CorruptEntryError)) throw error
    return []
  }
  return logged.reverse()
}
