import { createHash } from 'node:crypto'
import { oneByOne, within } from '@throughline/chat/waiting'
import { orAborted } from '@throughline/core/values'
import type { ThreadStatus } from '@throughline/history'
import { linesOf, listLog, threadId } from '@throughline/history/log'
import { sleep } from '@throughline/models/waiting'
import { KeyReusedError } from '@throughline/stores/errors'
import type { Store, StoredTurn, ThreadKey } from '@throughline/stores/store'
import { agreement, type Compared, isOfRound, isReply, isUser } from '../identity/agreement.ts'
import { hashOfText } from '../identity/chain.ts'
import { clientMessage } from '../identity/client-message.ts'
import { comparedIn, isSaid, type ListItem, wholeIn } from '../identity/item.ts'
import { knownClient } from '../identity/known-client.ts'
import { markKinds } from '../identity/mark-kinds.ts'
import { type Meeting, type Walk, walkOn } from '../identity/walk.ts'
import type { FailedTurn, PastFacts, ReplyFacts } from './decide.ts'
import { type Again, type ClientList, type Inquiry, type LogPlace, sourceOf } from './inquiry.ts'

/** How long a new message waits for the turn before it: a client that cancels writes the next message at once. */
export const shortPause = 2_000

/** How long a repeated request waits for the answer to the first one. Client libraries give up after ten minutes. */
const longestRetry = 600_000
const mostRetries = 3

/** Whether a request may have come before: its client library counts its tries, or gives it an idempotency key. */
export const isRetry = (inquiry: Inquiry): boolean =>
  isCounted(inquiry) || keyOf(inquiry) !== undefined

const patienceOf = (inquiry: Inquiry): number => (isRetry(inquiry) ? longestRetry : shortPause)

export const keyOf = ({ headers, isFiled }: Inquiry): string | undefined =>
  isFiled ? undefined : headers['idempotency-key']

/** Waits while a turn of a thread is answered. `wasHeld`: one was, so the log may have grown. */
export async function untilFree(inquiry: Inquiry, thread: ThreadKey, mostMs = patienceOf(inquiry)) {
  const { log, signal, isFiled } = inquiry
  const most = isFiled ? 0 : mostMs
  const open = log.history.thread(thread.conversation, thread)
  for (let waited = 0, pause = 5, wasHeld = false; ; pause = Math.min(200, pause * 2)) {
    const status = await open.status()
    if (status.state !== 'open' || waited >= most)
      return { ...status, wasHeld: wasHeld && status.state !== 'open' }
    wasHeld = true
    await sleep(pause, signal)
    waited += pause
  }
}

/** What became of a list that ends in a thread, and of the turn that it ends in. */
export async function findInTurn(
  inquiry: Inquiry,
  { kind, walk: { thread, at, hasMore } }: { readonly kind: string; readonly walk: Walk },
  status: ThreadStatus,
): Promise<Omit<PastFacts, 'branch'>> {
  const turns = await inquiry.log.store.turns(thread)
  const turn = kind === 'repeats' ? turns.findLast(({ first }) => first <= at) : undefined
  const retried = turn && (await turnAgain(inquiry, thread, [turn]))
  return {
    retried,
    // A key says that it is the same request, whatever was said since; a count says so only for a while.
    isSure:
      retried !== undefined &&
      (keyOf(inquiry) !== undefined || (turns.length === 1 && isRecent(inquiry, retried))),
    hasReply: retried !== undefined && (await hasReply(inquiry, thread, at, retried)),
    isLeft: !hasMore && turn !== undefined && isLeft(turn, status),
  }
}

