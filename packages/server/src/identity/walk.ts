import { type LogSource, readLog } from '@throughline/history/log'
import type { EntryRange, Store, StoredTurn, ThreadKey } from '@throughline/stores/store'
import type { Compared } from './agreement.ts'
import {
  agreement,
  isBeginning,
  isOfRound,
  isReply,
  isResult,
  isUser,
  joinedAgreement,
} from './agreement.ts'
import type { Front } from './chain.ts'
import { comparedIn, type ListItem, wholeIn } from './item.ts'

export type WalkLog = Pick<LogSource, 'store' | 'count'>

/** An item of a client's list that stands in a thread. */
export interface Meeting {
  readonly thread: ThreadKey
  /** -1 before the first item. */
  readonly item: number
  /** 0 before the first entry. */
  readonly at: number
  /** How the list and the thread agree up to here. */
  readonly front: Front
}

/** An item and its entry, up to which a list is one that came before. */
export type Anchor = Pick<Meeting, 'item' | 'at'>

/** The place where a list met a thread, if that says that all before it agrees. */
export const anchorOf = ({
  start: { item, at, front },
}: Pick<Walk, 'start'>): Anchor | undefined =>
  front === 'cut' || at === 0 ? undefined : { item, at }

/** How far a client's list and a thread agree, from a place on that both have. */
export interface Walk {
  readonly thread: ThreadKey
  readonly start: Meeting
  /** How many items agree, counted from the first of the list. */
  readonly items: number
  /** The place of the last entry that agrees. */
  readonly at: number
  /** The places of the items behind the start. */
  readonly places: readonly number[]
  readonly front: Front
  /** What the thread has where the client left something out. Two walks with the same say the same. */
  readonly leftOut: string
  /** How many results of the thread the client words otherwise: of two threads, the one with fewer is meant. */
  readonly reworded: number
  /** Whether the thread says more than what agrees. */
  readonly hasMore: boolean
  /** The last entry that was read, seen by clients or not. */
  readonly end: number
  /** The time of the last entry that was looked at. */
  readonly usedAt: number
}

/** Compares a list with a thread, behind the place where they meet. `fresh`: the first item of which nothing was left out. */
export async function walkOn(
  log: WalkLog,
  list: readonly ListItem[],
  start: Meeting,
  fresh = freshFrom(list),
): Promise<Walk> {
  const { thread } = start
  const isBroken = brokenTurns(log.store, thread)
  const places: number[] = []
  let item = start.item + 1
  let { at, front } = start
  let usedAt = 0
  let end = at
  /** The calls and results behind the last entry that agrees, if the client has left them out. */
  let rounds: Compared[] = []
  const leftOut: string[] = []
  let reworded = 0
  const leaveOut = (missing: readonly Compared[]) => {
    for (const one of missing) leftOut.push(`${item}: ${one.exact}`)
    if (missing.length > 0 && front === 'same') front = 'less'
  }
  const walk = (hasMore: boolean): Walk => ({
    thread,
    start,
    items: item,
    at,
    places,
    front,
    reworded,
    hasMore,
    end,
    usedAt,
    leftOut: leftOut.join('\n'),
  })
  for await (const entry of readLog({ ...log, key: thread }, { from: start.at + 1 })) {
    const logged = comparedIn(entry)
    const { seq, turn, time } = entry
    end = seq
    const wanted = list[item]
    if (!logged) continue
    // A client may keep the part of an answer that broke off, or drop it and send the same again: then the whole answer follows.
    const isKept = wanted && isBeginning(wanted, logged)
    if (entry.isBroken && !(isKept && (await isBroken(turn)))) continue
    usedAt = time
    const how = wanted && (agreement(logged, wanted) ?? joinedAgreement(rounds, logged, wanted))
    const isEqual =
      how === 'same' ||
      (how !== undefined && item < fresh) ||
      (wanted && isBeginning(wanted, logged) && (await isBroken(turn)))
    if (!isEqual && isLeftOut(logged, wanted)) {
      rounds.push(logged)
      continue
    }
    // A client may drop an answer that broke off.
    const isDropped =
      !isEqual && wanted && isUser(wanted) && isReply(logged) && (await isBroken(turn))
    if (!isEqual && !isDropped) return walk(true)
    at = seq
    leaveOut(rounds)
    rounds = []
    if (!isEqual) continue
    if (how !== 'same') leaveOut([logged])
    if (how === 'reworded') reworded += 1
    item += 1
    places.push(seq)
  }
  // A call that the log does not have is not the end of what was left out.
  if (rounds.length > 0 && !isUser(list[item]!)) return walk(true)
  leaveOut(rounds)
  if (rounds.length > 0) at = end
  return walk(false)
}

