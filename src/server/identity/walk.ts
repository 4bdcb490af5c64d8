import type { LoggedMessage } from '../../history/index.ts'
import { readLog } from '../../history/log/read-log.ts'
import type { EntryRange, Store, StoredTurn, ThreadKey } from '../../stores/store.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import { type Item, isUser } from './chain.ts'
import { isBeginning, itemOf } from './item.ts'

export interface LogToWalk {
  readonly store: Store
  readonly count: TokenCounter
}

/** An item of a client's list that stands in a thread. */
export interface Meeting {
  readonly thread: ThreadKey
  readonly item: number
  readonly at: number
}

/** How far a client's list and a thread agree, from a place on that both have. */
export interface Walk {
  readonly thread: ThreadKey
  /** Where the comparison began. */
  readonly start: Meeting
  /** How many items agree, counted from the first of the list. */
  readonly items: number
  /** The place of the last entry that agrees. */
  readonly at: number
  /** Whether the thread says more than what agrees. */
  readonly hasMore: boolean
  /** The last entry that was read, seen by clients or not. */
  readonly end: number
  /** The time of the last entry that was looked at. */
  readonly usedAt: number
}

/** Compares a client's list with a thread, behind the place where they meet. */
export async function walkOn(log: LogToWalk, list: readonly Item[], start: Meeting): Promise<Walk> {
  const { thread } = start
  const isBroken = brokenTurns(log.store, thread)
  let item = start.item + 1
  let { at } = start
  let usedAt = 0
  let end = at
  for await (const entry of readLog({ ...log, key: thread }, { from: start.at + 1 })) {
    const text = textOf(entry)
    const { seq, turn, time } = entry
    end = seq
    if (text === undefined) continue
    const wanted = list[item]
    usedAt = time
    const isEqual =
      wanted?.text === text || (wanted && isBeginning(wanted.text, text) && (await isBroken(turn)))
    // A client may drop an answer that broke off.
    const isDropped =
      !isEqual && wanted && isUser(wanted) && text.startsWith('assistant') && (await isBroken(turn))
    if (!isEqual && !isDropped) return { thread, start, items: item, at, usedAt, end, hasMore: true }
    at = seq
    if (isEqual) item += 1
  }
  return { thread, start, items: item, at, usedAt, end, hasMore: false }
}

/** The first item from which on all agree with the thread, up to where they meet. */
export async function walkBack(log: LogToWalk, list: readonly Item[], start: Meeting): Promise<number> {
  let { item } = start
  for await (const { text } of visible(log, start.thread, { to: start.at - 1, reverse: true })) {
    if (item === 0 || list[item - 1]?.text !== text) break
    item -= 1
  }
  return item
}

/** Whether the first items of a list are those that the thread begins with. */
export async function hasFront(log: LogToWalk, list: readonly Item[], thread: ThreadKey): Promise<boolean> {
  let item = 0
  if (list.length === 0) return true
  for await (const { text } of visible(log, thread, {})) {
    if (list[item]?.text !== text) return false
    item += 1
    if (item === list.length) return true
  }
  return false
}

/**
 * Where a branch begins that leaves a thread after a walk: between turns, or before the turn that the walk ended in.
 * `from`: the first item that the branch does not share.
 */
export async function branchPlace(
  log: LogToWalk,
  { thread, start, items, at }: Walk,
  { isBeforeTurn }: { readonly isBeforeTurn: boolean } = { isBeforeTurn: false },
): Promise<{ readonly at: number; readonly from: number }> {
  const place = forkPlace(await log.store.turns(thread), at, isBeforeTurn)
  if (place === at) return { at, from: items }
  let after = 0
  for await (const _ of visible(log, thread, { from: place + 1, to: at })) after += 1
  // A cut list may not reach back to the beginning of the turn.
  return { at: place, from: Math.max(0, Math.min(items - after, start.item)) }
}

function forkPlace(turns: readonly StoredTurn[], at: number, isBeforeTurn: boolean): number {
  const turn = turns.findLast(({ first }) => first <= at)
  if (!turn || at > turn.last) return at
  return at === turn.last && turn.status !== 'open' && !isBeforeTurn ? at : turn.first - 1
}

/** The entries that clients see, as they are compared. */
async function* visible({ store, count }: LogToWalk, key: ThreadKey, range: EntryRange) {
  for await (const entry of readLog({ store, key, count }, range)) {
    const text = textOf(entry)
    if (text !== undefined) yield { text, seq: entry.seq, turn: entry.turn, time: entry.time }
  }
}

const textOf = ({ message, seq, isClosing }: LoggedMessage) => (isClosing ? undefined : itemOf(message, seq))

/** Whether a turn broke off. Reads the turns once, and only if somebody asks. */
function brokenTurns(store: Store, thread: ThreadKey): (turn: number) => Promise<boolean> {
  let broken: Promise<ReadonlySet<number>> | undefined
  return async turn => {
    broken ??= store
      .turns(thread)
      .then(turns => new Set(turns.filter(({ status }) => status !== 'completed').map(({ turn }) => turn)))
    return (await broken).has(turn)
  }
}