/** What became of a request behind a reply the first time it came. `start`: the end of the reply. */
export async function findBehind(
  inquiry: Inquiry,
  start: Meeting,
  status: ThreadStatus,
  { items }: ClientList,
): Promise<ReplyFacts['earlier']> {
  if (!isRetry(inquiry) && status.state !== 'interrupted') return undefined
  const { store, history } = inquiry.log
  const { thread } = start
  const log = { store, count: history.count }
  // A request with another key may have been answered behind the same reply, each on a branch of its own.
  const lines = keyOf(inquiry) === undefined ? [thread] : await linesOf(inquiry.log.store, thread)
  for (const line of lines) {
    const { items: agreeing, at, hasMore } = await walkOn(log, items, { ...start, thread: line })
    if (agreeing < items.length) continue
    const turn = (await store.turns(line)).findLast(({ first }) => first <= at)
    if (!turn) continue
    if (
      hasMore &&
      (await turnAgain(inquiry, line, [turn])) &&
      (await hasReply(inquiry, line, at, turn))
    )
      return { kind: 'again', thread: line, after: at, turn: turn.turn }
    if (line.branch === thread.branch && !hasMore && isLeft(turn, status)) return 'left'
  }
  return undefined
}

/** What became of a request at the end of a conversation the first time it came. Undefined if it is new. */
export async function findAtEnd(
  inquiry: Inquiry,
  newestLine: ThreadKey,
  lines: readonly ThreadKey[],
  { items, messages }: ClientList,
): Promise<Again | FailedTurn | undefined> {
  const { state } = await untilFree(inquiry, newestLine)
  if (!isRetry(inquiry) && state !== 'interrupted') return undefined
  const key = keyOf(inquiry)
  let failed: (Omit<FailedTurn, 'isLeft'> & { readonly isLast: boolean }) | undefined
  // Without a key only the newest turn can be the one.
  for (const thread of key === undefined ? lines.slice(0, 1) : lines) {
    const turns = await inquiry.log.store.turns(thread)
    const newest = turns.at(-1)
    const again = await turnAgain(inquiry, thread, turns)
    // A message whose turn has no answer yet is the same one, whatever its client says of it.
    const turn = again ?? (newest?.status === 'open' ? newest : undefined)
    if (!turn) continue
    const logged = await listLog(sourceOf(inquiry.log, thread), { from: turn.first, to: turn.last })
    const entries = logged.filter(isSaid)
    const stretch = findStretch(entries.map(comparedIn), items)
    if (!stretch) {
      if (key !== undefined) throw new KeyReusedError(key)
      continue
    }
    const after = entries[stretch.end - 1]!.seq
    if (await hasReply(inquiry, thread, after, turn)) {
      if (!again) continue
      return { kind: 'again', thread, after, turn: turn.turn }
    }
    const repeated = entries
      .slice(0, stretch.start)
      .map(({ view, seq }) => clientMessage(view, seq))
    failed ??= {
      kind: 'failed',
      thread,
      turn,
      isLast: stretch.end === entries.length,
      messages: [...repeated, ...messages.slice(stretch.from)],
      repeated: repeated.length,
    }
  }
  if (!failed) return undefined
  const { isLast, ...rest } = failed
  const status = isLast ? await untilFree(inquiry, rest.thread) : undefined
  return { ...rest, isLeft: status !== undefined && isLeft(rest.turn, status) }
}

/** Where a turn has the items of a request, or the last user messages and what follows. `from`: the first message it has. */
function findStretch(
  turn: readonly (Compared | undefined)[],
  items: readonly ListItem[],
): { readonly start: number; readonly end: number; readonly from: number } | undefined {
  const seen = turn.flatMap((compared, at) => (compared ? [{ compared, at }] : []))
  const hasUser = items.some(isUser)
  for (const wanted of hasUser ? [items, items.slice(lastRun(items))] : [items]) {
    // A user's message begins the turn; results of tools are the last ones that came.
    const latest = hasUser ? 0 : seen.length - wanted.length
    for (let at = latest; at >= 0; at--)
      if (wanted.length > 0 && wanted.every((item, n) => isSame(seen[at + n]?.compared, item)))
        return {
          start: seen[at]!.at,
          end: seen[at + wanted.length - 1]!.at + 1,
          from: wanted[0]!.index,
        }
  }
  return undefined
}

const isSame = (logged: Compared | undefined, item: ListItem) =>
  logged !== undefined && agreement(logged, item) === 'same'