/** Whether a client has left out a call or a result, as some keep texts only; never the result of a call that it has kept. */
const isLeftOut = (logged: Compared, wanted: Compared | undefined) =>
  wanted !== undefined && isOfRound(logged) && !isResult(wanted)

/** The first item behind the last reply: what is new is sent whole, so nothing was left out of it. */
const freshFrom = (list: readonly ListItem[]) => list.findLastIndex(isReply) + 1

/**
 * Compares both ways. `first`: from there on all agree. Undefined if the thread does not begin with the items before it. A
 * client that deleted messages has a list with holes: that is believed only of a list that the thread holds from its first item.
 */
export async function walkFrom(log: WalkLog, list: readonly ListItem[], start: Meeting) {
  const first = await firstThatAgrees(log, list, start)
  if (first === undefined) return undefined
  if (first > 0) {
    const front = await walkOn(log, list.slice(0, first), beginningOf(start.thread), first)
    if (front.items < first) return undefined
  }
  return { ...(await walkOn(log, list, start)), first }
}

/** The first item of those that agree, read backwards from where the list meets the thread. Undefined if none does. */
async function firstThatAgrees(log: WalkLog, list: readonly ListItem[], start: Meeting) {
  const fresh = freshFrom(list)
  /** The first item before which the thread has nothing that the list lacks. */
  let gapless = start.item + 1
  let next = gapless
  let hole = 0
  for await (const logged of visible(log, start.thread, { to: start.at, reverse: true })) {
    const wanted = list[next - 1]
    if (!wanted) break
    const how = agreement(logged, wanted)
    if (how === undefined && next <= start.item && isLeftOut(logged, wanted)) continue
    if (how === undefined || (how !== 'same' && next > fresh)) {
      hole += 1
      if (next > start.item || hole > longestHole) break
      continue
    }
    if (gapless === next && hole === 0) gapless -= 1
    next -= 1
    hole = 0
  }
  if (next > start.item) return undefined
  return next === 0 ? 0 : gapless
}

/** More messages in a row than this are not looked through for the rest of a list. */
const longestHole = 64

export const beginningOf = (thread: ThreadKey): Meeting => ({
  thread,
  item: -1,
  at: 0,
  front: 'same',
})

/** Where a branch leaves a thread: between turns, or before the last one. */
export interface BranchPlace {
  readonly kind: 'branches'
  readonly of: ThreadKey
  readonly at: number
  /** The first item that it does not share. */
  readonly from: number
  readonly front: Front
  readonly anchor?: Anchor | undefined
}

/** The branch that leaves a thread where the list and the thread no longer agree. */
export async function branchPlace(
  log: WalkLog,
  { thread: of, start, items, at: end, places, front }: Walk,
  isBeforeTurn = false,
): Promise<BranchPlace> {
  const at = forkPlace(await log.store.turns(of), end, isBeforeTurn)
  const anchor = at >= start.at ? anchorOf({ start }) : undefined
  const place = (from: number): BranchPlace => ({ kind: 'branches', of, at, from, front, anchor })
  if (at === end) return place(items)
  const shared = places.findIndex(seq => seq > at)
  if (at >= start.at) return place(shared < 0 ? items : start.item + 1 + shared)
  let between = 0
  for await (const _ of visible(log, of, { from: at + 1, to: start.at - 1 })) between += 1
  // A cut list may not reach back to the beginning of the turn.
  return place(Math.max(0, start.item - between))
}

function forkPlace(turns: readonly StoredTurn[], at: number, isBeforeTurn: boolean): number {
  const turn = turns.findLast(({ first }) => first <= at)
  if (!turn || at > turn.last) return at
  return at === turn.last && turn.status !== 'open' && !isBeforeTurn ? at : turn.first - 1
}

/** The entries that clients see, as they are compared. */
async function* visible({ store, count }: WalkLog, key: ThreadKey, range: EntryRange) {
  for await (const entry of readLog({ store, key, count }, range)) {
    const logged = wholeIn(entry)
    if (logged) yield logged
  }
}

/** Whether a turn broke off. Reads the turns once, and only if asked. */
function brokenTurns(store: Store, thread: ThreadKey) {
  let broken: ReadonlySet<number> | undefined
  return async (turn: number) => {
    const turns = broken ? [] : await store.turns(thread)
    broken ??= new Set(turns.filter(({ status }) => status !== 'completed').map(({ turn }) => turn))
    return broken.has(turn)
  }
}