/** The first of the user messages in a row that the request ends with, but for what follows them. */
function lastRun(items: readonly ListItem[]): number {
  let at = items.findLastIndex(isUser)
  while (at > 0 && isUser(items[at - 1]!)) at -= 1
  return at
}

/** The turn that the request may be once more: the one with its key, or the last one if its client counts its tries. */
async function turnAgain(
  inquiry: Inquiry,
  thread: ThreadKey,
  turns: readonly StoredTurn[],
): Promise<StoredTurn | undefined> {
  const key = keyOf(inquiry)
  if (key === undefined) return isCounted(inquiry) ? turns.at(-1) : undefined
  const begun = turns.find(turn => turn.key === key)
  if (begun || turns.length === 0) return begun
  // It may have gone on with the turn of another request.
  const marked = await inquiry.log.store.findMarks(inquiry.log.tenant, [keyMark(inquiry, key)])
  const places = marked.filter(place => threadId(place.thread) === threadId(thread))
  return turns.find(({ first }) => places.some(({ at }) => at === first))
}

/** Marks the first entry of a turn with the key of a request that goes on with it: the turn itself has only that of the first. */
export const keyMark = ({ keyId }: Pick<Inquiry, 'keyId'>, key: string): string =>
  markKinds.key + hashOfText(JSON.stringify([keyId, key]))

const isCounted = ({ headers, isFiled }: Inquiry) =>
  !isFiled && Number(headers['x-stainless-retry-count'] ?? 0) > 0

/** Whether a client library may still be trying to get the answer to a turn. */
const isRecent = ({ now }: Inquiry, { startedAt }: StoredTurn): boolean =>
  now() - startedAt < mostRetries * longestRetry

/** Whether the writer of a turn is gone. */
const isLeft = (turn: StoredTurn, { state }: ThreadStatus): boolean =>
  turn.status === 'open' && state === 'interrupted'

/** Whether the log has the whole reply to the message at a place: the turn is completed, or went on after the reply. */
async function hasReply(
  { log }: Inquiry,
  thread: ThreadKey,
  at: number,
  turn: StoredTurn,
): Promise<boolean> {
  if (turn.status === 'completed') return turn.last > at
  const after = await listLog(sourceOf(log, thread), { from: at + 1, to: turn.last })
  const items = after.flatMap(entry => wholeIn(entry) ?? [])
  const first = items.findIndex(isReply)
  // A reply with calls is whole: the turn waits for their results.
  return first >= 0 && (isOfRound(items[first]!) || first < items.length - 1)
}

const orders = new WeakMap<Store, ReturnType<typeof oneByOne>>()

/** Waits a while for this process to answer a request with the same key. Resolves with a function that lets the next one go on. */
export async function untilAlone(inquiry: Inquiry): Promise<() => void> {
  const key = keyOf(inquiry)
  if (key === undefined) return () => {}
  const { store, tenant } = inquiry.log
  const order = orders.get(store) ?? oneByOne()
  orders.set(store, order)
  const { conversation } = knownClient(inquiry.request, inquiry.headers) ?? {}
  const name = JSON.stringify([tenant, inquiry.keyId, key, conversation])
  return order(name, before => orAborted(within(before, patienceOf(inquiry)), inquiry.signal))
}

/** Names a new conversation or branch after the idempotency key, so that two servers on one store cannot both begin one. */
export function placeOfKey(inquiry: Inquiry, place: LogPlace): LogPlace {
  const key = keyOf(inquiry)
  const { kind, thread, fork, isNamed, isSide } = place
  if (key === undefined || isSide) return place
  if (kind === 'new' && !isNamed)
    return { ...place, thread: { ...thread, conversation: nameOf(inquiry, key) }, head: 0 }
  if (!fork) return place
  return { ...place, thread: { ...thread, branch: nameOf(inquiry, key, fork) }, head: fork.at }
}

/** A name that looks like every other id. */
function nameOf({ log, keyId }: Inquiry, ...of: readonly unknown[]): string {
  const text = JSON.stringify([log.tenant, keyId, ...of])
  const hash = createHash('sha256').update(text).digest('hex')
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5')
}
